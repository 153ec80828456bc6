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
/** A longer line is read in pieces of this length. */
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
  /** padding: in the line with the first padding. behind: in the lines after that line. */
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

const PADDING = /(?<![ \t\r])[ \t\r]+(?=\n)/g;
const ENCODED = /=(?:([0-9A-Fa-f]{2})|[ \t\r]*\n)/g;
/** More white space than this is content. */
const MAX_PADDING_CHARS = 1024;

/**
 * Forgiving quoted-printable (RFC 2045 section 6.7): "=" stays if it begins neither an octet nor a soft line break.
 * White space before a line end is removed.
 */
class QuotedPrintableDecoder {
  /** The end of the last chunk, if its meaning depends on the next octets. */
  #rest = "";

  push(chunk: Uint8Array): Uint8Array {
    const text = this.#rest + asBuffer(chunk).toString("latin1");
    const end = undecidedFrom(text);
    this.#rest = text.slice(end);
    return decodeQuoted(text.slice(0, end));
  }

  finish(): Uint8Array {
    return decodeQuoted(this.#rest.replace(/=[ \t\r]*$/, ""));
  }
}

const decodeQuoted = (text: string): Uint8Array =>
  Buffer.from(
    text
      .replace(PADDING, (padding) => (padding.endsWith("\r") ? "\r" : ""))
      .replace(ENCODED, (_, hex?: string) =>
        hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    "latin1",
  );

/** The index where trailing white space or an incomplete "=" sequence begins. */
function undecidedFrom(text: string): number {
  let end = text.length;
  while (end > text.length - MAX_PADDING_CHARS && /[ \t\r]/.test(text[end - 1] ?? "")) end--;
  if (text[end - 1] === "=") return end - 1;
  return end === text.length && text[end - 2] === "=" ? end - 2 : end;
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

/** With `isCut`, an incomplete octet at the end is left out. */
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
