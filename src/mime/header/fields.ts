// Splits a header into its fields (RFC 5322 section 2.2), in order and with duplicates. Folded lines are joined.
// Values are byte strings with one character for each octet; text.ts decodes them.
import { isUtf8 } from "node:buffer";
import { isAscii } from "../../lib/runtime.ts";
import type { MessageHeader } from "../../model/index.ts";
import { decodeCharset, decodeUnlabelled, isJapanese, namedEncoding, wholeChars } from "../decode/charset.ts";
import { PartWalker } from "../part-walker.ts";
import { decodeHeaderText, ENCODED_WORDS, trimOctets } from "./text.ts";

export const MAX_FIELDS = 10_000;

export interface RawField {
  readonly name: string;
  readonly key: string;
  readonly value: string;
}

/** Finds fields by their names, in upper or lower case. This is several times faster than reading every line. */
export const fieldFilter = (...names: string[]): RegExp =>
  new RegExp(`(?:^|\\n(?:[\\v\\f\\r][\\t\\v\\f\\r ]*)?)(${names.join("|")})([\\t-\\r ]*):`, "gi");

const ALL_FIELDS = fieldFilter("[^\\t-\\r :][^\\n:]*?");

const SPACE = 0x20;
const TAB = 0x09;

/** The first line end that is not a fold, or the block's end. Most fields have no fold, but some have a million. */
function fieldEnd(block: string, from: number): number {
  const end = block.indexOf("\n", from);
  if (end < 0) return block.length;
  const next = block.charCodeAt(end + 1);
  if (next !== SPACE && next !== TAB) return end;
  UNFOLDED_END.lastIndex = end + 1;
  return UNFOLDED_END.test(block) ? UNFOLDED_END.lastIndex - 1 : block.length;
}

const UNFOLDED_END = /\n(?![ \t])/g;

/** A line before the fields: the separator of an mbox file, or the first line of an HTTP POST request. */
const SEPARATOR = /^(?:From|POST) (?![ \t]*:)/i;

/** Trimming is not enough for a value with a fold, a lone CR or the escape sequence of Japanese text. */
const UNUSUAL = /\n[ \t]|\r(?!\n)|\x1b\$/;
const CONTENT_TYPE =
  /(?:^|\n)content-type[ \t]*:(?:[^\n]|\n[ \t]){0,500}?(?<=[;\s])charset\s*=\s*["']?([\w.:-]{1,64})/i;
/**
 * Charsets that do not help to decode text that is neither ASCII nor UTF-8: `utf-`, `iso-2022-` and
 * `hz-` cannot be right, and windows-1252 is the default.
 */
const OF_NO_USE = /^(?:utf-|iso-2022-|hz-|windows-1252$)/;

const bytesOf = (octets: string) => Buffer.from(octets, "latin1");
const isForeign = (octets: string) => !isAscii(octets) && !isUtf8(bytesOf(octets));

/**
 * Old programs write names and subjects without encoding, in the charset that Content-Type names. Null if everything is
 * UTF-8 or no usable charset is named.
 */
function headerCharset(block: string): string | null {
  if (!isForeign(block)) return null;
  const encoding = namedEncoding(CONTENT_TYPE.exec(block)?.[1] ?? null);
  return encoding === null || OF_NO_USE.test(encoding) ? null : encoding;
}

/** Converts a value to UTF-8, because in some charsets parts of characters look like quotes, commas and brackets. */
function inUtf8(value: string, charset: string | null): string {
  const isShifted = value.includes("\x1b$") && isJapanese(bytesOf(value));
  if (!isShifted && (charset === null || !isForeign(value))) return value;
  const decode = (bytes: Buffer) => (isShifted ? decodeUnlabelled(bytes) : decodeCharset(bytes, charset));
  const convert = (octets: string) =>
    isShifted || isForeign(octets) ? Buffer.from(decode(bytesOf(octets))).toString("latin1") : octets;
  // Encoded words have their own charset.
  let converted = "";
  let end = 0;
  for (const { index, 0: word } of value.matchAll(ENCODED_WORDS)) {
    converted += convert(value.slice(end, index)) + word;
    end = index + word.length;
  }
  return converted + convert(value.slice(end));
}

const unfolded = (raw: string) => raw.replace(/(?:\r\n|[\r\n])[ \t]*/g, " ");

/** Some programs write this mark before every text in UTF-8. */
const BYTE_ORDER_MARK = "\xef\xbb\xbf";

export function splitHeaderBlock(octets: string, filter = ALL_FIELDS): RawField[] {
  const unmarked = octets.startsWith(BYTE_ORDER_MARK) ? octets.slice(BYTE_ORDER_MARK.length) : octets;
  // White space before the first field is removed: there is no line that it could continue.
  const block = unmarked.replace(/^[\t-\r ]+/, "");
  const charset = headerCharset(block);
  const isUsual = charset === null && !UNUSUAL.test(block);
  const fields: RawField[] = [];
  filter.lastIndex = unmarked[4] === " " && SEPARATOR.test(unmarked) ? fieldEnd(block, 0) : 0;
  while (fields.length < MAX_FIELDS) {
    const match = filter.exec(block);
    if (match === null) break;
    const name = match[1] ?? "";
    const gap = match[2] ?? "";
    const colon = filter.lastIndex - 1;
    // If the name and the colon are on different lines, this is not a field.
    if (gap !== "" && fieldEnd(gap, 0) < gap.length) continue;
    const end = fieldEnd(block, colon);
    const raw = trimOctets(block.slice(colon + 1, end));
    fields.push({ name, key: name.toLowerCase(), value: isUsual ? raw : inUtf8(unfolded(raw), charset) });
    filter.lastIndex = end;
  }
  return fields;
}

/** The octets of the header. `isAll` is false if the header is longer than the limit. */
export function readHeaderBlock(raw: Uint8Array): { readonly block: string; readonly isAll: boolean } {
  const header = { block: "", isAll: true };
  const walker: PartWalker = new PartWalker({
    open: (block) => {
      header.block = block;
      walker.stop();
      return null;
    },
    close: () => {},
    exceeded: () => {
      header.isAll = false;
    },
  });
  walker.push(raw);
  walker.finish();
  return header;
}

export const readFields = (raw: Uint8Array): RawField[] => splitHeaderBlock(readHeaderBlock(raw).block);

export const readHeaders = (raw: Uint8Array): MessageHeader[] =>
  readFields(raw).map(({ name, value }) => ({ name, value: decodeHeaderText(value) }));

const MAX_SUBJECT_CHARS = 2000;

/** The decoded values of all fields of this name, separated by commas, cut to `maxChars`. */
export function readFieldText(fields: readonly RawField[], key: string, maxChars: number): string {
  let text = "";
  for (const field of fields) {
    if (field.key !== key || text.length > maxChars) continue;
    const value = decodeHeaderText(field.value, maxChars);
    text = text === "" ? value : `${text}, ${value}`;
  }
  return cutText(text, maxChars);
}

/** Never leaves half of a character. */
const cutText = (text: string, maxChars: number) =>
  text.length > maxChars ? wholeChars(text.slice(0, maxChars)) : text;

/** If there are several subjects, returns the last that is not empty. */
export function readSubject(fields: readonly RawField[]): string {
  const field = fields.findLast(({ key, value }) => key === "subject" && value !== "");
  return field ? cutText(decodeHeaderText(field.value, MAX_SUBJECT_CHARS), MAX_SUBJECT_CHARS) : "";
}
