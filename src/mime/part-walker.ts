// Walks the parts of a message (RFC 2046 section 5.1) while its bytes arrive, in linear time and with limited memory.
// The result does not depend on how the bytes are cut into chunks. This file knows lines, header blocks and
// boundaries; the visitor knows what they mean.
import { type Delimiter, MAX_DELIMITER_BYTES, OpenBoundaries } from "./boundaries.ts";
import { asBuffer } from "./decode/charset.ts";
import { fieldsEnd, hasHeader, isFirstDelimiter } from "./header-extent.ts";

// A mail beyond these limits is still stored and served raw.
const MAX_PARTS = 1000;
export const MAX_MESSAGE_HEADER_BYTES = 1024 * 1024;
const MAX_DEPTH = 100;
const MAX_PART_HEADER_BYTES = 64 * 1024;
/** The limit for all parts together: decoding the file names in their headers takes long. */
const MAX_ALL_PART_HEADER_BYTES = 256 * 1024;

export type WalkLimit = "too_many_parts" | "too_deep" | "headers_too_big";

export interface PartVisitor {
  /**
   * A header block is complete; it has one character for each octet. Returns the boundary if the part is a multipart,
   * otherwise null.
   */
  open(block: string, bodyStart: number, canDescend: boolean): string | null;
  /** Octets of the body of the part that was opened last. */
  content?(octets: Uint8Array): void;
  /**
   * The innermost open part has ended. `delimited`: a delimiter ended it; for a multipart, its own
   * closing delimiter. `isNamed`: it is a multipart, and one of its delimiters was found.
   */
  close(bodyEnd: number, delimited: boolean, isNamed: boolean): void;
  exceeded(limit: WalkLimit): void;
}

/**
 * start: before the first line. head: in a header block. leaf: in the body of a part without parts.
 * between: before, between or after the parts of a multipart. done: nothing more is read.
 */
type State = "start" | "head" | "leaf" | "between" | "done";

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const NOTHING = Buffer.alloc(0);

export class PartWalker {
  readonly #visitor: PartVisitor;
  readonly #maxParts: number;
  #state: State = "start";
  #held: Buffer = NOTHING;
  #offset = 0;
  #delimiters = 0;
  #partHeaderBytes = 0;

  #block = "";
  #blockLimit = MAX_MESSAGE_HEADER_BYTES;
  #insideLongLine = false;
  #hasDashes = false;

  #atLineStart = true;
  readonly #open = new OpenBoundaries();

  constructor(visitor: PartVisitor, maxParts = MAX_PARTS) {
    this.#visitor = visitor;
    this.#maxParts = maxParts;
  }

  /** Called by a visitor that needs no more, and at a limit. */
  stop(): void {
    this.#state = "done";
    this.#held = NOTHING;
  }

  push(chunk: Uint8Array): void {
    if (this.#state === "done") {
      this.#offset += chunk.length;
      return;
    }
    const data = this.#held.length === 0 ? asBuffer(chunk) : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    const consumed = this.#consume(data, false);
    if (consumed < data.length) this.#held = Buffer.from(data.subarray(consumed));
  }

