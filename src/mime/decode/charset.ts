// Bytes to text by charset label. Built on TextDecoder, and on iconv-lite for code pages it does not know. Forgiving:
// without a known label bytes are read as UTF-8 if they are valid UTF-8, as ISO-2022-JP if they shift to it, otherwise
// as windows-1252.
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";

const UTF_7 = "utf-7";

/** Spellings seen in mail that the WHATWG registry behind TextDecoder does not know. */
const FAMILIES: readonly [label: RegExp, encoding: string][] = [
  [/^(?:cp65001$|utf-?8)/, "utf-8"],
  [/^(?:ucs-?2|utf-?16-?le)$/, "utf-16le"],
  [/^utf-?16-?be$/, "utf-16be"],
  [/^(?:sjis|shift-?jis|ms-?kanji|cp932$)/, "shift_jis"],
  [/^(?:euc-?jp|euc-jis|ujis|cp51932$)/, "euc-jp"],
  [/^(?:iso-?2022-?jp|jis|cp5022\d$)/, "iso-2022-jp"],
  [/^(?:euc-?kr|ks-?c|uhc|(?:cp|ms)949$)/, "euc-kr"],
  [/^(?:euc-?cn|eucgb2312|(?:cp|ms)936$)/, "gbk"],
  [/^(?:big5|(?:cp|ms)950$)/, "big5"],
  [/^gb/, "gb18030"],
  [/^(?:cp874|tis-?620)$/, "windows-874"],
  [/^cp866$/, "ibm866"],
  [/^koi8-?u$/, "koi8-u"],
  [/^koi8/, "koi8-r"],
  [/^latin-?9$/, "iso-8859-15"],
  [/^mac-?roman$/, "macintosh"],
  [/^(?:unicode-1-1-|cs)?utf-?7$/, UTF_7],
];

type Label = ConstructorParameters<typeof TextDecoder>[0];
type Decode = (bytes: Uint8Array) => string;

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** By the registry's names, of which there are few. */
const decoders = new Map<string, Decode>();

function createDecoder(encoding: string): Decode {
  if (encoding === UTF_7 || CODE_PAGE.test(encoding))
    return (bytes) => iconv.decode(asBuffer(bytes), encoding);
  const decoder = new TextDecoder(encoding as Label);
  return (bytes) => decoder.decode(bytes);
}

function decoderFor(encoding: string): Decode {
  const known = decoders.get(encoding) ?? createDecoder(encoding);
  decoders.set(encoding, known);
  return known;
}

const CODE_PAGE = /^(?:cp|ibm|dos)?[-_]?(?:00)?(\d{3})$/;

const encodings = new Map<string, string | null>();
const MAX_REMEMBERED_LABELS = 500;
const MAX_LABEL_CHARS = 64;

function findEncoding(label: string): string | null {
  const written = label.toLowerCase();
  const spelled = written
    .replace(/^x-(?=sjis|gbk|big5|euc)/, "")
    .replace(/^x-(?:windows|mswin)-(?=9)/, "cp")
    .replace(/^utf_?(\d)/, "utf-$1")
    .replace(/^(?:cp|win|windows|ms)[-_]?(125\d)$/, "windows-$1")
    .replace(/^latin[-_](?=\d+$)/, "latin")
    .replace(/^(?:latin|iso)[-_]?8859[-_](\d+)(?:-[ei])?$/, "iso-8859-$1");
  // Python's names for codecs have underscores, and appear in headers.
  const hyphened = spelled.replaceAll("_", "-");
  const family = FAMILIES.find(([labels]) => labels.test(hyphened))?.[1];
  if (family === UTF_7) return family;
  for (const name of new Set([written, spelled, hyphened, family ?? hyphened])) {
    try {
      return new TextDecoder(name as Label).encoding;
    } catch {
      // not a label of the registry; the next spelling may be
    }
  }
  const page = CODE_PAGE.exec(written)?.[1];
  return page !== undefined && iconv.encodingExists(`cp${page}`) ? `cp${page}` : null;
}

