// The body of DATA (RFC 5321 section 4.5.2): takes stuffed dots away and finds the end, to the byte.
// Only <CRLF>.<CRLF> ends a message. A bare LF or CR is content, or mail could be smuggled.

type State = "line-start" | "dot" | "dot-cr" | "cr" | "text";

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;
const CRLF_DOT = Buffer.from("\r\n.");
const PENDING_CR = Buffer.from("\r");
/** A body of nothing but stuffed dots has millions of stretches; for one this short a call of the system costs most. */
const NEAR_BYTES = 24;

export class DotDecoder {
  #state: State = "line-start";
  readonly #content = new Content();

  /**
   * Decodes `chunk` from `from` and hands what belongs to the message to `emit`, at most once.
   * Returns where the bytes after the end of the message begin, or -1 when the end is still to come.
   */
  decode(chunk: Buffer, from: number, emit: (bytes: Buffer) => void): number {
    const content = this.#content;
    content.start(chunk, from);
    const next = this.#scan(chunk, from, content);
    content.finish(emit);
    return next;
  }

  #scan(chunk: Buffer, from: number, content: Content): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at];
      switch (this.#state) {
        case "text": {
          at = content.addStuffed(chunk, at);
          const found = findLineDot(chunk, at);
          if (found === -1) {
            content.add(chunk, at, chunk.length);
            this.#state = stateAfter(chunk, at);
            return -1;
          }
          content.add(chunk, at, found + 2);
          at = found + 3;
          this.#state = "dot";
          break;
        }
        case "line-start":
          this.#state = byte === DOT ? "dot" : "text";
          if (byte === DOT) at++;
          break;
        case "dot":
          this.#state = byte === CR ? "dot-cr" : "text";
          if (byte === CR) at++;
          break;
        case "dot-cr":
          if (byte === LF) {
            this.#state = "line-start";
            return at + 1;
          }
          content.add(PENDING_CR, 0, 1);
          this.#state = "cr";
          break;
        case "cr":
          if (byte === LF) {
            content.add(chunk, at, at + 1);
            at++;
            this.#state = "line-start";
            break;
          }
          this.#state = "text";
          break;
      }
    }
    return -1;
  }
}

/** Where the next line begins with a dot, its CRLF included, or -1. */
function findLineDot(chunk: Buffer, from: number): number {
  const near = Math.min(from + NEAR_BYTES, chunk.length - 2);
  for (let at = from; at < near; at++) {
    if (chunk[at] === CR && chunk[at + 1] === LF && chunk[at + 2] === DOT) return at;
  }
  return chunk.indexOf(CRLF_DOT, Math.max(from, near));
}

function stateAfter(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return "cr";
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? "line-start" : "text";
}

/**
 * Collects the content of one chunk. One stretch is passed on as it lies; several are joined in a copy,
 * so that a body of nothing but stuffed dots does not become millions of tiny pieces.
 */
class Content {
  #source: Buffer = PENDING_CR;
  #start = 0;
  #end = 0;
  #capacity = 0;
  #copy: Buffer | null = null;
  #copied = 0;

  start(chunk: Buffer, from: number): void {
    this.#start = 0;
    this.#end = 0;
    // One byte more than the chunk: a CR held back from the chunk before.
    this.#capacity = chunk.length - from + 1;
  }

  add(source: Buffer, start: number, end: number): void {
    if (start === end) return;
    if (this.#copy !== null) {
      this.#addTo(this.#copy, source, start, end);
      return;
    }
    if (this.#start === this.#end) {
      this.#source = source;
      this.#start = start;
      this.#end = end;
      return;
    }
    if (source === this.#source && start === this.#end) {
      this.#end = end;
      return;
    }
    this.#copy = Buffer.allocUnsafeSlow(this.#capacity);
    this.#copied = this.#source.copy(this.#copy, 0, this.#start, this.#end);
    this.add(source, start, end);
  }

  /**
   * Short lines that begin with a dot, of which there may be millions, in one go: copies them without these dots, up
   * to the end of the message or a long line. Answers where it stopped.
   */
  addStuffed(chunk: Buffer, from: number): number {
    const copy = this.#copy;
    if (copy === null) return from;
    let at = from;
    let to = this.#copied;
    for (let near = at + NEAR_BYTES; at < near && at < chunk.length - 4; ) {
      if (chunk[at] === CR && chunk[at + 1] === LF && chunk[at + 2] === DOT) {
        if (chunk[at + 3] === CR && chunk[at + 4] === LF) break;
        copy[to++] = CR;
        copy[to++] = LF;
        at += 3;
        near = at + NEAR_BYTES;
      }
      copy[to++] = chunk[at++] as number;
    }
    this.#copied = to;
    return at;
  }

  #addTo(copy: Buffer, source: Buffer, start: number, end: number): void {
    if (end - start > NEAR_BYTES) {
      this.#copied += source.copy(copy, this.#copied, start, end);
      return;
    }
    let to = this.#copied;
    for (let at = start; at < end; at++) copy[to++] = source[at] as number;
    this.#copied = to;
  }

  finish(emit: (bytes: Buffer) => void): void {
    if (this.#copy !== null) emit(this.#copy.subarray(0, this.#copied));
    else if (this.#start < this.#end) emit(this.#source.subarray(this.#start, this.#end));
    this.#copy = null;
    this.#source = PENDING_CR;
  }
}
