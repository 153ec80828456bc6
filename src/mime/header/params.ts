// Reads structured header values such as Content-Type (RFC 2045 section 5.1): a value and its parameters, with the
// continuations and charsets of RFC 2231.
import { decodeCharset } from "../decode/charset.ts";
import { decodeHeaderText, trimOctets } from "./text.ts";

export interface StructuredValue {
  /** Lower case, comments removed. */
  readonly value: string;
  /** Keys in lower case; the values decoded. */
  readonly params: ReadonlyMap<string, string>;
}

export const MAX_STRUCTURED_CHARS = 64 * 1024;
const MAX_PARAMS = 200;

/** Removes comments, which may be nested. An unclosed comment ends with the text. */
export function stripComments(text: string): string {
  if (!text.includes("(")) return text;
  let depth = 0;
  let out = "";
  for (const char of text) {
    if (char === "(") depth++;
    else if (char === ")" && depth > 0) depth--;
    else if (depth === 0) out += char;
  }
  return out;
}

/** The text before a parameter if the semicolon is missing or replaced by a comma. */
const BEFORE_PARAM = /[\s,]{0,8}(?=[\w*-]{1,40}\s?=)/y;

/**
 * Splits at each ";" outside of quoted values, and after a quoted value that another parameter
 * follows without ";". Pieces keep their quotes and escapes.
 */
function splitParams(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  let isValue = true;
  const cut = (end: number, next: number) => {
    pieces.push(text.slice(start, end));
    start = next;
    isValue = false;
  };
  for (let i = 0; i < text.length && pieces.length < MAX_PARAMS; i++) {
    const char = text[i];
    if (char === "\\" && quoted) i++;
    else if (char === '"') {
      BEFORE_PARAM.lastIndex = i + 1;
      if (quoted && BEFORE_PARAM.test(text)) cut(i + 1, BEFORE_PARAM.lastIndex);
      quoted = isValue && !quoted;
    } else if (char === "=") isValue = true;
    else if (char === ";" && !quoted) cut(i, i + 1);
  }
  pieces.push(text.slice(start));
  return pieces;
}

const QUOTED = /^"(?:[^"\\]|\\.)+"/s;
const QUOTED_WITH_COMMENT = /^("(?:[^"\\]|\\.)*")\s{0,8}\(.*\)$/s;
const TOKEN_WITH_COMMENT = /^([^\s"(]+)\s{1,8}\(.*\)$/s;

/**
 * Removes a comment after a value (RFC 2045 section 5.1): `charset=us-ascii (Plain text)`. The name of a file may have
 * parentheses, as in `report (1)`, and quotes that are not escaped.
 */
function withoutRest(key: string, text: string): string {
  if (key.includes("name")) return text.endsWith(")") ? text.replace(QUOTED_WITH_COMMENT, "$1") : text;
  return QUOTED.exec(text)?.[0] ?? text.replace(TOKEN_WITH_COMMENT, "$1");
}

/** A backslash escapes only a quote or a backslash, because some senders do not escape Windows paths. */
function unquote(text: string): string {
  if (!text.includes('"')) return text;
  return text.replace(/\\(["\\])|"/g, (_, escaped: string | undefined) => escaped ?? "");
}

interface Segment {
  readonly number: number;
  readonly encoded: boolean;
  readonly text: string;
}

const percentDecode = (text: string) =>
  text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** RFC 2231: `name*0*=utf-8'en'%e2%82%ac; name*1=" rates"`. The octets are joined before they are decoded. */
function joinSegments(segments: Segment[]): string {
  segments.sort((left, right) => left.number - right.number);
  let charset: string | null = null;
  const octets = segments.map(({ encoded, text }, index) => {
    if (!encoded) return text;
    const match = index === 0 ? /^([^']*)'[^']*'/.exec(text) : null;
    if (match) charset = match[1] || null;
    return percentDecode(match ? text.slice(match[0].length) : text);
  });
  const joined = octets.join("");
  if (charset === null && !segments.some((segment) => segment.encoded)) return decodeHeaderText(joined);
  return decodeCharset(Buffer.from(joined, "latin1"), charset);
}

/** The first semicolon is missing or replaced by another mark: `text/html charset=utf-8`. */
const NO_SEMICOLON = /^([\w.+-]{1,127}(?:\/[\w.+-]{1,127})?)[\s,:]{1,8}(?=[\w*-]{1,127}\s?=)/;
/** The semicolon after a value without quotes is missing: `charset=utf-8 format=flowed`. */
const NO_SEMICOLON_BEHIND = /((?:boundary|charset)=[^\s";,()]{1,200}),?\s{1,8}(?=[\w*-]{1,40}=)/gi;

/** A cache, because nearly all mails have one of a few values such as `text/plain; charset=utf-8`. */
const parsed = new Map<string, StructuredValue>();
const MAX_REMEMBERED = 200;
const MAX_REMEMBERED_CHARS = 100;

export function parseStructured(value: string): StructuredValue {
  const known = parsed.get(value);
  if (known !== undefined) return known;
  const isUsual = value.length <= MAX_REMEMBERED_CHARS && !/boundary|name/i.test(value);
  if (!isUsual || parsed.size >= MAX_REMEMBERED) return parse(value);
  // Stores a copy, because a slice would keep the whole header in memory.
  const copy = Buffer.from(value, "latin1").toString("latin1");
  const result = parse(copy);
  parsed.set(copy, result);
  return result;
}

function parse(value: string): StructuredValue {
  const octets = value
    .slice(0, MAX_STRUCTURED_CHARS)
    .replace(NO_SEMICOLON, "$1;")
    .replace(NO_SEMICOLON_BEHIND, "$1;");
  const [head = "", ...rest] = octets.includes(";") ? splitParams(octets) : [octets];
  const params = new Map<string, string>();
  const segments = new Map<string, Segment[]>();
  for (const piece of rest) {
    const equals = piece.indexOf("=");
    if (equals < 0) continue;
    const key = stripComments(piece.slice(0, equals)).trim().toLowerCase();
    const text = unquote(withoutRest(key, trimOctets(piece.slice(equals + 1))));
    const star = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/.exec(key);
    if (!star) {
      params.set(key, decodeHeaderText(text));
      continue;
    }
    const name = star[1] ?? key;
    const known = segments.get(name) ?? [];
    known.push({ number: Number(star[2] ?? 0), encoded: key.endsWith("*"), text });
    segments.set(name, known);
  }
  // RFC 6266 section 4.3: `filename*` takes precedence over `filename`.
  for (const [name, parts] of segments) params.set(name, joinSegments(parts));
  return { value: stripComments(head).replaceAll('"', "").trim().toLowerCase(), params };
}
