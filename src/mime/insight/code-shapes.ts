// The forms of one-time codes in print, and of text that only looks like a code. All replacements
// keep the length of a text, so that its offsets are offsets in the original.
import { BETWEEN_WORD_AND_CODE, CODE_WORDS, MONEY, PLAIN_WORDS, TECHNICAL } from "./code-words.ts";

/** Replaces the gaps between the pieces of a code. */
const JOINT = "\u2060";

/** The zeros of other scripts in mail: fullwidth, Arabic, Persian, Indian, Thai, Lao, Burmese, Khmer. */
const ZEROS = [
  0xff10, 0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0,
  0x1040, 0x17e0,
];
const OTHER_DIGITS = new RegExp(
  `[${ZEROS.map((zero) => String.fromCharCode(zero, 0x2d, zero + 9)).join("")}]`,
  "g",
);
const FULLWIDTH_LETTERS = /[\uff21-\uff3a\uff41-\uff5a]/g;
const FULLWIDTH_OFFSET = 0xfee0;
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
/** Codes with one digit or letter on each line, or with spaces between them. */
const LINE_BOXES =
  /(?<=^|\n)(?=[A-Z\s]{0,40}\d)[A-Z\d](?:(?:\n{1,2}[A-Z\d]){3,9}|(?: {1,3}[A-Z\d]){3,9})(?=\n|$)/g;
/** Codes with one digit or letter in each cell of a table. */
const CELL_BOXES = /(?<!\S)(?<!\d\t)(?=[A-Z\t–—-]{0,40}\d)[A-Z\d](?:\t(?:[-–—]\t)?[A-Z\d]){3,9}(?!\S|\t\d)/g;
/** Codes of two halves, each in its own cell, without another number next to them. */
const CELL_HALVES = /(?<!\S)(?<!\d\t)[A-Z\d]{3}(?:\t(?:[-–—][\t ])?| [-–—]\t)[A-Z\d]{3}(?!\S|\t\d)/g;

function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10) ?? code;
  return String(code - zero);
}

const joinBoxes = (boxes: string) => boxes.replace(/[^A-Z\d]/g, JOINT);

export const plainDigits = (text: string): string =>
  text
    .replace(OTHER_DIGITS, asciiDigit)
    .replace(SPACES, " ")
    .replace(FULLWIDTH_LETTERS, (letter) => String.fromCharCode(letter.charCodeAt(0) - FULLWIDTH_OFFSET))
    .replace(LINE_BOXES, joinBoxes);

export const joinCells = (text: string): string =>
  text.replace(CELL_BOXES, joinBoxes).replace(CELL_HALVES, (halves) => halves.replaceAll("\t", " "));

