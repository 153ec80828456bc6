// Monotonic ULIDs: ids sort in the order they were made, even within one millisecond, after the clock was set back,
// and after a restart (seeded with the last known id).
import { decodeTime, encodeTime, incrementBase32 } from "ulid";

export const TIME_CHARS = 10;
export const RANDOM_CHARS = 16;

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
export const isUlid = (text: string): boolean => ULID.test(text);

/** The smallest id of that millisecond: the ids of all earlier milliseconds sort before it. */
export const firstUlidAt = (ms: number): string =>
  encodeTime(Math.max(0, Math.floor(ms)), TIME_CHARS) + "0".repeat(RANDOM_CHARS);

const timePart = (id: string): string => id.slice(0, TIME_CHARS);

export const ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const randomPart = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_CHARS)), (bits) => ULID_DIGITS[bits & 31]).join("");

export class UlidSource {
  #last = "";
  #lastTime = -1;

  constructor(last = "") {
    this.follow(last);
  }

  get last(): string {
    return this.#last;
  }

  /** Makes all later ids sort after `id`, which may come from another node. */
  follow(id: string): void {
    if (id <= this.#last) return;
    this.#last = id;
    this.#lastTime = decodeTime(id);
  }

  /** If the clock has not advanced, the last id is incremented, carrying into its time if needed. */
  next(now: number): string {
    const ms = Math.max(0, Math.floor(now));
    if (ms > this.#lastTime) {
      this.#last = encodeTime(ms, TIME_CHARS) + randomPart();
      this.#lastTime = ms;
    } else {
      const next = incrementBase32(this.#last);
      if (timePart(next) !== timePart(this.#last)) this.#lastTime = decodeTime(next);
      this.#last = next;
    }
    return this.#last;
  }
}
