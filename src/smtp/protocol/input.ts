// Received bytes that wait to be read, in order, and the command lines in them (RFC 5321 section 2.3.8).
import { isUtf8 } from "node:buffer";

export class Input {
  #chunks: Buffer[] = [];
  /** All bytes that are not read yet. */
  bytes = 0;
  /** The chunk being read, and how far. */
  chunk: Buffer | null = null;
  offset = 0;

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    if (this.chunk !== null) {
      this.#chunks.push(chunk);
      return;
    }
    this.chunk = chunk;
    this.offset = 0;
  }

  /** Everything before `offset` of the current chunk has been read. */
  advance(offset: number): void {
    this.bytes -= offset - this.offset;
    this.offset = offset;
    if (this.chunk !== null && offset < this.chunk.length) return;
    this.chunk = this.#chunks.length === 0 ? null : (this.#chunks.shift() as Buffer);
    this.offset = 0;
  }

  clear(): void {
    this.#chunks = [];
    this.bytes = 0;
    this.chunk = null;
    this.offset = 0;
  }
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TILDE = 0x7e;
const EMPTY = Buffer.alloc(0);
const BEYOND_ASCII = /[^\x00-\x7f]/;
/** The decoder's replacement for invalid UTF-8. A client may also have sent this character itself. */
const REPLACEMENT = "\ufffd";
/** Half a surrogate pair, which no UTF-8 decodes to. */
const UNDECODABLE = "\udc80";

/** A line without its end, or a line that was discarded because it was too long. */
export type LineOutcome = "incomplete" | "line" | "too-long";

/**
 * Cuts lines out of the bytes, bounded in length. A bare LF ends a command too: people type into netcat. Never used
 * inside DATA.
 */
export class LineReader {
  readonly #maxBytes: number;
  #partial: Buffer = EMPTY;
  #overlong = false;
  /** The line after a read that returned "line", decoded as UTF-8. Not well-formed if it was not UTF-8. */
  line = "";
  /** Nothing but printable ASCII is in it. */
  isPlain = false;
  /** Where in the chunk the next read begins. */
  offset = 0;

  /** `maxBytes` counts the line end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  read(chunk: Buffer, from: number): LineOutcome {
    const end = lineEnd(chunk, from);
    if (end === chunk.length) {
      this.#keep(chunk, from);
      this.offset = chunk.length;
      return "incomplete";
    }
    this.offset = end + 1;
    const partial = this.#partial;
    const isTooLong = this.#overlong || partial.length + this.offset - from > this.#maxBytes;
    this.#partial = EMPTY;
    this.#overlong = false;
    if (isTooLong) return "too-long";
    if (partial.length === 0) this.#take(chunk, from, end);
    else {
      const line = Buffer.concat([partial, chunk.subarray(from, end)]);
      this.#take(line, 0, line.length);
    }
    return "line";
  }

  /** The line ends before the line feed; a CR before that is optional. */
  #take(bytes: Buffer, from: number, lineFeed: number): void {
    const end = lineFeed > from && bytes[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
    const octets = bytes.toString("latin1", from, end);
    this.isPlain = isPlain(bytes, from, end);
    this.line = this.isPlain || !BEYOND_ASCII.test(octets) ? octets : decoded(bytes.subarray(from, end));
  }

  #keep(chunk: Buffer, from: number): void {
    if (this.#overlong) return;
    this.#overlong = this.#partial.length + chunk.length - from >= this.#maxBytes;
    this.#partial = this.#overlong ? EMPTY : Buffer.concat([this.#partial, chunk.subarray(from)]);
  }
}

/** Lines are short: a loop is faster than a search. */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF) at++;
  return at;
}

function isPlain(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < SPACE || byte > TILDE) return false;
  }
  return true;
}

function decoded(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return !text.includes(REPLACEMENT) || isUtf8(bytes) ? text : text.replaceAll(REPLACEMENT, UNDECODABLE);
}
