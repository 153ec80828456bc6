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
  /** In `decode`, the content found so far lies in the chunk, from `from` up to this index. */
  #end = 0;

  /**
   * Calls `emit` with the content that begins at index `from`. Removes dots by moving bytes in the
   * chunk: a message full of stuffed dots would otherwise become millions of tiny pieces. Returns
   * the index of the first byte after the message, or -1 if its end has not come yet.
   */
  decode(chunk: Buffer, from: number, emit: (bytes: Buffer) => void): number {
    this.#end = from;
    const next = this.#scan(chunk, from, emit);
    if (this.#end > from) emit(chunk.subarray(from, this.#end));
    return next;
  }

  #scan(chunk: Buffer, from: number, emit: (bytes: Buffer) => void): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at];
      switch (this.#state) {
        case "text": {
          const found = chunk.indexOf(CRLF_DOT, at);
          if (found === -1) {
            this.#state = stateAfter(chunk, at);
            this.#keep(chunk, at, chunk.length);
            return -1;
          }
          this.#keep(chunk, at, found + 2);
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
          // The CR before this byte is content after all. It may have come in the previous chunk.
          if (at === from) emit(PENDING_CR);
          else this.#keep(chunk, at - 1, at);
          this.#state = "cr";
          break;
        case "cr":
          if (byte === LF) {
            this.#keep(chunk, at, at + 1);
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

  #keep(chunk: Buffer, start: number, end: number): void {
    if (this.#end < start) chunk.copyWithin(this.#end, start, end);
    this.#end += end - start;
  }
}

function stateAfter(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return "cr";
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? "line-start" : "text";
}
