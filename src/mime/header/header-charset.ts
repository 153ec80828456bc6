// Header octets beyond ASCII that are no UTF-8: old programs write names and subjects as they are. Japanese tells so
// itself; other charsets are those that the Content-Type beside them names for the body.
import { isUtf8 } from "node:buffer";
import { decodeCharset, decodeUnlabelled, isJapanese, namedEncoding } from "../charset.ts";

const HAS_8_BIT = /[\x80-\xff]/;
const CONTENT_TYPE =
  /(?:^|\n)content-type[ \t]*:(?:[^\n]|\n[ \t]){0,500}?(?<=[;\s])charset\s*=\s*["']?([\w.:-]{1,64})/i;
/** In these not even ASCII is written as such; windows-1252 is what is read without a label. */
const OF_NO_USE = /^(?:utf-|iso-2022-|hz-|windows-1252$)/;

/** One character an octet. */
const octetsOf = (text: string) => Buffer.from(text, "latin1");
const asOctets = (text: string) => Buffer.from(text).toString("latin1");
const isForeign = (octets: string) => HAS_8_BIT.test(octets) && !isUtf8(octetsOf(octets));

/** The charset of what is no UTF-8 in a header block; null where nothing is, or none is named. */
export function headerCharset(block: string): string | null {
  if (!isForeign(block)) return null;
  const encoding = namedEncoding(CONTENT_TYPE.exec(block)?.[1] ?? null);
  return encoding === null || OF_NO_USE.test(encoding) ? null : encoding;
}

/** A value in the octets of UTF-8: those of some charsets look like quotes, commas and brackets. */
export function inUtf8(value: string, charset: string | null): string {
  if (charset !== null && isForeign(value)) return asOctets(decodeCharset(octetsOf(value), charset));
  if (!value.includes("\x1b$") || !isJapanese(octetsOf(value))) return value;
  return asOctets(decodeUnlabelled(octetsOf(value)));
}
