// Monotonic ULIDs: ids sort in the order they were made, also within one millisecond,
// after the clock stepped back, and after a restart (seeded with the last id known).

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isUlid = (text: string): boolean => ULID.test(text);

function encodeTime(ms: number): string {
  let text = "";
  for (let rest = Math.max(0, Math.floor(ms)), i = 0; i < TIME_CHARS; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The smallest id of that millisecond: everything made earlier sorts before it. */
export const firstUlidAt = (ms: number): string => encodeTime(ms) + "0".repeat(RANDOM_CHARS);

/** The id that follows in order; carries into the time when the random part is exhausted. */
function successor(id: string): string {
  let at = id.length - 1;
  while (at >= 0 && id[at] === "Z") at--;
  const next = ALPHABET.charAt(ALPHABET.indexOf(id.charAt(at)) + 1);
  return id.slice(0, at) + next + "0".repeat(id.length - 1 - at);
}

function randomPart(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_CHARS));
  let text = "";
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}

export class UlidSource {
  #last: string;
  #lastTime: string;

  constructor(last = "") {
    this.#last = last;
    this.#lastTime = last.slice(0, TIME_CHARS);
  }

  get last(): string {
    return this.#last;
  }

  next(ms: number): string {
    const time = encodeTime(ms);
    this.#last = time > this.#lastTime ? time + randomPart() : successor(this.#last);
    this.#lastTime = this.#last.slice(0, TIME_CHARS);
    return this.#last;
  }
}
