// How often the search thread merges while texts are being added: not at all as long as there are few segments, and
// the more often the more there are, so that their number has an end.

/** A search hardly notices so many. */
const FEW_SEGMENTS = 32;
/** With so many each turn of adding is followed by a step of merging. */
const SEGMENTS_PER_STEP = 128;

export class MergeTurns {
  #due = 0;

  /** A step of merging comes before anything else is added. */
  get isDue(): boolean {
    return this.#due >= 1;
  }

  /** Texts were added for a turn, and there are so many segments now. */
  added(segments: number): void {
    this.#due = segments < FEW_SEGMENTS ? 0 : this.#due + segments / SEGMENTS_PER_STEP;
  }

  merged(): void {
    this.#due--;
  }
}
