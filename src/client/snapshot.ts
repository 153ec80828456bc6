// A mail as a text that stays the same when it is sent again: important header fields, text, HTML
// and attachments, with masks for parts that differ each time. Tests compare it, people read it.
import type { Attachment, MessageCode, MessageHeader } from "./types.ts";

export interface SnapshotOptions {
  /** Patterns of further text that differs each time. A match becomes `<masked>`. */
  readonly mask?: readonly RegExp[];
}

export interface SnapshotSource {
  readonly headers: readonly Pick<MessageHeader, "name" | "value">[];
  readonly text: string;
  readonly html: string;
  readonly codes: readonly Pick<MessageCode, "code">[];
  readonly attachments: readonly Pick<Attachment, "filename" | "content_type" | "size" | "sha256">[];
}

/** Header fields in a snapshot. Fields that differ in every mail are left out, such as Date. */
const FIELDS = [
  "From",
  "Sender",
  "Reply-To",
  "To",
  "Cc",
  "Subject",
  "List-Id",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "Auto-Submitted",
  "Precedence",
  "Importance",
  "X-Priority",
];

const DIGEST_CHARS = 12;

export function snapshotOf(source: SnapshotSource, { mask = [] }: SnapshotOptions = {}): string {
  if (!Array.isArray(mask) || !mask.every((pattern) => typeof Object(pattern).source === "string"))
    throw new TypeError("mask must be an array of regular expressions, such as [/Order \\d+/]");
  const { headers, text, html, codes, attachments } = source;
  const fields = FIELDS.flatMap((name) => {
    const found = headers.filter((field) => field.name.toLowerCase() === name.toLowerCase());
    const values = found.length === 0 && name === "Subject" ? [""] : found.map(({ value }) => value);
    return values.map((value) => `${name}: ${value.replace(/\s+/g, " ").trim()}`);
  });
  const files = attachments.map(
    ({ filename, content_type, size, sha256 = "" }) =>
      `${filename}, ${content_type}, ${size} bytes, content ${inLetters(sha256)}`,
  );
  const sections = [
    fields.join("\n"),
    text.trim() && `--- text ---\n${normalizedText(text)}`,
    html.trim() && `--- html ---\n${normalizedHtml(html)}`,
    files.length > 0 && `--- attachments ---\n${files.join("\n")}`,
  ].filter(Boolean);
  const written = `${sections.join("\n\n")}\n`;
  return maskTokens(maskCodes(maskGiven(written, mask), codes));
}

/** The start of a digest, in letters, so that no mask for numbers, codes or tokens matches it. */
const inLetters = (hex: string) =>
  hex
    .slice(0, DIGEST_CHARS)
    .replace(/\d/g, (digit) => String.fromCharCode("g".charCodeAt(0) + Number(digit)));

/** The FNV-1a hash. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return inLetters((hash >>> 0).toString(16));
}

const normalizedText = (text: string) =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const HTML_TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<style\b[\s\S]*?<\/style\s*>|<[/!]?[a-z](?:"[^"]*"|'[^']*'|[^'">])*>|[^<]+|</gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
/** These tags get a line of their own, so that a diff shows short lines. */
const BLOCK =
  /^<\/?(?:!doctype|html|head|body|meta|title|link|style|table|tbody|thead|tfoot|tr|td|th|div|p|h[1-6]|ul|ol|li|center|section|header|footer|article|main|blockquote|pre|hr|br|img)\b/i;

/** Sorts attributes. Removes spaces without meaning, and all comments except those for Outlook. Keeps `pre` as it is. */
function normalizedHtml(html: string): string {
  const short = html.replace(
    /(data:[\w/+.-]+;base64,)([\w+/=]+)/g,
    (_, start, data) => `${start}(${data.length} characters, ${checksum(data)})`,
  );
  const pieces = short.split(/(<pre(?=[\s>])[\s\S]*?<\/pre\s*>)/i);
  return pieces
    .map((piece, at) => (at % 2 === 1 ? piece.replace(/\r\n?/g, "\n") : normalizedFlow(piece)))
    .filter((piece) => piece !== "")
    .join("\n");
}

