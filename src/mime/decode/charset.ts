// Decodes bytes with TextDecoder, and with iconv-lite for charsets that TextDecoder does not know. If the charset is
// unknown, bytes that look like ISO-2022-JP, UTF-16 or UTF-8 are decoded as such, others as windows-1252.
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";

const UTF_7 = "utf-7";

/** How mails spell the name of a charset, and the encoding that they mean. */
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
  [/^(?:unicode-1-1-|cs)?utf-?7$/, "utf-7"],
  [/^(?:cs)?iso-?2022-?kr$/, "iso-2022-kr"],
  [/^hz(?:-?gb(?:-?2312)?)?$/, "hz-gb-2312"],
];

type Label = ConstructorParameters<typeof TextDecoder>[0];
type Decode = (bytes: Uint8Array) => string;

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Sets the high bits of 7-bit text. TextDecoder needs them to read characters of two octets. */
const withHighBits = (text: string) =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) | 0x80));

/** Charsets that TextDecoder lacks. They switch between ASCII and characters of two octets. */
const SHIFTED: Readonly<Record<string, Decode>> = {
  // RFC 1557
  "iso-2022-kr": (bytes) => {
    const octets = asBuffer(bytes).toString("latin1").replaceAll("\x1b$)C", "");
    const shifted = octets.replace(/\x0e([^\x0f\n]*)\x0f?/g, (_, text: string) => withHighBits(text));
    return decoderFor("euc-kr")(Buffer.from(shifted.replaceAll("\x0f", ""), "latin1"));
  },
  // RFC 1843: a tilde at the end of a line joins it with the next.
  "hz-gb-2312": (bytes) => {
    const octets = asBuffer(bytes).toString("latin1");
    const shifted = octets.replace(
      /~(?:\{((?:[!-}][!-~]|[ \t\r])*)(?:~\})?|~|\r?\n)/g,
      (whole, text?: string) => (text === undefined ? whole.slice(1).trim() : withHighBits(text)),
    );
    return decoderFor("gbk")(Buffer.from(shifted, "latin1"));
  },
};

const decoders = new Map(Object.entries(SHIFTED));

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
  // Python writes names with underscores.
  const hyphened = spelled.replaceAll("_", "-");
  const family = FAMILIES.find(([labels]) => labels.test(hyphened))?.[1];
  if (family === UTF_7 || Object.hasOwn(SHIFTED, family ?? "")) return family ?? null;
  for (const name of new Set([written, spelled, hyphened, family ?? hyphened])) {
    try {
      return new TextDecoder(name as Label).encoding;
    } catch {
      // The next spelling may be known.
    }
  }
  const page = CODE_PAGE.exec(written)?.[1];
  return page !== undefined && iconv.encodingExists(`cp${page}`) ? `cp${page}` : null;
}

/** The name by which the decoders know a charset; null if they do not know it. */
export function knownEncoding(label: string): string | null {
  const remembered = encodings.get(label);
  if (remembered !== undefined) return remembered;
  const name = label.trim().replace(/^["']|["']$/g, "");
  const found = name === "" || name.length > MAX_LABEL_CHARS ? null : findEncoding(name);
  // Stores a copy, because a slice would keep the whole header in memory.
  if (encodings.size < MAX_REMEMBERED_LABELS && label.length <= MAX_LABEL_CHARS)
    encodings.set(Buffer.from(label).toString(), found);
  return found;
}

const ESCAPE = 0x1b;
const utf8 = new TextDecoder("utf-8");
const windows1252 = new TextDecoder("windows-1252");

const BEYOND_ASCII = /[^\x00-\x7f\ufffd]/;

/** Decodes UTF-8, even if it is damaged. Null if it is damaged and has no valid sequence beyond ASCII. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const text = utf8.decode(bytes);
  return isUtf8(bytes) || BEYOND_ASCII.test(text) ? text : null;
}

/** Removes the last character of cut UTF-8 if it is not ASCII: it may be incomplete. */
export function uncut(bytes: Uint8Array): Uint8Array {
  const isWithin = (octet: number | undefined) => octet !== undefined && (octet & 0xc0) === 0x80;
  let end = bytes.length;
  while (end > bytes.length - 3 && isWithin(bytes[end - 1])) end--;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** Removes half of a character that a cut may have left at either end. */
export const wholeChars = (text: string) => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");

/** Whether the bytes are ISO-2022-JP (RFC 1468), which old mailers send without a label. */
export function isJapanese(bytes: Uint8Array): boolean {
  if (!bytes.includes(ESCAPE) || !isAscii(bytes)) return false;
  const octets = asBuffer(bytes);
  return (octets.includes("\x1b$B") || octets.includes("\x1b$@")) && octets.includes("\x1b(");
}

const MARK = Buffer.from("\ufeff");
const hasMark = (bytes: Uint8Array) => MARK.equals(bytes.subarray(0, MARK.length));

/** Some programs write the byte order mark of UTF-8 before text in other charsets. */
const withoutMark = (bytes: Uint8Array): Uint8Array => (hasMark(bytes) ? bytes.subarray(MARK.length) : bytes);

/** The encoding that a byte order mark names. Null without a mark, or if text after a UTF-8 mark is not UTF-8. */
function markedEncoding(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return hasMark(bytes) && decodeUtf8(bytes) !== null ? "utf-8" : null;
}

export function decodeUnlabelled(bytes: Uint8Array): string {
  const octets = asBuffer(bytes);
  if (isAscii(bytes) && !octets.includes(ESCAPE)) return octets.toString("latin1");
  if (isJapanese(bytes)) return decoderFor("iso-2022-jp")(dropEmptyShifts(bytes));
  const marked = markedEncoding(bytes);
  if (marked !== null) return decoderFor(marked)(bytes);
  return decodeUtf8(bytes) ?? windows1252.decode(withoutMark(bytes));
}

/** TextDecoder reads ASCII as windows-1252, but 8-bit mail with this label is mostly UTF-8. */
const claimsAscii = (label: string) => /ascii|ansi_x3|646/i.test(label);

export const saysNothing = (label: string | null): boolean =>
  label === null || claimsAscii(label) || knownEncoding(label) === null;

/** The encoding of a label; null if the bytes must be tested for UTF-8. */
export function namedEncoding(label: string | null): string | null {
  const known = label === null || claimsAscii(label) ? null : knownEncoding(label);
  return known === "utf-8" ? null : known;
}

/** Joined ISO-2022-JP words may switch to ASCII and directly back. TextDecoder makes U+FFFD of this. */
const dropEmptyShifts = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(
    asBuffer(bytes)
      .toString("latin1")
      .replace(/\x1b\([BJ](?=\x1b[$(])/g, ""),
    "latin1",
  );

/** In UTF-16LE, CR LF of quoted-printable is read as U+0A0D, which is not a character in Unicode. */
const LINE_END_IN_UTF_16 = /\u0a0d/g;

export function decodeCharset(bytes: Uint8Array, label: string | null): string {
  const named = namedEncoding(label);
  if (named === null) return decodeUnlabelled(bytes);
  // As in browsers, a byte order mark takes precedence over a label.
  const encoding = markedEncoding(bytes) ?? named;
  const octets = withoutMark(bytes);
  const text = decoderFor(encoding)(encoding === "iso-2022-jp" ? dropEmptyShifts(octets) : octets);
  return encoding === "utf-16le" ? text.replace(LINE_END_IN_UTF_16, "\n") : text;
}