/** Addresses and identifiers are not codes, even right after a word that announces one. */
const IDENTIFIERS: readonly RegExp[] = [
  /\b(?:https?:\/\/|www\.)\S+/gi,
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.-]+/g,
  TECHNICAL,
  // Lines of uuencoded data and of base64
  /^M[ -`]{60}$|^[A-Za-z0-9+/]{60,}={0,2}$/gm,
  // UUIDs, hashes and message ids
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{10,}\b|\b[0-9a-f]{16,}\b/gi,
];

const AMOUNTS: readonly RegExp[] = [
  /(?:[$€£¥₹₽₺₩₴]|\b(?:usd|eur|gbp|chf|jpy|inr|pln|kr|rs)\.?)\s?\d[\d.,']*(?: \d{3}(?!\d)[\d.,']*)*/giu,
  /\b\d[\d.,']{0,40}\s?(?:[$€£¥₹₽₺₩₴%٪]|(?:usd|eur|euros?|gbp|chf|jpy|pln|zł|kč|kr|руб\.?|円|元|원)(?!\p{L}))/giu,
];

const QUANTITIES: readonly RegExp[] = [
  /(?<!\d|(?<!\d[ -]?)\d{3}[ -])\d{1,3}\s?(?:分[钟鐘間]?|秒|小[时時]|時間|시간|[분초])/gu,
  /\b\d+\s?(?:px|pt|lines|bytes?|kb|mb|gb|tb|km|kg|ms|min(?:ute[ns]?|utes|uti|utos)?|hours?|stunden|heures?|horas?|days?|tage|jours?|d[íi]as?|seconds?|sekunden)\b/giu,
];

/** Numbers that look like codes, but are codes only if a word announces them. */
const NOT_CODES: readonly RegExp[] = [
  // Versions come first, because a part of them may look like a date or a decimal
  /\b(?:v|version)\s?\d+(?:\.\d+)+\b|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi,
  // Dates and times
  /\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?/g,
  /\b\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?(?:19|20)?\d{2}\b/g,
  /\b(?:\d{1,2}\.?\s+(?:de\s+)?\p{L}{3,12}\.?,?\s+(?:de\s+)?|\p{L}{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+)(?:19|20)\d{2}\b/giu,
  /(?:19|20)\d{2}\s?[年년]\s?(?:\d{1,2}\s?[月월]\s?)?(?:\d{1,2}\s?[日일])?/g,
  /\b\d{1,2}[:.h]\d{2}(?::\d{2})?\s?(?:[ap]\.?m\.?|uhr|utc|gmt|cet)?\b/gi,
  // Decimals, and numbers with thousands separators
  /\b\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?\b|\b\d+[.,]\d{1,2}\b/g,
  // Phone numbers
  /\+\d[\d ().\-/]{6,}\d/g,
  /\(\d{2,5}\)\s?\d{2,4}[ .-]?\d{2,4}(?:[ .-]?\d{2,4})?/g,
  /\b0\d(?:[ .-]\d{2}){4}\b/g,
  /\b(?:0|1[ -])\d{2,4}[ .\-/]\d{2,4}[ .-]\d{2,4}(?:[ .-]\d{2,4})?\b|\b\d{3}[-.]\d{3}[-.]\d{4}\b|\b0\d{3,5}[ /-]\d{4,8}\b/g,
  // Card endings, colours, numbered things
  /(?<![•*·xX])[•*·xX]{2}[•*·xX -]{0,20}\d{4}\b/g,
  /#[0-9a-f]{3,8}\b/gi,
  /(?:#|№|\b(?:nr|no|n°|nº)\.?\s?)\s?(?:\d{3}(?: \d{3}){2}(?!\d)|\d+)/giu,
  // Copyright years, postal addresses
  /〒\s?\d{3}-?\d{4}|\bCAP \d{5}\b/g,
  /(?:©|\(c\)|copyright)[^\n\d]{0,30}(?:19|20)\d{2}(?:\s?[-–]\s?(?:19|20)?\d{2,4})?/gi,
  /\b\d{1,5}\s+(?:\p{Lu}[\p{L}.']+\s+){1,4}(?:St(?:reet)?|Ave(?:nue)?|R(?:oa)?d|Blvd|Boulevard|Way|Lane|Ln|Drive|Dr|Court|Ct|Plaza|Square|Parkway|Pkwy)\b/gu,
  /\b[A-Z]{2}\s+\d{5}(?:-\d{4})?\b/g,
  /(?:^|[,|·•]\s*)(?:[A-Z]{1,2}-)?\d{4,5}\s+\p{Lu}\p{Ll}{2,}(?=\s*(?:$|[,|·•]))/gmu,
];

// Right after a word that announces a code, the code may be split in any way: "Your code is 12-34-56". Elsewhere such
// numbers are dates, phone numbers or amounts.

const DASH = "[\\u2010-\\u2015-]";
const PRINTED_EDGE = `(?<![\\p{N}A-Za-z_.,/\\\\@#+€$£-]|\\d ?${DASH}? ?)`;
/** If such a piece follows, the text is a longer key, not a one-time code: `a1b2-c3d4-e5f6`. */
const MORE_PIECES = "[\\u2010\\u2011-](?:[A-Za-z]{1,5}\\d|[A-Z]{2})";
const PRINTED_END = `(?![\\p{N}A-Za-z_@]|[.,/\\\\:][\\p{L}\\p{N}]| ?${DASH}? ?\\d|${MORE_PIECES})`;
const MIXED = "(?=[A-Za-z]*\\d)(?=\\d*[A-Za-z])[A-Za-z0-9]";
const PRINTED_KINDS = [
  // "#" and four to ten digits; or pieces of up to five digits with the same gap between all of
  // them, with or without "#".
  `#\\d{4,10}|#?\\d{1,5}(?<gap> | ?${DASH} ?)\\d{1,5}(?:\\k<gap>\\d{1,5}){0,8}`,
  "\\d{3}(?<mark>[._·])\\d{3}(?:\\k<mark>\\d{3})?",
  // Letters and digits: "abc-123", "a1b2 c3d4"
  "(?=[A-Za-z-]*\\d)(?!\\d+-[a-z]+\\b)(?:[A-Za-z0-9]{3}(?:-[A-Za-z0-9]{3}){1,2}|[A-Za-z0-9]{4}-[A-Za-z0-9]{4}|[A-Za-z0-9]{5}-[A-Za-z0-9]{5})",
  `(?:${MIXED}{4} ${MIXED}{4}|${MIXED}{5} ${MIXED}{5})(?! ${MIXED}{4,5}(?![A-Za-z0-9]))`,
];
const PRINTED = new RegExp(`${PRINTED_EDGE}(?:${PRINTED_KINDS.join("|")})${PRINTED_END}`, "gu");
const HAS_YEAR = /^(?:(?:19|20)\d{2}\D\d{1,2}\D\d{1,2}|\d{1,2}\D\d{1,2}\D(?:19|20)\d{2})$/;
const MIN_CODE_CHARS = 4;
const MAX_CODE_CHARS = 10;

const ANNOUNCED_CHARS = 80;
function isAnnounced(before: string): boolean {
  for (const { index, 0: word } of before.matchAll(CODE_WORDS)) {
    if (BETWEEN_WORD_AND_CODE.test(before.slice(index + word.length))) return true;
  }
  return false;
}

function isPrintedCode(printed: string, gap: string | undefined): boolean {
  const pieces = printed.match(/[A-Za-z0-9]+/g) ?? [];
  const { length } = pieces.join("");
  if (length < MIN_CODE_CHARS || length > MAX_CODE_CHARS || HAS_YEAR.test(printed)) return false;
  // With a wide gap or a piece of five digits, the pieces may be separate numbers, unless all are
  // equally long.
  const isLoose = (gap !== undefined && gap.length > 1) || pieces.some((piece) => piece.length > 4);
  return !isLoose || pieces.every((piece) => piece.length > 1 && piece.length === pieces[0]?.length);
}

/** Only this many possible codes such as 123 456 are checked. A text with more of them is a table. */
const MAX_LOOKED_AT = 1000;

function joinAnnounced(text: string): string {
  let left = MAX_LOOKED_AT;
  return text.replace(
    PRINTED,
    (printed: string, gap: string | undefined, _mark: string | undefined, at: number) => {
      if (!isPrintedCode(printed, gap) || left-- <= 0) return printed;
      if (!isAnnounced(text.slice(Math.max(0, at - ANNOUNCED_CHARS), at))) return printed;
      return printed.replace(/[^A-Za-z0-9]+/g, (mark, index) =>
        index === 0 ? " " : JOINT.repeat(mark.length),
      );
    },
  );
}

export const blank = (text: string) => text.replace(/[^\n]/g, " ");

const hide = (text: string, kinds: readonly RegExp[], fill = blank) =>
  kinds.reduce((rest, kind) => rest.replace(kind, fill), text);

/** Keeps the percent sign, to tell "save 20 %" from "save 20 €". */
const markAmount = (text: string) => text.replace(/[^\n%٪]/g, MONEY);

/** Replaces addresses and identifiers by spaces: "%20" in them must not count as 20 %. */
export const hideIdentifiers = (text: string): string => hide(text, IDENTIFIERS);

/** Blanks out what cannot be a code, and joins the pieces of announced codes. */
export function hideOthers(text: string): string {
  const withAmounts = hide(hideIdentifiers(text), AMOUNTS, markAmount);
  return hide(joinAnnounced(hide(withAmounts, QUANTITIES)), NOT_CODES);
}

/** A word with marks such as "!" or "$" between its letters is a password, not a code. */
const EDGE = "(?<![\\p{L}\\p{N}_.,/\\\\@+-]|[\\p{L}\\p{N}][!$%&?^~*])";
const END = "(?![\\p{L}\\p{N}_@]|[.,/\\\\+!$%&?^~*-][\\p{L}\\p{N}])";
/** In Chinese, Japanese and Korean text there may be no space around the code. */
const LOOSE_EDGE = "(?<![A-Za-z\\p{N}_.,/\\\\@-])";
const LOOSE_END = "(?![A-Za-z\\p{N}_@]|[./\\\\-][A-Za-z\\p{N}]|,\\p{N})";

const ANNOUNCED = "(?<=(?:[:：]|(?<!\\p{L})(?:code|is|ist|est|es))[\\s*_\"'“]{1,3})";

const TWO_HALVES =
  "(?=[A-Z]*\\d|[A-Z]* [A-Z]*\\d)(?=\\d*[A-Z]|\\d* \\d*[A-Z])(?:[A-Z0-9]{3} [A-Z0-9]{3}|[A-Z0-9]{4} [A-Z0-9]{4}|[A-Z0-9]{5} [A-Z0-9]{5})(?! [A-Z]*\\d[A-Z0-9]*(?![A-Za-z0-9]))";
/** A Canadian postal code on its own line is not a one-time code. */
const NOT_CANADIAN = "(?![A-Z]\\d[A-Z] \\d[A-Z]\\d)";
const LINE_START = "(?:^|\\n)[ \\t*>•-]{0,4}(?:\\d{1,2}[.)][ \\t]{1,4})?";
const LINE_END = "[ \\t*]{0,4}(?:\\n|$)";

const HALVES = "(?=[a-z-]*\\d)(?=[\\d-]*[a-z])(?:[a-z0-9]{4}-[a-z0-9]{4}|[a-z0-9]{5}-[a-z0-9]{5})";
/** Four made-up words, as Notion sends them. */
const WORD_CODE = "[a-z]{3,8}(?:-[a-z]{3,8}){3}";
/** The gap between two codes of a row. Codes that matched an earlier form have been replaced by spaces. */
const ROW_GAP = "[ \\t,;|*]{0,20}";

/** The order matters, because text that matched one form is not matched again. */
export const SHAPES: readonly { readonly pattern: RegExp; readonly weight: number }[] = [
  { pattern: new RegExp(`(?<![A-Za-z0-9])[A-Za-z0-9]+(?:${JOINT}+[A-Za-z0-9]+)+`, "g"), weight: 12 },
  { pattern: /(?<![\p{N}] ?)\b\d(?: {1,2}\d){3,9}\b(?! ?\p{N})/gu, weight: 12 },
  {
    pattern: new RegExp(
      `${LOOSE_EDGE}(?<!\\d{4} )(?:\\d{3}[ \u2010-\u2015-]\\d{3}(?:[ \u2010-\u2015-]\\d{3})?|\\d{4}[ \u2010-\u2015-]\\d{4}|\\d{2}(?:[ \u2010-\u2015-]\\d{2}){2,3})${LOOSE_END}(?![ \u2010-\u2015-]?\\d)`,
      "gu",
    ),
    weight: 10,
  },
  { pattern: new RegExp(`${EDGE}G-\\d{6}${END}`, "gu"), weight: 25 },
  {
    pattern: new RegExp(
      `${EDGE}(?=[A-Z0-9\u2010-\u2015-]{0,17}\\d|[A-Z]{2,5}-[A-Z]{2,5})(?:[A-Z0-9]{2,5}(?:[\u2010-\u2015-][A-Z0-9]{2,5}){1,2}|[A-Z]{2,5}[\u2010-\u2015-]\\d{6})${END}`,
      "gu",
    ),
    weight: 6,
  },
  {
    // Two halves of the same length count only after a colon or a word such as "code" or "is", or
    // alone on their line. Elsewhere they are two words.
    pattern: new RegExp(
      `${ANNOUNCED}${TWO_HALVES}${END}|(?<=${LINE_START})${NOT_CANADIAN}${TWO_HALVES}(?=${LINE_END})`,
      "gu",
    ),
    weight: 8,
  },
  { pattern: new RegExp(`${LOOSE_EDGE}\\d{4,10}${LOOSE_END}`, "gu"), weight: 8 },
  {
    pattern: new RegExp(`${LOOSE_EDGE}(?=[A-Z]*\\d)(?=\\d*[A-Z])[A-Z0-9]{4,10}${LOOSE_END}`, "gu"),
    weight: 5,
  },
  { pattern: new RegExp(`${EDGE}(?=[a-zA-Z]*\\d)(?=\\d*[a-zA-Z])[a-zA-Z0-9]{5,10}${END}`, "gu"), weight: -5 },
  // In lower case two halves count only on a line without other text. Elsewhere they are a word such as "utf8-mail".
  {
    pattern: new RegExp(`(?<=${LINE_START})${HALVES}(?=${LINE_END})`, "g"),
    weight: -5,
  },
  {
    pattern: new RegExp(
      `(?<![a-z0-9-])${HALVES}(?=${ROW_GAP}(?:${HALVES}${ROW_GAP}){0,9}(?:\\n|$))(?<=(?:^|\\n)${ROW_GAP}(?:${HALVES}${ROW_GAP}){0,9}${HALVES})`,
      "g",
    ),
    weight: 12,
  },
  // Excludes "10am" and "24hr".
  {
    pattern: new RegExp(`${ANNOUNCED}(?!\\d+[a-z]+${END})(?=[a-z]*\\d)(?=\\d*[a-z])[a-z0-9]{4}${END}`, "gu"),
    weight: -5,
  },
  { pattern: new RegExp(`${EDGE}(?!(?:${PLAIN_WORDS})${END})[A-Z]{5,8}${END}`, "gu"), weight: -22 },
  {
    pattern: new RegExp(
      `(?:${ANNOUNCED}${WORD_CODE}${END}|(?<=${LINE_START})${WORD_CODE}(?=${LINE_END}))`,
      "gu",
    ),
    weight: 8,
  },
];

const IS_WORD_CODE = new RegExp(`^${WORD_CODE}$`);

/**
 * Removes gaps, except in codes of words. Removes the "G-" of Google's codes, because the page that
 * asks for the code already shows "G-".
 */
export const joinPrint = (printed: string) =>
  IS_WORD_CODE.test(printed)
    ? printed
    : printed.replace(/^G-(?=\d{6}$)/, "").replace(/[\s\u2010-\u2015\u2060-]/g, "");
