// Character references of HTML: all numeric ones, and the named ones that mail uses.

/** Name and character by turns. */
const PAIRS = (
  "amp & lt < gt > quot \" apos ' nbsp \u00a0 iexcl ¡ cent ¢ pound £ curren ¤ yen ¥ brvbar ¦ sect § uml ¨ copy © " +
  "ordf ª laquo « not ¬ shy \u00ad reg ® macr ¯ deg ° plusmn ± sup2 ² sup3 ³ acute ´ micro µ para ¶ middot · " +
  "cedil ¸ sup1 ¹ ordm º raquo » frac14 ¼ frac12 ½ frac34 ¾ iquest ¿ Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä " +
  "Aring Å AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì Iacute Í Icirc Î Iuml Ï ETH Ð Ntilde Ñ " +
  "Ograve Ò Oacute Ó Ocirc Ô Otilde Õ Ouml Ö times × Oslash Ø Ugrave Ù Uacute Ú Ucirc Û Uuml Ü Yacute Ý THORN Þ " +
  "szlig ß agrave à aacute á acirc â atilde ã auml ä aring å aelig æ ccedil ç egrave è eacute é ecirc ê euml ë " +
  "igrave ì iacute í icirc î iuml ï eth ð ntilde ñ ograve ò oacute ó ocirc ô otilde õ ouml ö divide ÷ oslash ø " +
  "ugrave ù uacute ú ucirc û uuml ü yacute ý thorn þ yuml ÿ OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ " +
  "circ ˆ tilde ˜ ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200c zwj \u200d lrm \u200e rlm \u200f ndash – " +
  "mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ " +
  "Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ minus − " +
  "infin ∞ asymp ≈ ne ≠ le ≤ ge ≥ check ✓ star ☆ phone ☎ hearts ♥ spades ♠ clubs ♣ diams ♦ loz ◊ " +
  "num # colon : comma , period . excl ! quest ? lpar ( rpar ) lsqb [ rsqb ] commat @ dollar $ percnt % sol / " +
  "bsol \\ equals = plus + ast * lowbar _ hyphen ‐ dash ‐ semi ; Tab \t NewLine \n zwsp \u200b"
).split(" ");

const NAMED = new Map<string, string>();
for (let i = 0; i + 1 < PAIRS.length; i += 2) NAMED.set(PAIRS[i] as string, PAIRS[i + 1] as string);

/** Numeric references to C1 controls mean windows-1252, as browsers read them. */
const C1 = new TextDecoder("windows-1252");

function fromCodePoint(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return C1.decode(new Uint8Array([code]));
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  return String.fromCodePoint(code);
}

const HASH = 0x23;
const SEMICOLON = 0x3b;
const MAX_DECIMAL_DIGITS = 8;
const MAX_HEX_DIGITS = 7;
const MIN_NAME_CHARS = 2;
const MAX_NAME_CHARS = 32;

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
const isHexDigit = (code: number) => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
const isHexMark = (code: number) => (code | 0x20) === 0x78;

/** Where the digits or the name after "&" end; -1 when no reference begins there. */
function endOfReference(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== HASH) return endOfName(text, at + 1);
  const isHex = isHexMark(text.charCodeAt(at + 2));
  const from = isHex ? at + 3 : at + 2;
  const accepts = isHex ? isHexDigit : isDigit;
  const max = from + (isHex ? MAX_HEX_DIGITS : MAX_DECIMAL_DIGITS);
  let end = from;
  while (end < max && accepts(text.charCodeAt(end))) end++;
  return end === from ? -1 : end;
}

function endOfName(text: string, from: number): number {
  if (!isLetter(text.charCodeAt(from))) return -1;
  const max = from + MAX_NAME_CHARS;
  let end = from + 1;
  for (; end < max; end++) {
    const code = text.charCodeAt(end);
    if (!isLetter(code) && !isDigit(code)) break;
  }
  return end - from < MIN_NAME_CHARS ? -1 : end;
}

function meaningOf(text: string, at: number, end: number): string | undefined {
  if (text.charCodeAt(at + 1) !== HASH) return NAMED.get(text.slice(at + 1, end));
  const isHex = isHexMark(text.charCodeAt(at + 2));
  return fromCodePoint(Number.parseInt(text.slice(isHex ? at + 3 : at + 2, end), isHex ? 16 : 10));
}

/** In an attribute a name needs its semicolon: `?a=1&copy=2` is no copyright sign. */
export function decodeEntities(text: string, place: "text" | "attribute" = "text"): string {
  let at = text.indexOf("&");
  if (at < 0) return text;
  let decoded = "";
  let done = 0;
  for (; at >= 0; at = text.indexOf("&", Math.max(done, at + 1))) {
    const end = endOfReference(text, at);
    if (end < 0) continue;
    const isClosed = text.charCodeAt(end) === SEMICOLON;
    if (!isClosed && place === "attribute" && text.charCodeAt(at + 1) !== HASH) continue;
    const meaning = meaningOf(text, at, end);
    if (meaning === undefined) continue;
    decoded += text.slice(done, at) + meaning;
    done = isClosed ? end + 1 : end;
  }
  return decoded + text.slice(done);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
