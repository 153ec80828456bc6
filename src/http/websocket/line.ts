// Steps that send frames, one after the other. What takes a while (a preview that must be read first, a frame of
// megabytes for hundreds of clients) has later ones wait; as long as nothing does, a step is done at once.

export class Line {
  /** The number of the last event that was sent, or is being sent. */
  seq: number;
  readonly #onFailure: (error: unknown) => void;
  #last: Promise<void> | null = null;
  #waitingBytes = 0;

  /** Told of what failed after `run` had returned. */
  constructor(seq: number, onFailure: (error: unknown) => void) {
    this.seq = seq;
    this.#onFailure = onFailure;
  }

  /** Of the steps that are not done. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  run(bytes: number, step: () => void | Promise<void>): void {
    const running = this.#last === null ? step() : this.#last.then(step);
    if (running === undefined) return;
    this.#waitingBytes += bytes;
    const ended = running.catch(this.#onFailure).then(() => {
      this.#waitingBytes -= bytes;
      if (this.#last === ended) this.#last = null;
    });
    this.#last = ended;
  }
}
