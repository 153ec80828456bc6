// Decodes header octets. Encoded words (RFC 2047) name their charset; for raw 8-bit text it is guessed. Adjacent words
// are joined before decoding, because a character may be split over two words.
import { isAscii } from "../../lib/runtime.ts";
import { decodeCharset, decodeUnlabelled, knownEncoding } from "../decode/charset.ts";
import { decodeBase64 } from "../decode/transfer.ts";

const CONTENT = /[^\t-\r ](?:.*[^\t-\r ])?/s;

/** trim() would also remove 0xA0, the last octet of "à" in UTF-8. */
export const trimOctets = (octets: string): string =>
  octets.includes("\xa0") ? (CONTENT.exec(octets)?.[0] ?? "") : octets.trim();

/** A question mark in the text that neither starts nor ends an encoded word. */
const QUESTION_MARK = "(?<!=)\\?(?!=(?!20|[89A-F][0-9A-F]))";
/** Some senders do not encode question marks, others write a space before or after the charset. */
export const ENCODED_WORD = `=\\? ?([\\w\\-*]+) ?\\?([QqBb])\\?([^?]*(?:${QUESTION_MARK}[^?]*){0,50})\\?=`;
export const ENCODED_WORDS = new RegExp(ENCODED_WORD, "g");

interface Run {
  readonly charset: string;
  readonly encoding: "Q" | "B";
  readonly payload: string[];
}

/** RFC 2231 section 5 allows a language after the charset: `=?utf-8*en?Q?…?=`. */
const charsetOf = (label: string) => (label.includes("*") ? label.slice(0, label.indexOf("*")) : label);

const sameCharset = (left: string, right: string) =>
  left.toLowerCase() === right.toLowerCase() ||
  (knownEncoding(left) !== null && knownEncoding(left) === knownEncoding(right));

const decodeQ = (payload: string): Uint8Array =>
  Buffer.from(
    payload
      // A space after "=" comes from a line folded in the wrong place.
      .replace(/=\s+(?=[0-9A-Fa-f])/g, "=")
      .replace(/[_\t-\r]/g, " ")
      .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );

const UNREADABLE = "\ufffd";

/**
 * Some senders cut one base64 text into several words, others encode each word without padding. The
 * lengths tell which is likely. If that result has unreadable characters, the other way is tried.
 */
function decodeB(payload: readonly string[], charset: string): string {
  const decode = (base64: string) => decodeCharset(decodeBase64(base64), charset);
  const one = payload.join("");
  if (payload.every((word) => word.length % 4 === 0)) return decode(one);
  const each = payload.join("=");
  const isOne = one.length % 4 === 0 || payload.some((word) => word.length % 4 === 1);
  const likely = decode(isOne ? one : each);
  if (!likely.includes(UNREADABLE)) return likely;
  const other = decode(isOne ? each : one);
  return other.includes(UNREADABLE) ? likely : other;
}

const decodeRun = ({ charset, encoding, payload }: Run) =>
  encoding === "Q" ? decodeCharset(decodeQ(payload.join("")), charset) : decodeB(payload, charset);

const isBlank = (text: string) => /^\s*$/.test(text);

/** Decodes a byte string, but not the encoded words in it. */
export const decodeOctets = (octets: string): string =>
  isAscii(octets) ? octets : decodeUnlabelled(Buffer.from(octets, "latin1"));

/** A character takes at most this many, even if it is alone in an encoded word of ISO-2022-JP. */
const MAX_OCTETS_PER_CHAR = 64;

/** Takes a byte string. Encoded words beyond `maxChars` are not decoded; the result may be longer. */
export function decodeHeaderText(octets: string, maxChars = Number.POSITIVE_INFINITY): string {
  if (!octets.includes("=?")) return decodeOctets(octets);
  let text = "";
  let run: Run | null = null;
  let start = 0;
  let end = 0;
  for (const match of octets.matchAll(ENCODED_WORDS)) {
    if (text.length > maxChars) return text;
    const [word, label = "", letter = "", payload = ""] = match;
    const between = octets.slice(end, match.index);
    end = match.index + word.length;
    const charset = charsetOf(label);
    const encoding = letter.toUpperCase() === "Q" ? "Q" : "B";
    const adjacent: boolean = run !== null && isBlank(between);
    if (run && adjacent && run.encoding === encoding && sameCharset(run.charset, charset)) {
      run.payload.push(payload);
      // The words of a run are decoded together at its end, so here the limit counts octets.
      if (end - start > MAX_OCTETS_PER_CHAR * maxChars) return text + decodeRun(run);
      continue;
    }
    if (run) text += decodeRun(run);
    if (!adjacent) text += decodeOctets(between);
    run = { charset, encoding, payload: [payload] };
    start = match.index;
  }
  if (run) text += decodeRun(run);
  return text + decodeOctets(octets.slice(end));
}

const STRICT_WORD =
  /^=\?[\w*-]+\?(?:q\?(?:[^\s=?]|=[0-9a-f]{2})*|b\?(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}[a-z0-9+/=]=)?)\?=$/i;

/** The first encoded word that is invalid (RFC 2047), of an unknown charset or not decodable; null if there is none. */
export function findBrokenWord(octets: string): string | null {
  for (const [word, label = "", letter = "", payload = ""] of octets.matchAll(ENCODED_WORDS)) {
    const charset = charsetOf(label);
    const encoding = letter.toUpperCase() === "Q" ? "Q" : "B";
    const isReadable = () => !decodeRun({ charset, encoding, payload: [payload] }).includes(UNREADABLE);
    if (!STRICT_WORD.test(word) || knownEncoding(charset) === null || !isReadable()) return word;
  }
  return null;
}
