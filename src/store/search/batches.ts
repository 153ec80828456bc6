// Messages that were handed over and are not in the text index yet, oldest first. They are taken one by one, so that
// whatever arrives meanwhile has its turn in between.
import type { AddedMessage } from "./additions.ts";

export type Batch = Iterator<AddedMessage, void, void>;

export class Batches {
  readonly #onDone: () => void;
  #waiting: Batch[] = [];
  #takenSeq = 0;
  /** Messages that went while they may have been waiting. */
  readonly #removed = new Set<number>();

  /** `onDone`: nothing of a batch waits any more. */
  constructor(onDone: () => void) {
    this.#onDone = onDone;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** No message up to this seq waits. */
  get reachedSeq(): number {
    return this.isEmpty ? Number.POSITIVE_INFINITY : this.#takenSeq;
  }

  add(batch: Batch): void {
    this.#waiting.push(batch);
  }

  /** Null when none waits. */
  take(): AddedMessage | null {
    for (;;) {
      const [batch] = this.#waiting;
      if (batch === undefined) return null;
      const { value, done } = batch.next();
      if (done === true) this.#finish();
      else {
        this.#takenSeq = Math.max(this.#takenSeq, value.seq);
        if (!this.#removed.has(value.seq)) return value;
      }
    }
  }

  remove(seqs: readonly number[]): void {
    if (this.isEmpty) return;
    for (const seq of seqs) this.#removed.add(seq);
  }

  clear(): void {
    while (!this.isEmpty) this.#finish();
    this.#takenSeq = 0;
  }

  #finish(): void {
    this.#waiting.shift();
    if (this.isEmpty) this.#removed.clear();
    this.#onDone();
  }
}
