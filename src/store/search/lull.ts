// Waits for a lull: calls once nothing has happened for a moment, or when that takes too long to come.

const MOMENT_MS = 10;
const MAX_MS = 2000;

export class Lull {
  readonly #onLull: () => void;
  #timer: Timer | null = null;
  #moments = 0;
  #hasHappened = false;

  constructor(onLull: () => void) {
    this.#onLull = onLull;
  }

  /** Something happened: the wait begins, or goes on. */
  happened(): void {
    this.#hasHappened = true;
    this.#timer ??= setTimeout(this.#look, MOMENT_MS);
  }

  /** Nobody waits any more. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#moments = 0;
  }

  readonly #look = (): void => {
    this.#timer = null;
    this.#moments++;
    if (!this.#hasHappened || this.#moments * MOMENT_MS >= MAX_MS) {
      this.#moments = 0;
      this.#onLull();
      return;
    }
    this.#hasHappened = false;
    this.#timer = setTimeout(this.#look, MOMENT_MS);
  };
}
