// Monotonic ULIDs: ids sort in the order they were made, even within one millisecond, after the clock was set back,
// and after a restart (seeded with the last known id).
import { encodeTime, incrementBase32 } from "ulid";

export const TIME_CHARS = 10;
export const RANDOM_CHARS = 16;

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
export const isUlid = (text: string): boolean => ULID.test(text);

/** The smallest id of that millisecond: the ids of all earlier milliseconds sort before it. */
export const firstUlidAt = (ms: number): string =>
  encodeTime(Math.max(0, Math.floor(ms)), TIME_CHARS) + "0".repeat(RANDOM_CHARS);

export const ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const randomPart = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_CHARS)), (bits) => ULID_DIGITS[bits & 31]).join("");

export class UlidSource {
  #last = "";
  /** The latest time of the clock so far. */
  #latest = -1;

  constructor(last = "") {
    this.follow(last);
  }

  /** Makes all later ids sort after `id`, which may come from another node. */
  follow(id: string): void {
    if (id > this.#last) this.#last = id;
  }

  /** If the clock has not advanced, the last id is incremented, carrying into its time if needed. */
  next(now: number): string {
    const ms = Math.max(0, Math.floor(now));
    const time = ms > this.#latest ? encodeTime(ms, TIME_CHARS) : "";
    this.#latest = Math.max(ms, this.#latest);
    const hasAdvanced = time > this.#last.slice(0, TIME_CHARS);
    this.#last = hasAdvanced ? time + randomPart() : incrementBase32(this.#last);
    return this.#last;
  }
}
