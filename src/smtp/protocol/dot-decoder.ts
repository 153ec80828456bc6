// The body of DATA (RFC 5321 section 4.5.2): removes stuffed dots and finds the exact end. Only <CRLF>.<CRLF> ends a
// message. A bare LF or CR is content; otherwise mail could be smuggled.

type State = "line-start" | "dot" | "dot-cr" | "cr" | "text";

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;
const CRLF_DOT = Buffer.from("\r\n.");
const PENDING_CR = Buffer.from("\r");

export class DotDecoder {
  #state: State = "line-start";
  readonly #content = new Content();

  /**
   * Decodes `chunk` from `from` and passes the content of the message to `emit`, at most once. Returns the index of
   * the first byte after the message, or -1 if its end has not come yet.
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
          const found = chunk.indexOf(CRLF_DOT, at);
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

function stateAfter(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return "cr";
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? "line-start" : "text";
}

/**
 * Collects the content of one chunk. A single range is passed on without a copy. Several ranges are joined in a copy:
 * a body of stuffed dots would otherwise become millions of tiny pieces.
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
    // One byte more than the chunk, for a CR held back from the previous chunk.
    this.#capacity = chunk.length - from + 1;
  }

  add(source: Buffer, start: number, end: number): void {
    if (start === end) return;
    if (this.#copy !== null) {
      this.#copied += source.copy(this.#copy, this.#copied, start, end);
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

  finish(emit: (bytes: Buffer) => void): void {
    if (this.#copy !== null) emit(this.#copy.subarray(0, this.#copied));
    else if (this.#start < this.#end) emit(this.#source.subarray(this.#start, this.#end));
    this.#copy = null;
    this.#source = PENDING_CR;
  }
}
