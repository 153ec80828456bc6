// Where the data of a base64 body ends. Padding is its end (RFC 2045 section 6.8), and what a mailing list appends
// behind it in plain text no part of it. But some senders write one encoding behind another: lines of whole groups,
// without a space between them, go on being data.

type Octet = "alphabet" | "padding" | "space" | "line-end" | "other";

const KIND = Array.from({ length: 256 }, (_, code): Octet => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z\d+/]/.test(char)) return "alphabet";
  if (char === "=") return "padding";
  if (char === "\n") return "line-end";
  return /[\t\r ]/.test(char) ? "space" : "other";
});
const PADDING = 0x3d;
const GROUP_CHARS = 4;
/** Enough of a line to tell what it is; whole groups of it. */
const MAX_LINE_CHARS = 1000;
/** Of a chunk in which no line has come to its end. */
const NOWHERE = -1;

/** Keeps no more than a line between chunks. */
export class Base64Extent {
  /** Behind padding each line is looked at before it counts. */
  #state: "data" | "line" | "over" = "data";
  #lineChars = 0;
  #isSpaced = false;
  #endsInPadding = false;
  /** The beginning of the line, which came with earlier chunks. */
  #held: Uint8Array[] = [];

  /** What is known to be data, now that this chunk has come. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (this.#state === "data" && !chunk.includes(PADDING)) return [chunk];
    const end = this.#dataEnd(chunk);
    const data = end === NOWHERE ? [] : [...this.#held, chunk.subarray(0, end)];
    if (end !== NOWHERE || this.#state === "over") this.#held = [];
    if (this.#state === "line") this.#held.push(chunk.slice(Math.max(0, end)));
    return data;
  }

  finish(): readonly Uint8Array[] {
    return this.#isWhole() ? this.#held : [];
  }

  #dataEnd(chunk: Uint8Array): number {
    let end = NOWHERE;
    for (let at = 0; at < chunk.length && this.#state !== "over"; ) {
      if (this.#state === "data") {
        const padding = chunk.indexOf(PADDING, at);
        if (padding < 0) return chunk.length;
        this.#state = "line";
        end = at = padding + 1;
      } else if (this.#endsLine(chunk[at++] as number)) end = at;
    }
    return end;
  }

  /** Whether all up to here is data. */
  #endsLine(octet: number): boolean {
    const kind = KIND[octet] as Octet;
    const isBlank = this.#lineChars === 0;
    if (kind === "line-end") return isBlank || this.#endLine();
    if (isBlank && (kind === "padding" || kind === "space")) return true;
    if (kind === "space") {
      this.#isSpaced = true;
      return false;
    }
    if (kind === "other" || this.#isSpaced) {
      this.#state = "over";
      return false;
    }
    this.#lineChars++;
    this.#endsInPadding = kind === "padding";
    return this.#lineChars === MAX_LINE_CHARS && this.#endLine();
  }

  #endLine(): boolean {
    const isWhole = this.#isWhole();
    if (!isWhole) this.#state = "over";
    else if (!this.#endsInPadding) this.#state = "data";
    this.#lineChars = 0;
    this.#isSpaced = false;
    return isWhole;
  }

  #isWhole(): boolean {
    return this.#lineChars % GROUP_CHARS === 0;
  }
}