function normalizedFlow(html: string): string {
  const written = Array.from(html.matchAll(HTML_TOKEN), ([token]) => {
    if (/^<style\b/i.test(token)) return `\n${token.replace(/\s+/g, " ").replace(/[{};>] ?/g, "$&\n")}\n`;
    if (token.startsWith("<!--")) return /^<!--\[/.test(token) ? `\n${token}\n` : "";
    if (!/^<[/!]?[a-z]/i.test(token)) return token.replace(/\s+/g, " ");
    const tag = normalizedTag(token);
    return BLOCK.test(tag) ? `\n${tag}\n` : tag;
  });
  const lines = written.join("").split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

function normalizedTag(tag: string): string {
  const [, start = "", rest = ""] = /^<([/!]?[a-z][^\s/>]*)([\s\S]*)>$/i.exec(tag) ?? [];
  const attributes = Array.from(rest.matchAll(ATTRIBUTE), ([, name = "", double, single, bare]) => {
    const value = double ?? single ?? bare;
    if (value === undefined) return name.toLowerCase();
    const tidy = value.replace(/\s+/g, " ").trim();
    const style = tidy
      .split(/\s*;\s*/)
      .filter(Boolean)
      .join("; ")
      .replace(/\s*:\s*/g, ": ");
    return `${name.toLowerCase()}="${name.toLowerCase() === "style" ? style : tidy}"`;
  });
  return `<${[start.toLowerCase(), ...attributes.sort()].join(" ")}>`;
}

const maskGiven = (text: string, mask: readonly RegExp[]) =>
  mask.reduce(
    (masked, { source, flags }) =>
      masked.replace(new RegExp(source, flags.includes("g") ? flags : `${flags}g`), "<masked>"),
    text,
  );

/** A code is often shown in groups: 123 456. */
const maskCodes = (text: string, codes: SnapshotSource["codes"]) =>
  codes.reduce((masked, { code }) => {
    const characters = [...code.replace(/[\s-]/g, "")].map((one) => one.replace(/\W/, "\\$&"));
    return masked.replace(new RegExp(`(?<!\\w)${characters.join("[\\s-]?")}(?!\\w)`, "g"), "<code>");
  }, text);

const YEAR = "(?:19|20)\\d{2}";
const CLOCK =
  "(?:\\d{1,2}\\.\\d{2}(?=\\sUhr)|(?:[01]\\d|2[0-3])h[0-5]\\d\\b|\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:\\s?[ap]\\.?m\\b\\.?)?|\\d{1,2}\\s?[ap]\\.?m\\b\\.?)(?:\\s?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2})\\b)?";

const TOKENS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\bcid:[^\s"'<>)]+/gi, "cid:<id>"],
  [/(?<!\w)(localhost|127\.0\.0\.1|\[::1\]):\d{2,5}\b/g, "$1:<port>"],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "<id>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "<token>"],
  // The value of a URL parameter, if its name says that it is secret or differs each time. Brackets
  // and punctuation behind it belong to the text around the URL.
  [
    /([?&;][\w.-]{0,30}(?:token|code|key|sig|signature|hash|expires|exp|nonce|state|otp|secret|session|sid)=)[^&#\s"'<>)\]]*[^&#\s"'<>)\].,]/gi,
    "$1<token>",
  ],
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}(?![\w-])/g, "<token>"],
  // An IBAN is not masked, because a change of it matters.
  [/\b(?![A-Z]{2}\d{2}[A-Z\d]{11,}\b)(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{16,}\b/g, "<token>"],
  [new RegExp(`\\b${YEAR}-\\d{2}-\\d{2}(?:[T ]${CLOCK})?`, "g"), "<date>"],
  [new RegExp(`(?:\\bngày )?\\b\\d{1,2} tháng \\d{1,2},? (?:năm )?${YEAR}`, "gi"), "<date>"],
  [
    new RegExp(
      `(?<!\\w|\\d:)\\d{1,2}(?:st|nd|rd|th|\\.)?\\s+(?:(?:de|of)\\s+)?\\p{L}{3,12}\\.?,?\\s+(?:de\\s+)?${YEAR}\\b`,
      "giu",
    ),
    "<date>",
  ],
  [new RegExp(`\\b\\p{L}{3,12}\\.?\\s+\\d{1,2}(?:st|nd|rd|th)?,\\s+${YEAR}\\b`, "giu"), "<date>"],
  [new RegExp(`(?:${YEAR}\\s?[年년]\\s?)?\\d{1,2}\\s?[月월]\\s?\\d{1,2}\\s?[日일]`, "gu"), "<date>"],
  [new RegExp(`\\b(?:\\d{1,2}([./-])\\d{1,2}\\1${YEAR}|${YEAR}([./])\\d{1,2}\\2\\d{1,2})\\b`, "g"), "<date>"],
  // Dates with a two-digit year. With dots, each number has two digits: 1.2.26 may be a version.
  [/(?<![\d./])(?:\d{1,2}\/\d{1,2}\/\d{2}|\d{2}\.\d{2}\.\d{2})(?![\d/]|\.\d)/g, "<date>"],
  [new RegExp(`(?<![\\d:.])${CLOCK}`, "gi"), "<time>"],
  [new RegExp(`((?:©|&copy;|\\(c\\))\\s*)${YEAR}\\b`, "gi"), "$1<year>"],
  [/(?<!\d|\b[A-Z]{2}|\b[A-Z]{2}\d{2}[A-Z\d]{0,30})\d{9,}(?!\d)/g, "<number>"],
];

const LANGUAGES = "en de fr es it nl pt pl sv da nb fi cs hu ro el ru uk tr ja zh ko".split(" ");
const A_SUNDAY = Date.UTC(2026, 0, 4);
/** Twelve days this far apart cover all months of the year and all days of the week. */
const STEP_MS = 31 * 86_400_000;

/** Names of weekdays or months as a pattern, the longest first: "Mon" must not match before "Monday". */
function names(part: "weekday" | "month", style: "long" | "short", languages = LANGUAGES): string {
  const found = languages.flatMap((language) =>
    // Beside a day, many languages write the month in another form.
    [{ [part]: style }, { [part]: style, day: "numeric" } as const].flatMap((shown) => {
      const format = new Intl.DateTimeFormat(language, { ...shown, timeZone: "UTC" });
      return Array.from({ length: 12 }, (_, at) => {
        const parts = format.formatToParts(A_SUNDAY + at * STEP_MS);
        return (parts.find(({ type }) => type === part)?.value ?? "").replace(/\.$/, "");
      });
    }),
  );
  const written = found
    .filter((name) => /^[\p{L}-]+$/u.test(name))
    .flatMap((name) => {
      const capital = name.charAt(0).toUpperCase();
      return [name, capital + name.slice(1), name.toUpperCase()];
    });
  return [...new Set(written)].sort((left, right) => right.length - left.length).join("|");
}

/** Made at the first use, because the names take tens of milliseconds. */
let dates: readonly RegExp[] | undefined;

const DAY = "(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?";
const GAP = "[ \\t]+";

/**
 * Dates with the name of a month and a year, and dates next to the name of a weekday. Any other number next to the
 * name of a month may count guests or euros, and then its change matters.
 */
function datePatterns(): readonly RegExp[] {
  // Case matters: "may" is no month. Other languages have short names that are also words, such as "out" and "ago".
  const month = `(?:${names("month", "long")}|${names("month", "short", ["en", "en-GB"])})(?!\\p{L})\\.?`;
  const begin = `(?<!\\p{L})(?=\\p{L}{3,14}\\.?${GAP}(?:de${GAP})?\\d)${month}${GAP}`;
  const monthAndDay = `${begin}${DAY}(?![\\p{L}\\d]|[.,:]\\d)`;
  const date = `(?:<date>|(?<!\\w)${DAY}(?:er|\\.)?${GAP}(?:(?:de|of)${GAP})?${month}|${monthAndDay})`;
  const long = names("weekday", "long");
  // Some short names, such as "to" and "do", are also other words. So a short name counts only
  // before a dot or a comma, except the English ones.
  const short = `[Mm]on|[Tt]ues?|[Ww]ed|[Tt]hu(?:rs)?|[Ff]ri|[Ss]at|[Ss]un|(?:${names("weekday", "short")})(?=[.,])`;
  const weekday = `(?<![\\p{L}\\d])(?:${long}|${short})`;
  return [
    new RegExp(`(?<!\\w)${DAY}-${month}-(?:\\d{2}){1,2}\\b`, "gu"),
    new RegExp(`${monthAndDay}(?:,?|${GAP}<time>(?:${GAP}[A-Z]{2,5})?)${GAP}${YEAR}\\b`, "gu"),
    new RegExp(`\\b${YEAR}\\.?${GAP}${monthAndDay}|${begin}(?:de${GAP})?${YEAR}\\b`, "gu"),
    new RegExp(`${date},?[ \\t]*(?:${long})(?!\\p{L})|${weekday}[.,]{0,2}${GAP}(?:den${GAP})?${date}`, "gu"),
  ];
}

function maskTokens(text: string): string {
  const masked = TOKENS.reduce((before, [pattern, mask]) => before.replace(pattern, mask), text);
  dates ??= datePatterns();
  return dates.reduce((before, pattern) => before.replace(pattern, "<date>"), masked);
}
