// Codes that are split in print in any way, right behind the word that announces them: "Your code is 12-34-56".
// Elsewhere such numbers are dates, phone numbers, amounts.
import { CODE_WORDS } from "./code-words.ts";

/** Holds the pieces together. It takes the place of the gap, so that places stay where they are. */
export const JOINT = "\u2060";

const DASH = "[\\u2010-\\u2015-]";
const EDGE = `(?<![\\p{N}A-Za-z_.,/\\\\@#+€$£-]|\\d ?${DASH}? ?)`;
/** A key of more pieces is none, and a part of it is of no use. */
const MORE_PIECES = "[\\u2010\\u2011-](?:[A-Za-z]{1,5}\\d|[A-Z]{2})";
const END = `(?![\\p{N}A-Za-z_@]|[.,/\\\\:][\\p{L}\\p{N}]| ?${DASH}? ?\\d|${MORE_PIECES})`;
const MIXED = "(?=[A-Za-z]*\\d)(?=\\d*[A-Za-z])[A-Za-z0-9]";
const KINDS = [
  // Pieces of up to five digits with the same gap between all of them; a "#" may stand before.
  `#\\d{4,10}|#?\\d{1,5}(?<gap> | ?${DASH} ?)\\d{1,5}(?:\\k<gap>\\d{1,5}){0,8}`,
  "\\d{3}(?<mark>[._·])\\d{3}(?:\\k<mark>\\d{3})?",
  // Letters and digits: "abc-123", "a1b2 c3d4"
  "(?=[A-Za-z-]*\\d)(?!\\d+-[a-z]+\\b)(?:[A-Za-z0-9]{3}(?:-[A-Za-z0-9]{3}){1,2}|[A-Za-z0-9]{4}-[A-Za-z0-9]{4}|[A-Za-z0-9]{5}-[A-Za-z0-9]{5})",
  `(?:${MIXED}{4} ${MIXED}{4}|${MIXED}{5} ${MIXED}{5})(?! ${MIXED}{4,5}(?![A-Za-z0-9]))`,
];
const PRINTED = new RegExp(`${EDGE}(?:${KINDS.join("|")})${END}`, "gu");
const HAS_YEAR = /^(?:(?:19|20)\d{2}\D\d{1,2}\D\d{1,2}|\d{1,2}\D\d{1,2}\D(?:19|20)\d{2})$/;
const MIN_CHARS = 4;
const MAX_CHARS = 10;

const BEFORE_CHARS = 80;
const MARKUP = "[\\s:：=*_>|→\"'“‘«「『—-]*";
const VERB = "(?:(?<!\\p{L})(?:is|are|now|lautet|ist|est|es|é|è|jest|je|är|er)(?!\\p{L})|は|为|為|是|는|은)";
const PURPOSE =
  "(?:\\s+(?:for|für|pour|para|per|voor|dla|для)\\s[^.!?:：\\n\\d]{1,40}?(?=[:：]|\\s(?:is|ist|est|es|è|é)\\s))";
/** What may stand between that word and the code. */
const BETWEEN = new RegExp(`^${PURPOSE}?${MARKUP}(?:${VERB}${MARKUP})?$`, "iu");

function isAnnounced(before: string): boolean {
  for (const { index, 0: word } of before.matchAll(CODE_WORDS)) {
    if (BETWEEN.test(before.slice(index + word.length))) return true;
  }
  return false;
}

function isCode(printed: string, gap: string | undefined): boolean {
  const pieces = printed.match(/[A-Za-z0-9]+/g) ?? [];
  const { length } = pieces.join("");
  if (length < MIN_CHARS || length > MAX_CHARS || HAS_YEAR.test(printed)) return false;
  // A dash between spaces also parts two sentences; five digits may be a code by themselves.
  const isLoose = (gap !== undefined && gap.length > 1) || pieces.some((piece) => piece.length > 4);
  return !isLoose || pieces.every((piece) => piece.length > 1 && piece.length === pieces[0]?.length);
}

/** A mail with more such numbers before its code is a table. */
const MAX_LOOKED_AT = 1000;

/** The same text, with the pieces of such codes held together. */
export function joinAnnounced(text: string): string {
  let left = MAX_LOOKED_AT;
  return text.replace(
    PRINTED,
    (printed: string, gap: string | undefined, _mark: string | undefined, at: number) => {
      if (!isCode(printed, gap) || left-- <= 0) return printed;
      if (!isAnnounced(text.slice(Math.max(0, at - BEFORE_CHARS), at))) return printed;
      return printed.replace(/[^A-Za-z0-9]+/g, (mark, index) =>
        index === 0 ? " " : JOINT.repeat(mark.length),
      );
    },
  );
}
