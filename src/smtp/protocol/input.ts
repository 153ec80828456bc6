// Received bytes that wait to be read, in order, and the command lines in them (RFC 5321 section 2.3.8).
import { isUtf8 } from "node:buffer";

export class Input {
  #chunks: Buffer[] = [];
  /** The number of bytes that are not read yet. */
  bytes = 0;
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
const EMPTY = Buffer.alloc(0);
const PLAIN = /^[ -~]*$/;
const BEYOND_ASCII = /[^\x00-\x7f]/;
/** Stands for invalid UTF-8 in decoded text. A client may also send this character itself. */
const REPLACEMENT = "\ufffd";
/** Half a surrogate pair, which valid UTF-8 never gives. */
const UNDECODABLE = "\udc80";

/** A line that is too long is discarded. */
export type LineOutcome = "incomplete" | "line" | "too-long";

/** Cuts command lines out of the bytes. A bare LF ends them, too: people type into netcat. */
export class LineReader {
  readonly #maxBytes: number;
  #partial: Buffer = EMPTY;
  #overlong = false;
  /** After a read that returned "line": its text, not well-formed if the bytes are not UTF-8. */
  line = "";
  /** The line has only printable ASCII. */
  isPlain = false;
  /** The index in the chunk at which the next read begins. */
  offset = 0;

  /** `maxBytes` includes the line end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  read(chunk: Buffer, from: number): LineOutcome {
    const end = chunk.indexOf(LF, from);
    if (end < 0) {
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

  #take(bytes: Buffer, from: number, lineFeed: number): void {
    const end = lineFeed > from && bytes[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
    const octets = bytes.toString("latin1", from, end);
    this.isPlain = PLAIN.test(octets);
    this.line = this.isPlain || !BEYOND_ASCII.test(octets) ? octets : decoded(bytes.subarray(from, end));
  }

  #keep(chunk: Buffer, from: number): void {
    if (this.#overlong) return;
    this.#overlong = this.#partial.length + chunk.length - from >= this.#maxBytes;
    this.#partial = this.#overlong ? EMPTY : Buffer.concat([this.#partial, chunk.subarray(from)]);
  }
}

function decoded(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return !text.includes(REPLACEMENT) || isUtf8(bytes) ? text : text.replaceAll(REPLACEMENT, UNDECODABLE);
}
