// Decodes transfer encodings (RFC 2045 section 6), as a whole or as a stream.
import { streamOf } from "../../lib/runtime.ts";
import { asBuffer } from "./charset.ts";

export type TransferEncoding = "base64" | "quoted-printable" | "uuencode" | "identity";

export interface TransferDecoder {
  push(chunk: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

const JUNK = /[^A-Za-z0-9+/_-]+/g;
const MORE_DATA = /^[A-Za-z0-9+/][A-Za-z0-9+/=]*$/;
/** After padding, a longer line is read in pieces of this length. */
const MAX_BASE64_LINE_CHARS = 1000;

export const decodeBase64 = (text: string): Buffer =>
  text.includes("=")
    ? Buffer.concat(text.split(/=+/).map((group) => Buffer.from(group, "base64")))
    : Buffer.from(text, "base64");

/**
 * Forgiving base64 (RFC 2045 section 6.8). Padding ends the data, because mailing lists add plain text after it. But
 * some senders write several encoded texts one after another, so lines of whole groups after padding are data, too.
 */
class Base64Decoder {
  /** padding: in the rest of a line with padding. behind: on the lines after it. over: the data has ended. */
  #state: "data" | "padding" | "behind" | "over" = "data";
  /** The characters of an incomplete group or, after padding, of an incomplete line. */
  #rest = "";

  push(chunk: Uint8Array): Uint8Array {
    return this.#decode(this.#rest + asBuffer(chunk).toString("latin1"), false);
  }

  finish(): Uint8Array {
    return this.#decode(this.#rest, true);
  }

  #decode(text: string, isLast: boolean): Uint8Array {
    const decoded: Uint8Array[] = [];
    this.#rest = "";
    let left = text;
    while (left !== "" && this.#state !== "over") {
      if (this.#state === "data") {
        const padding = left.indexOf("=");
        const data = (padding < 0 ? left : left.slice(0, padding)).replace(JUNK, "");
        const end = padding < 0 && !isLast ? data.length - (data.length % 4) : data.length;
        decoded.push(Buffer.from(data.slice(0, end), "base64"));
        if (padding >= 0) this.#state = "padding";
        else this.#rest = data.slice(end);
        left = padding < 0 ? "" : left.slice(padding);
      } else {
        const lf = left.indexOf("\n");
        const end = lf >= 0 && lf <= MAX_BASE64_LINE_CHARS ? lf + 1 : MAX_BASE64_LINE_CHARS;
        if (left.length < end && !isLast) {
          this.#rest = left;
          break;
        }
        decoded.push(this.#decodeLine(left.slice(0, end).trim()));
        left = left.slice(end);
      }
    }
    return decoded.length === 1 ? (decoded[0] as Uint8Array) : Buffer.concat(decoded);
  }

  #decodeLine(line: string): Uint8Array {
    const data = this.#state === "padding" ? line.replace(/^=+/, "") : line;
    const isMore = MORE_DATA.test(data) && data.length % 4 === 0;
    if (data !== "" && !isMore) this.#state = "over";
    else this.#state = data === "" || data.endsWith("=") ? "behind" : "data";
    return isMore ? decodeBase64(data) : new Uint8Array();
  }
}

const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];
/** At most this much white space at the end of a chunk is held back. The rest is content. */
const MAX_PADDING_CHARS = 1024;

const isWhite = (octet: number | undefined) => octet === SPACE || octet === TAB || octet === CR;

/**
 * Forgiving quoted-printable (RFC 2045 section 6.7): "=" stays if it begins neither an octet nor a soft line break.
 * White space before a line end is removed.
 */
class QuotedPrintableDecoder {
  /** The end of the last chunk, if its meaning depends on the next octets. */
  #rest: Uint8Array = new Uint8Array();

  push(chunk: Uint8Array): Uint8Array {
    const octets = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = undecidedFrom(octets);
    this.#rest = octets.slice(end);
    return decodeQuoted(octets.subarray(0, end));
  }

