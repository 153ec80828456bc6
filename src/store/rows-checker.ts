// Has the rows looked at in the background, a few at a time: at once when nobody knows what has become of the index
// since it was last used, and now and then.
import type { Rows } from "./rows/rows.ts";
import type { RowsCheck } from "./rows/rows-check.ts";

export interface RowsCheckerOptions {
  readonly rows: Rows;
  /** Makes the rows anew from the log. */
  readonly healIndex: (cause: unknown) => Promise<void>;
}

const FIRST_MS = 100;
const BETWEEN_CHECKS_MS = 60 * 60 * 1000;
/** Between two steps; longer while others have the store busy. */
const PAUSE_MS = 20;
const BUSY_PAUSE_MS = 500;

export class RowsChecker {
  readonly #options: RowsCheckerOptions;
  #check: RowsCheck | null = null;
  #lastSeen = "";
  #timer: Timer | null = null;
  #stopped = false;

  constructor(options: RowsCheckerOptions) {
    this.#options = options;
  }

  start(isKnownToBeSound: boolean): void {
    this.#isBusy();
    this.#later(isKnownToBeSound ? BETWEEN_CHECKS_MS : FIRST_MS);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #later(pause: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#next(), pause);
    this.#timer.unref();
  }

  async #next(): Promise<void> {
    const { rows, healIndex } = this.#options;
    this.#check ??= rows.startCheck();
    try {
      if (this.#check.step()) return this.#later(this.#isBusy() ? BUSY_PAUSE_MS : PAUSE_MS);
    } catch (error) {
      await healIndex(error).catch(() => {});
    }
    this.#check = null;
    this.#later(BETWEEN_CHECKS_MS);
  }

  #isBusy(): boolean {
    const { segment, at } = this.#options.rows.state;
    const seen = `${segment} ${at}`;
    const isBusy = seen !== this.#lastSeen;
    this.#lastSeen = seen;
    return isBusy;
  }
}
