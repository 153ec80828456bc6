// Character references of HTML: all numeric ones, and the named ones that mail uses.
import { namedCharacter } from "./entity-names.ts";

/** Numeric references to C1 controls mean windows-1252, as browsers read them. */
const C1 = new TextDecoder("windows-1252");

function fromCodePoint(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return C1.decode(new Uint8Array([code]));
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  return String.fromCodePoint(code);
}

const HASH = 0x23;
const SEMICOLON = 0x3b;
const MIN_NAME_CHARS = 2;
/** Of a name, or digits: zeros before a number are of no account, and one that is too large is no character. */
const MAX_CHARS = 32;

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
  const max = from + MAX_CHARS;
  let end = from;
  while (end < max && accepts(text.charCodeAt(end))) end++;
  return end === from ? -1 : end;
}

function endOfName(text: string, from: number): number {
  if (!isLetter(text.charCodeAt(from))) return -1;
  const max = from + MAX_CHARS;
  let end = from + 1;
  for (; end < max; end++) {
    const code = text.charCodeAt(end);
    if (!isLetter(code) && !isDigit(code)) break;
  }
  return end - from < MIN_NAME_CHARS ? -1 : end;
}

function meaningOf(text: string, at: number, end: number, isClosed: boolean): string | undefined {
  if (text.charCodeAt(at + 1) !== HASH) return namedCharacter(text.slice(at + 1, end), isClosed);
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
    const meaning = meaningOf(text, at, end, isClosed);
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
