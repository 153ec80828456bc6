// Cuts command lines out of the byte stream (RFC 5321 section 2.3.8), bounded in length.
// A bare LF ends a command too: people type into netcat. Never used inside DATA.
import { isUtf8 } from "node:buffer";

const LF = 0x0a;
const CR = 0x0d;
const FIRST_PLAIN = 0x20;
const LAST_PLAIN = 0x7e;
/** Nearly every line is shorter; for one this short, calls of the system cost more than looking at each byte. */
const SHORT_BYTES = 128;
const EMPTY = Buffer.alloc(0);
/** What decoding puts in place of bytes that are no UTF-8; a client may also have sent the character itself. */
const REPLACEMENT = "\ufffd";
/** Half a surrogate pair, which no UTF-8 decodes to. */
const UNDECODABLE = "\udc80";

/**
 * What a read gave: a line without its end, or one that was thrown away for its length. A `plain` one lies in the chunk
 * as a whole, up to `end`, in ASCII without control characters.
 */
export type LineOutcome = "incomplete" | "plain" | "line" | "too-long";

export class LineReader {
  readonly #maxBytes: number;
  #partial: Buffer = EMPTY;
  #overlong = false;
  /** The line, decoded as UTF-8, after a read that gave "line"; not well-formed when it is none. */
  line = "";
  /** Where in the chunk a plain line ends. */
  end = 0;
  /** Where in the chunk the next read begins. */
  offset = 0;

  /** `maxBytes` counts the line end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  read(chunk: Buffer, from: number): LineOutcome {
    const isPlain = this.#partial.length === 0 && !this.#overlong && this.#readPlain(chunk, from);
    return isPlain ? "plain" : this.#readAny(chunk, from);
  }

  reset(): void {
    this.#partial = EMPTY;
    this.#overlong = false;
  }

  /** Reads a short line of plain ASCII that is there as a whole, which most are; false for any other. */
  #readPlain(chunk: Buffer, from: number): boolean {
    const end = plainEnd(chunk, from);
    if (chunk[end] !== CR || chunk[end + 1] !== LF || end + 2 - from > this.#maxBytes) return false;
    this.end = end;
    this.offset = end + 2;
    return true;
  }

  #readAny(chunk: Buffer, from: number): LineOutcome {
    const end = chunk.indexOf(LF, from);
    if (end === -1) {
      this.#keep(chunk, from);
      this.offset = chunk.length;
      return "incomplete";
    }
    this.offset = end + 1;
    const bytes = this.#partial.length + this.offset - from;
    if (this.#overlong || bytes > this.#maxBytes) {
      this.reset();
      return "too-long";
    }
    this.#finish(chunk, from, end);
    return "line";
  }

  #keep(chunk: Buffer, from: number): void {
    if (this.#overlong) return;
    if (this.#partial.length + chunk.length - from >= this.#maxBytes) {
      this.#overlong = true;
      this.#partial = EMPTY;
      return;
    }
    this.#partial = Buffer.concat([this.#partial, chunk.subarray(from)]);
  }

  #finish(chunk: Buffer, from: number, end: number): void {
    if (this.#partial.length === 0) {
      this.line = textBefore(chunk, from, end);
      return;
    }
    const line = Buffer.concat([this.#partial, chunk.subarray(from, end)]);
    this.#partial = EMPTY;
    this.line = textBefore(line, 0, line.length);
  }
}

/** Where plain ASCII ends, or a short line would. */
function plainEnd(bytes: Buffer, from: number): number {
  const last = Math.min(bytes.length, from + SHORT_BYTES);
  let at = from;
  while (at < last && isPlain(bytes[at] as number)) at++;
  return at;
}

const isPlain = (byte: number): boolean => byte >= FIRST_PLAIN && byte <= LAST_PLAIN;

/** The text up to the line end, whose CR is optional. */
function textBefore(bytes: Buffer, from: number, lineFeed: number): string {
  const end = lineFeed > from && bytes[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
  const text = bytes.toString("utf8", from, end);
  if (!text.includes(REPLACEMENT) || isUtf8(bytes.subarray(from, end))) return text;
  return text.replaceAll(REPLACEMENT, UNDECODABLE);
}
