// Walks the parts of a message (RFC 2046 section 5.1) as its bytes stream by. Linear in the bytes
// and bounded in memory whatever arrives; any cutting into chunks gives the same walk. It knows
// lines, header blocks and boundaries; what they mean is the visitor's business.
import {
  MAX_BOUNDARY_BYTES,
  MAX_DEPTH,
  MAX_MESSAGE_HEADER_BYTES,
  MAX_PART_HEADER_BYTES,
  MAX_PARTS,
} from "./limits.ts";

export type WalkLimit = "too_many_parts" | "too_deep" | "headers_too_big";

export interface PartVisitor {
  /**
   * A header block is complete (one character an octet) and the body starts at `bodyStart`.
   * Answers with the boundary when the part has parts of its own, otherwise null.
   */
  open(block: string, bodyStart: number, canDescend: boolean): string | null;
  /** Octets of the body of the leaf opened last. Left out by those who need no content. */
  content?(octets: Uint8Array): void;
  /** Ends the part opened last that is still open. `delimited` tells that a delimiter ended it. */
  close(bodyEnd: number, delimited: boolean): void;
  exceeded(limit: WalkLimit): void;
}

/**
 * head: in a header block. leaf: in the body of a part without parts.
 * between: in a preamble or an epilogue. done: nothing further matters.
 */
type State = "head" | "leaf" | "between" | "done";

interface OpenMultipart {
  readonly boundary: string;
  /** The level that an outer multipart with the same boundary had. */
  readonly shadowed: number | undefined;
  hasParts: boolean;
}

interface Delimiter {
  readonly level: number;
  readonly isClosing: boolean;
}

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const NOTHING = Buffer.alloc(0);
const LINE_OF_DASHES = Buffer.from("\n--");

/** RFC 2046 allows white space after a boundary; more than this is not taken for one. */
const MAX_DELIMITER_BYTES = MAX_BOUNDARY_BYTES + 100;