  finish(): Uint8Array {
    let end = this.#rest.length;
    while (isWhite(this.#rest[end - 1])) end--;
    return decodeQuoted(this.#rest[end - 1] === EQUALS ? this.#rest.subarray(0, end - 1) : this.#rest);
  }
}

function decodeQuoted(octets: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(octets.length);
  let length = 0;
  /** The white space after this place is removed if the line ends. */
  let content = 0;
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] as number;
    if (octet === LF) {
      const hasCr = length > content && decoded[length - 1] === CR;
      length = content;
      if (hasCr) decoded[length++] = CR;
    }
    if (octet !== EQUALS) {
      decoded[length++] = octet;
      if (!isWhite(octet)) content = length;
      continue;
    }
    const [high, low] = [hexDigit(octets[at + 1]), hexDigit(octets[at + 2])];
    let lineEnd = at + 1;
    while (isWhite(octets[lineEnd])) lineEnd++;
    if (octets[lineEnd] === LF) at = lineEnd;
    else if (high < 0 || low < 0) decoded[length++] = EQUALS;
    else {
      decoded[length++] = high * 16 + low;
      at += 2;
    }
    content = length;
  }
  return decoded.subarray(0, length);
}

function hexDigit(octet = 0): number {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const small = octet | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** The index where trailing white space or an incomplete "=" sequence begins. */
function undecidedFrom(octets: Uint8Array): number {
  let end = octets.length;
  while (end > octets.length - MAX_PADDING_CHARS && isWhite(octets[end - 1])) end--;
  if (octets[end - 1] === EQUALS) return end - 1;
  return end === octets.length && octets[end - 2] === EQUALS ? end - 2 : end;
}

const BEGIN = /^begin [0-7]{3,4} /;
const MAX_LINE_CHARS = 1000;

/** Lines before "begin" and after "end" are not data. */
class UuDecoder {
  #state: "before" | "data" | "over" = "before";
  #rest = "";

  push(chunk: Uint8Array): Uint8Array {
    const lines = (this.#rest + asBuffer(chunk).toString("latin1")).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, MAX_LINE_CHARS);
    return this.#decode(lines);
  }

  finish(): Uint8Array {
    return this.#decode([this.#rest]);
  }

  #decode(lines: readonly string[]): Uint8Array {
    return Buffer.concat(lines.filter((line) => this.#isData(line.trimEnd())).map(decodeUuLine));
  }

  #isData(line: string): boolean {
    if (this.#state === "data" && line === "end") this.#state = "over";
    const isData = this.#state === "data";
    if (this.#state === "before" && BEGIN.test(line)) this.#state = "data";
    return isData;
  }
}

const BASE64 = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const sixBits = (octet: number) => (octet > 0x20 ? (octet - 0x20) & 0x3f : 0);

/** The first character is the number of octets. Spaces at the end, which stand for zero, may be lost. */
function decodeUuLine(line: string): Buffer {
  const octets = sixBits(line.charCodeAt(0));
  const chars = Math.ceil(octets / 3) * 4;
  const base64 = Buffer.from(line.slice(1, 1 + chars).padEnd(chars), "latin1");
  for (let at = 0; at < chars; at++) base64[at] = BASE64[sixBits(base64[at] as number)] as number;
  return Buffer.from(base64.toString("latin1"), "base64").subarray(0, octets);
}

const DECODERS: Record<Exclude<TransferEncoding, "identity">, new () => TransferDecoder> = {
  base64: Base64Decoder,
  "quoted-printable": QuotedPrintableDecoder,
  uuencode: UuDecoder,
};

export const startDecoder = (encoding: TransferEncoding): TransferDecoder | null =>
  encoding === "identity" ? null : new DECODERS[encoding]();

/** With `isCut`, the end is left out if its meaning depends on the octets that were cut off. */
export function decodeBytes(encoding: TransferEncoding, bytes: Uint8Array, isCut: boolean): Uint8Array {
  const decoder = startDecoder(encoding);
  if (decoder === null) return bytes;
  const head = decoder.push(bytes);
  return isCut ? head : Buffer.concat([head, decoder.finish()]);
}

export function decodePart(
  encoding: TransferEncoding,
  source: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const decoder = startDecoder(encoding);
  return decoder === null ? source : streamOf(decoded(decoder, source));
}

async function* decoded(
  decoder: TransferDecoder,
  source: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) yield decoder.push(chunk);
  yield decoder.finish();
}