  finish(): void {
    const rest = this.#held;
    this.#held = NOTHING;
    this.#consume(rest, true);
    if (this.#state === "head") this.#openPart(this.#cutText(false));
    if (this.#state === "leaf") this.#visitor.close(this.#offset, false, false);
    this.#closeLevels(0, this.#offset, false);
    this.#state = "done";
  }

  /** May become true during any call of the visitor, because the visitor may stop the walk. */
  get #isDone(): boolean {
    return this.#state === "done";
  }

  #consume(data: Buffer, last: boolean): number {
    const base = this.#offset;
    let at = 0;
    if (this.#state === "start" && !this.#begin(data, last)) return 0;
    while (at < data.length && this.#state !== "done") {
      const before = this.#state;
      const next = before === "head" ? this.#readHead(data, at, last) : this.#readBody(data, at, last);
      this.#offset = base + next;
      if (next === at && this.#state === before) break;
      at = next;
    }
    if (this.#state !== "done") return at;
    this.#offset = base + data.length;
    return data.length;
  }

  /** False if more bytes are needed to tell a header from text. */
  #begin(data: Buffer, last: boolean): boolean {
    const isHeader = hasHeader(data, last);
    if (isHeader === undefined) return false;
    if (isHeader) this.#state = "head";
    else this.#openPart();
    return true;
  }

  #readHead(data: Buffer, from: number, last: boolean): number {
    let at = from;
    while (at < data.length) {
      const lf = data.indexOf(LF, at);
      const end = lf < 0 ? data.length : lf + 1;
      if (lf < 0 && !last && (this.#insideLongLine || end - at > MAX_DELIMITER_BYTES)) {
        this.#keepHead(data, from, end);
        this.#insideLongLine = true;
        return end;
      }
      if (lf < 0 && !last) break;
      const next = this.#insideLongLine ? -1 : this.#endHead(data, from, at, end);
      if (next >= 0) return next;
      this.#insideLongLine = false;
      at = end;
    }
    this.#keepHead(data, from, at);
    return at;
  }

  /** The index at which to continue if the line at `at` ends the header, otherwise -1. */
  #endHead(data: Buffer, from: number, at: number, end: number): number {
    if (isEmptyLine(data, at)) {
      this.#keepHead(data, from, at);
      const text = this.#cutText(true);
      const body = text === "" ? end : at;
      this.#offset += body - from;
      this.#openPart(text);
      return body;
    }
    if (data[at] !== DASH) return -1;
    const delimiter = this.#open.match(data, at, end);
    if (delimiter) {
      this.#keepHead(data, from, at);
      this.#offset += at - from;
      const text = this.#cutText(false);
      const words = text.replace(/\r?\n$/, "");
      const bodyEnd = this.#offset - (text.length - words.length);
      if (this.#block !== "" || text !== "") this.#openPart(words, bodyEnd - words.length);
      if (!this.#isDone) this.#delimit(delimiter, bodyEnd);
      return end;
    }
    if (!this.#isFirstDelimiter(data, from, at, end)) return -1;
    this.#keepHead(data, from, at);
    this.#offset += at - from;
    this.#openPart();
    return at;
  }

  /**
   * Whether this line begins the body of a multipart whose header does not end in an empty line.
   * In each header, checks only the first line that begins with two dashes.
   */
  #isFirstDelimiter(data: Buffer, from: number, at: number, end: number): boolean {
    if (data[at + 1] !== DASH || this.#hasDashes) return false;
    this.#hasDashes = true;
    const block = this.#block + data.toString("latin1", from, at);
    return end - at <= MAX_DELIMITER_BYTES && isFirstDelimiter(data.toString("latin1", at, end), block);
  }

  /** Cuts off text that follows the fields without an empty line, and returns it. */
  #cutText(hasEmptyLine: boolean): string {
    const block = this.#block;
    const isRoot = this.#open.length === 0;
    if (block.length >= this.#blockLimit) return "";
    const end = fieldsEnd(block, hasEmptyLine);
    // The block begins with text, but hasHeader has found a header in it, so nothing is cut off.
    if (isRoot && end === 0) return "";
    this.#block = block.slice(0, end);
    return block.slice(end);
  }

  #keepHead(data: Buffer, from: number, to: number): void {
    const room = this.#blockLimit - this.#block.length;
    if (to - from > room) this.#visitor.exceeded("headers_too_big");
    if (to === from || room <= 0) return;
    this.#block += data.toString("latin1", from, Math.min(to, from + room));
  }

  /** `text` is the start of the body, if it was read together with the header. */
  #openPart(text = "", bodyStart = this.#offset - text.length): void {
    const block = this.#block;
    this.#block = "";
    this.#insideLongLine = false;
    this.#hasDashes = false;
    if (this.#open.length > 0) this.#partHeaderBytes += block.length;
    const canDescend = this.#open.length < MAX_DEPTH;
    const boundary = this.#visitor.open(block, bodyStart, canDescend);
    if (this.#isDone) return;
    this.#atLineStart = true;
    this.#state = boundary === null ? "leaf" : "between";
    if (boundary !== null) this.#open.push(boundary);
    else if (text !== "") this.#visitor.content?.(Buffer.from(text, "latin1"));
  }

  #readBody(data: Buffer, from: number, last: boolean): number {
    if (this.#open.length === 0) return this.#pass(data, from, data.length);
    let search = from;
    let isLineStart = this.#atLineStart;
    this.#atLineStart = false;
    for (;;) {
      if (isLineStart && !last && data.length - search < 2 && (data[search] ?? DASH) === DASH) {
        this.#atLineStart = true;
        return search;
      }
      const isCandidate = isLineStart && data[search] === DASH && data[search + 1] === DASH;
      const found = isCandidate ? search - 1 : findLineOfDashes(data, search);
      isLineStart = false;
      if (found < 0 && !isCandidate) break;
      const line = found + 1;
      const lf = data.indexOf(LF, line);
      if (lf < 0 && !last && data.length - line <= MAX_DELIMITER_BYTES) {
        this.#atLineStart = isCandidate;
        return this.#pass(data, from, isCandidate ? line : beforeLineEnd(data, line, from));
      }
      const end = lf < 0 ? data.length : lf + 1;
      const delimiter = this.#open.match(data, line, end);
      if (delimiter && !this.#open.isStrayClose(delimiter)) {
        const bodyEnd = this.#pass(data, from, isCandidate ? line : beforeLineEnd(data, line, from));
        this.#delimit(delimiter, this.#offset + (bodyEnd - from));
        return end;
      }
      if (lf < 0) break;
      search = lf;
    }
    return this.#pass(data, from, last ? data.length : undecidedFrom(data, from));
  }

  #pass(data: Buffer, from: number, to: number): number {
    if (to > from && this.#state === "leaf") this.#visitor.content?.(data.subarray(from, to));
    return to;
  }

  #delimit({ level, isClosing }: Delimiter, bodyEnd: number): void {
    if (this.#state === "leaf") this.#visitor.close(bodyEnd, true, false);
    this.#atLineStart = true;
    this.#closeLevels(level + 1, bodyEnd, false);
    if (isClosing) {
      this.#closeLevels(level, bodyEnd, true);
      this.#state = "between";
      return;
    }
    this.#open.startPart(level);
    this.#delimiters++;
    const isTooMany = this.#delimiters >= this.#maxParts;
    if (isTooMany || this.#partHeaderBytes > MAX_ALL_PART_HEADER_BYTES) {
      this.#visitor.exceeded(isTooMany ? "too_many_parts" : "headers_too_big");
      this.#closeLevels(0, bodyEnd, false);
      this.stop();
      return;
    }
    this.#state = "head";
    this.#blockLimit = MAX_PART_HEADER_BYTES;
  }

  #closeLevels(level: number, bodyEnd: number, delimited: boolean): void {
    while (this.#open.length > level) {
      const isNamed = this.#open.pop();
      this.#visitor.close(bodyEnd, delimited, isNamed);
    }
  }
}

const LINE_OF_DASHES = Buffer.from("\n--");

/** Lines of dashes often follow one another. For them, comparing three octets is faster than a search. */
const findLineOfDashes = (data: Buffer, from: number) =>
  data[from] === LF && data[from + 1] === DASH && data[from + 2] === DASH
    ? from
    : data.indexOf(LINE_OF_DASHES, from);

/** Some senders end their lines with CR CR LF. */
function isEmptyLine(data: Buffer, at: number): boolean {
  let end = at;
  while (data[end] === CR) end++;
  return data[end] === LF;
}

/** The line end before a delimiter belongs to the delimiter, not to the body. */
function beforeLineEnd(data: Buffer, line: number, floor: number): number {
  let end = line;
  if (end > floor && data[end - 1] === LF) end--;
  if (end > floor && end < line && data[end - 1] === CR) end--;
  return end;
}

/**
 * A line end at the end of a chunk, with or without a dash after it, may belong to a delimiter.
 * Returns where the line end begins, or the end of the chunk if there is none.
 */
function undecidedFrom(data: Buffer, floor: number): number {
  let at = data.length;
  if (at - 1 > floor && data[at - 1] === DASH && data[at - 2] === LF) at--;
  const end = beforeLineEnd(data, at, floor);
  const isCr = end === at && at > floor && data[at - 1] === CR;
  return isCr ? at - 1 : end;
}