const asBuffer = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export class PartWalker {
  readonly #visitor: PartVisitor;
  #state: State = "head";
  #held: Buffer = NOTHING;
  /** Offset in the message of the first byte not yet consumed. */
  #offset = 0;
  #delimiters = 0;

  #block = "";
  #blockLimit = MAX_MESSAGE_HEADER_BYTES;
  /** The start of the line being read is already in the block, or was dropped as too long. */
  #insideLongLine = false;

  /** In a body: whether the next byte is the first of a line. */
  #atLineStart = true;
  readonly #open: OpenMultipart[] = [];
  readonly #levels = new Map<string, number>();
  /** How many open boundaries start with each byte: most lines of dashes are told apart by that. */
  #firstBytes: Uint16Array | null = null;

  constructor(visitor: PartVisitor) {
    this.#visitor = visitor;
  }

  /** Stops early: whatever else comes does not matter to the visitor. */
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
    if (this.#state === "head") this.#openPart();
    if (this.#state === "leaf") this.#visitor.close(this.#offset, false);
    this.#closeLevels(0, this.#offset, false);
    this.#state = "done";
  }

  /** Also true when a visitor has just stopped the walk, which the compiler cannot know. */
  get #isDone(): boolean {
    return this.#state === "done";
  }

  #consume(data: Buffer, last: boolean): number {
    const base = this.#offset;
    let at = 0;
    while (at < data.length && this.#state !== "done") {
      const next = this.#state === "head" ? this.#readHead(data, at, last) : this.#readBody(data, at, last);
      this.#offset = base + next;
      if (next === at) break;
      at = next;
    }
    if (this.#state !== "done") return at;
    this.#offset = base + data.length;
    return data.length;
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
      if (!this.#insideLongLine) {
        if (lf === at || (lf === at + 1 && data[at] === CR)) {
          this.#keepHead(data, from, at);
          this.#offset += end - from;
          this.#openPart();
          return end;
        }
        const delimiter = data[at] === DASH ? this.#matchDelimiter(data, at, end) : null;
        if (delimiter) {
          this.#keepHead(data, from, at);
          this.#offset += at - from;
          if (this.#block !== "") this.#openPart();
          if (!this.#isDone) this.#delimit(delimiter, this.#offset);
          return end;
        }
      }
      this.#insideLongLine = false;
      at = end;
    }
    this.#keepHead(data, from, at);
    return at;
  }

  #keepHead(data: Buffer, from: number, to: number): void {
    const room = this.#blockLimit - this.#block.length;
    if (to - from > room) this.#visitor.exceeded("headers_too_big");
    if (to > from && room > 0) this.#block += data.toString("latin1", from, Math.min(to, from + room));
  }

  #openPart(): void {
    const block = this.#block;
    this.#block = "";
    this.#insideLongLine = false;
    const canDescend = this.#open.length < MAX_DEPTH;
    const boundary = this.#visitor.open(block, this.#offset, canDescend);
    if (this.#isDone) return;
    this.#atLineStart = true;
    this.#state = boundary === null ? "leaf" : "between";
    if (boundary === null) return;
    const shadowed = this.#levels.get(boundary);
    this.#levels.set(boundary, this.#open.length);
    this.#open.push({ boundary, shadowed, hasParts: false });
    this.#countFirstByte(boundary, 1);
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
      const found = isCandidate ? search - 1 : data.indexOf(LINE_OF_DASHES, search);
      isLineStart = false;
      if (found < 0 && !isCandidate) break;
      const line = found + 1;
      const lf = data.indexOf(LF, line);
      if (lf < 0 && !last && data.length - line <= MAX_DELIMITER_BYTES) {
        this.#atLineStart = isCandidate;
        return this.#pass(data, from, isCandidate ? line : beforeLineEnd(data, line, from));
      }
      const end = lf < 0 ? data.length : lf + 1;
      const delimiter = this.#matchDelimiter(data, line, end);
      if (delimiter && !this.#isStrayClose(delimiter)) {
        const bodyEnd = this.#pass(data, from, isCandidate ? line : beforeLineEnd(data, line, from));
        this.#delimit(delimiter, this.#offset + (bodyEnd - from));
        return end;
      }
      if (lf < 0) break;
      search = lf;
    }
    return this.#pass(data, from, last ? data.length : undecidedFrom(data, from));
  }

  /** Hands content of a leaf to the visitor; answers where it ends. */
  #pass(data: Buffer, from: number, to: number): number {
    if (to > from && this.#state === "leaf") this.#visitor.content?.(data.subarray(from, to));
    return to;
  }

  #matchDelimiter(data: Buffer, line: number, end: number): Delimiter | null {
    if (this.#open.length === 0 || data[line + 1] !== DASH || end - line > MAX_DELIMITER_BYTES) return null;
    if (this.#firstBytes?.[data[line + 2] ?? 0] === 0) return null;
    const text = data.toString("latin1", line + 2, end).trimEnd();
    const level = this.#levels.get(text);
    if (level !== undefined) return { level, isClosing: false };
    if (!text.endsWith("--")) return null;
    const closed = this.#levels.get(text.slice(0, -2).trimEnd());
    return closed === undefined ? null : { level: closed, isClosing: true };
  }

  #countFirstByte(boundary: string, change: 1 | -1): void {
    const byte = boundary.charCodeAt(0);
    this.#firstBytes ??= new Uint16Array(256);
    this.#firstBytes[byte] = (this.#firstBytes[byte] ?? 0) + change;
  }

  /** A closing delimiter before the first part closes nothing. */
  #isStrayClose({ level, isClosing }: Delimiter): boolean {
    return isClosing && this.#open[level]?.hasParts === false;
  }

  #delimit({ level, isClosing }: Delimiter, bodyEnd: number): void {
    if (this.#state === "leaf") this.#visitor.close(bodyEnd, true);
    this.#atLineStart = true;
    this.#closeLevels(level + 1, bodyEnd, false);
    if (isClosing) {
      this.#closeLevels(level, bodyEnd, true);
      this.#state = "between";
      return;
    }
    const parent = this.#open[level];
    if (parent) parent.hasParts = true;
    this.#delimiters++;
    if (this.#delimiters >= MAX_PARTS) {
      this.#visitor.exceeded("too_many_parts");
      this.#closeLevels(0, bodyEnd, false);
      this.stop();
      return;
    }
    this.#state = "head";
    this.#blockLimit = MAX_PART_HEADER_BYTES;
  }

  #closeLevels(level: number, bodyEnd: number, delimited: boolean): void {
    while (this.#open.length > level) {
      const multipart = this.#open.pop();
      if (!multipart) return;
      this.#countFirstByte(multipart.boundary, -1);
      if (multipart.shadowed === undefined) this.#levels.delete(multipart.boundary);
      else this.#levels.set(multipart.boundary, multipart.shadowed);
      this.#visitor.close(bodyEnd, delimited);
    }
  }
}

/** The line end before a delimiter belongs to the delimiter, not to the body. */
function beforeLineEnd(data: Buffer, line: number, floor: number): number {
  let end = line;
  if (end > floor && data[end - 1] === LF) end--;
  if (end > floor && end < line && data[end - 1] === CR) end--;
  return end;
}

/** Where a tail begins that may turn out to be a line end before a delimiter. */
function undecidedFrom(data: Buffer, floor: number): number {
  let at = data.length;
  if (at - 1 > floor && data[at - 1] === DASH && data[at - 2] === LF) at--;
  return beforeLineEnd(data, at, floor) === at && data[at - 1] === CR && at > floor
    ? at - 1
    : beforeLineEnd(data, at, floor);
}
