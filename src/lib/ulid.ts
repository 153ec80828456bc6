// Monotonic ULIDs: ids sort in the order they were made, also within one millisecond,
// after the clock stepped back, and after a restart (seeded with the last id known).
import { encodeTime, incrementBase32, ulid } from "ulid";

const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** The smallest id of that millisecond: everything made earlier sorts before it. */
export const firstUlidAt = (ms: number): string =>
  encodeTime(Math.max(0, Math.floor(ms)), TIME_CHARS) + "0".repeat(RANDOM_CHARS);

export class UlidSource {
  #last: string;

  constructor(last = "") {
    this.#last = last;
  }

  get last(): string {
    return this.#last;
  }

  /** Where the clock has not moved on, the last id is counted up, into its time if need be. */
  next(ms: number): string {
    const fresh = ulid(ms);
    const isLater = fresh.slice(0, TIME_CHARS) > this.#last.slice(0, TIME_CHARS);
    this.#last = isLater ? fresh : incrementBase32(this.#last);
    return this.#last;
  }
}
