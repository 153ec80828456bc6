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
/** All pairs of digits. A pair stands for ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ULID_DIGITS[bits >> 5]}${ULID_DIGITS[bits & 31]}`);
const pair = (bits: number): string => PAIRS[bits & 1023] as string;

/** Makes the random parts of ids from blocks of random bits, because a system call for each id would be slow. */
function randomParts(): () => string {
  const block = new Uint16Array(512);
  let used = block.length;
  return () => {
    if (used === block.length) {
      crypto.getRandomValues(block);
      used = 0;
    }
    let part = "";
    for (const end = used + RANDOM_CHARS / 2; used < end; used++) part += pair(block[used] as number);
    return part;
  };
}

export class UlidSource {
  readonly #nextRandom = randomParts();
  #last = "";
  #lastTime = -1;
  /** The time in units of 1,024 ms, and its digits in an id. Kept, because both rarely change. */
  #second = -1;
  #secondDigits = "";

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
      this.#last = this.#timeOf(ms) + this.#nextRandom();
      this.#lastTime = ms;
    } else {
      const next = incrementBase32(this.#last);
      if (timePart(next) !== timePart(this.#last)) this.#lastTime = decodeTime(next);
      this.#last = next;
    }
    return this.#last;
  }

  #timeOf(ms: number): string {
    const second = Math.floor(ms / 1024);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondDigits = encodeTime(second, TIME_CHARS - 2);
    }
    return this.#secondDigits + pair(ms);
  }
}