/** The registered name of a charset, or null if it is unknown. */
export function knownEncoding(label: string): string | null {
  const remembered = encodings.get(label);
  if (remembered !== undefined) return remembered;
  const name = label.trim().replace(/^["']|["']$/g, "");
  const found = name === "" || name.length > MAX_LABEL_CHARS ? null : findEncoding(name);
  // A copy, for a slice would keep all of its header in memory.
  if (encodings.size < MAX_REMEMBERED_LABELS && label.length <= MAX_LABEL_CHARS)
    encodings.set(Buffer.from(label).toString(), found);
  return found;
}

const ESCAPE = 0x1b;
const utf8 = new TextDecoder("utf-8");
const windows1252 = new TextDecoder("windows-1252");

/** In text decoded as UTF-8: some sequence beyond ASCII was valid. */
const BEYOND_ASCII = /[^\x00-\x7f\ufffd]/;

/** Valid UTF-8, or UTF-8 with some damage; null when no sequence in it makes sense. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const text = utf8.decode(bytes);
  return isUtf8(bytes) || BEYOND_ASCII.test(text) ? text : null;
}

/** Bytes that were cut, without the last sequence of UTF-8, which may be incomplete. */
export function uncut(bytes: Uint8Array): Uint8Array {
  const isWithin = (octet: number | undefined) => octet !== undefined && (octet & 0xc0) === 0x80;
  let end = bytes.length;
  while (end > bytes.length - 3 && isWithin(bytes[end - 1])) end--;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** Whether ASCII is ISO-2022-JP (RFC 1468), which old mailers send without a label: it shifts there and back. */
export function isJapanese(bytes: Uint8Array): boolean {
  if (!bytes.includes(ESCAPE) || !isAscii(bytes)) return false;
  const octets = asBuffer(bytes);
  return (octets.includes("\x1b$B") || octets.includes("\x1b$@")) && octets.includes("\x1b(");
}

const MARK = Buffer.from("\ufeff");
const hasMark = (bytes: Uint8Array) => MARK.equals(bytes.subarray(0, MARK.length));

/** Some programs put a byte order mark before any text. */
const withoutMark = (bytes: Uint8Array): Uint8Array => (hasMark(bytes) ? bytes.subarray(MARK.length) : bytes);

/** The encoding that a byte order mark names; null without a mark, or where that of UTF-8 stands before other bytes. */
function markedEncoding(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return hasMark(bytes) && decodeUtf8(bytes) !== null ? "utf-8" : null;
}

/** UTF-8 when it looks like it, windows-1252 otherwise, and Japanese or UTF-16 when it says so. */
export function decodeUnlabelled(bytes: Uint8Array): string {
  const octets = asBuffer(bytes);
  if (isAscii(bytes) && !octets.includes(ESCAPE)) return octets.toString("latin1");
  if (isJapanese(bytes)) return decoderFor("iso-2022-jp")(dropEmptyShifts(bytes));
  const marked = markedEncoding(bytes);
  if (marked !== null) return decoderFor(marked)(bytes);
  return decodeUtf8(bytes) ?? windows1252.decode(withoutMark(bytes));
}

/** The registry takes ASCII for windows-1252, but 8-bit mail under that label is mostly UTF-8. */
const claimsAscii = (label: string) => /ascii|ansi_x3|646/i.test(label);

/** Whether a label is of no help: there is none, nobody knows it, or it claims ASCII. */
export const saysNothing = (label: string | null): boolean =>
  label === null || claimsAscii(label) || knownEncoding(label) === null;

/** The encoding that a label names; null when the bytes must tell whether it is UTF-8. */
export function namedEncoding(label: string | null): string | null {
  const known = label === null || claimsAscii(label) ? null : knownEncoding(label);
  return known === "utf-8" ? null : known;
}

/** Joined words shift to ASCII and back with nothing in between; the decoder takes that for an attack. */
const dropEmptyShifts = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(
    asBuffer(bytes)
      .toString("latin1")
      .replace(/\x1b\([BJ](?=\x1b[$(])/g, ""),
    "latin1",
  );

/** A line end of quoted-printable text that was read as one character; no real character has this number. */
const LINE_END_IN_UTF_16 = /\u0a0d/g;

export function decodeCharset(bytes: Uint8Array, label: string | null): string {
  const named = namedEncoding(label);
  if (named === null) return decodeUnlabelled(bytes);
  // A mark counts more than a label, as in browsers: a program may put one before text that it has under another label,
  // and UTF-16 leaves the order of its octets to it (RFC 2781 section 4.3).
  const encoding = markedEncoding(bytes) ?? named;
  const octets = withoutMark(bytes);
  const text = decoderFor(encoding)(encoding === "iso-2022-jp" ? dropEmptyShifts(octets) : octets);
  return encoding === "utf-16le" ? text.replace(LINE_END_IN_UTF_16, "\n") : text;
}
