// Codes that are split in print in any way, right behind the word that announces them: "Your code is 12-34-56".
// Elsewhere such numbers are dates, phone numbers, amounts.
import { CODE_WORDS } from "./code-words.ts";

/** Holds the pieces together. It takes the place of the gap, so that places stay where they are. */
export const JOINT = "\u2060";

const DASH = "[\\u2010-\\u2015-]";
/** Pieces of up to four digits with the same gap between all of them; a "#" may stand before. */
const PRINTED = new RegExp(
  `(?<![\\p{N}A-Za-z_.,/\\\\@#+€$£-]|\\d ?${DASH}? ?)(?:#\\d{4,10}|#?\\d{1,4}( | ?${DASH} ?)\\d{1,4}(?:\\1\\d{1,4}){0,8})(?![\\p{N}A-Za-z_@]|[.,/\\\\:][\\p{L}\\p{N}]| ?${DASH}? ?\\d)`,
  "gu",
);
const HAS_YEAR = /^(?:(?:19|20)\d{2}\D\d{1,2}\D\d{1,2}|\d{1,2}\D\d{1,2}\D(?:19|20)\d{2})$/;
const MIN_DIGITS = 4;
const MAX_DIGITS = 10;

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
  const pieces = printed.match(/\d+/g) ?? [];
  const digits = pieces.join("").length;
  if (digits < MIN_DIGITS || digits > MAX_DIGITS || HAS_YEAR.test(printed)) return false;
  // A dash between spaces also parts two sentences.
  const isLoose = gap !== undefined && gap.length > 1;
  return !isLoose || pieces.every(({ length }) => length > 1 && length === pieces[0]?.length);
}

/** A mail with more such numbers before its code is a table. */
const MAX_LOOKED_AT = 1000;

/** The same text, with the pieces of such codes held together. */
export function joinAnnounced(text: string): string {
  let left = MAX_LOOKED_AT;
  return text.replace(PRINTED, (printed: string, gap: string | undefined, at: number) => {
    if (!isCode(printed, gap) || left-- <= 0) return printed;
    if (!isAnnounced(text.slice(Math.max(0, at - BEFORE_CHARS), at))) return printed;
    return printed.replace(/\D+/g, (mark, index) => (index === 0 ? " " : JOINT.repeat(mark.length)));
  });
}
