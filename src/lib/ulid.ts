// Monotonic ULIDs: ids sort in the order they were made, also within one millisecond,
// after the clock stepped back, and after a restart (seeded with the last id known).
import { decodeTime, encodeTime, incrementBase32, ulid } from "ulid";

const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
export const isUlid = (text: string): boolean => ULID.test(text);

/** The smallest id of that millisecond: everything made earlier sorts before it. */
export const firstUlidAt = (ms: number): string =>
  encodeTime(Math.max(0, Math.floor(ms)), TIME_CHARS) + "0".repeat(RANDOM_CHARS);

const timePart = (id: string): string => id.slice(0, TIME_CHARS);

/** Random numbers below 1, drawn from the system in blocks: one call each would cost more than the id. */
function blockRandom(): () => number {
  const block = new Uint8Array(1024);
  let used = block.length;
  return () => {
    if (used === block.length) {
      crypto.getRandomValues(block);
      used = 0;
    }
    return (block[used++] ?? 0) / 256;
  };
}

export class UlidSource {
  readonly #random = blockRandom();
  #last: string;
  #lastTime: number;

  constructor(last = "") {
    this.#last = last;
    this.#lastTime = last === "" ? -1 : decodeTime(last);
  }

  get last(): string {
    return this.#last;
  }

  /** Where the clock has not moved on, the last id is counted up, into its time if need be. */
  next(now: number): string {
    // The package takes 0 for "now".
    const ms = Math.max(1, Math.floor(now));
    if (ms > this.#lastTime) {
      this.#last = ulid(ms, this.#random);
      this.#lastTime = ms;
    } else {
      const next = incrementBase32(this.#last);
      if (timePart(next) !== timePart(this.#last)) this.#lastTime = decodeTime(next);
      this.#last = next;
    }
    return this.#last;
  }
}
