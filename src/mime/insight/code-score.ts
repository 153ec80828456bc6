// Scores how likely a number or word is a one-time code: by its form and by the words near it,
// which count less if they belong to another number.
import * as words from "./code-words.ts";

// The sentence around a number tells what the number is. A sentence never goes beyond its line. But a
// number alone on a line belongs to the sentence above, unless that sentence has ended.

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Sentence extends Span {
  readonly isAlone: boolean;
  /** The number is a whole item of a list. */
  readonly isItem: boolean;
}

/** The full stop of "Order no. 482913" does not end a sentence. */
const SHORT_WORD = "(?:n[or]|(?<!\\p{L})(?:n|num|ref|id|tel|č|čís|sz|αρ))";
const STOP = `(?<!${SHORT_WORD})\\.(?=\\s|$)|[!?](?=\\s|$)|[。！？।۔؟]`;
const SENTENCE_END = new RegExp(`${STOP}|\\n`, "giu");
const IS_OVER = new RegExp(`(?:${STOP})$`, "iu");
const BOX = "|\\u2500-\\u257f";
const MARKUP_ONLY = new RegExp(`^[\\s*_#>${BOX}"'“”‘’«»「」『』[\\](){}.:=~-]*$`, "u");
/** Arrows on both sides set a number apart. One arrow does not: "< 482913" is a line of a diff. */
const ARROWS = "<>←→⇒⇨";
const ARROWS_ONLY = new RegExp(`^\\s*[${ARROWS}-]+\\s*$`, "u");
const ITEM = "(?:•|\\d{1,2}[.)])[ \\t]{1,4}";
const ITEM_ONLY = new RegExp(`^[ \\t>]*${ITEM}$`);
/** The text between a number on its own line and the line above. */
const LINE_BREAK = new RegExp(`\\s*\\n[\\s*_#${ARROWS}${BOX}"'“‘«「『[({-]*(?:${ITEM})?$`, "u");
/** A long sentence is read only near the number. */
const SENTENCE_BEFORE_CHARS = 160;
const SENTENCE_AFTER_CHARS = 100;

function lineAt(text: string, { from, to }: Span): Pick<Sentence, "isAlone" | "isItem"> {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", to);
  const line = { before: text.slice(start, from), after: text.slice(to, end < 0 ? text.length : end) };
  const isPointedAt = ARROWS_ONLY.test(line.before) && ARROWS_ONLY.test(line.after);
  const isLast = MARKUP_ONLY.test(line.after);
  const isItem = isLast && ITEM_ONLY.test(line.before);
  return { isAlone: isItem || isPointedAt || (isLast && MARKUP_ONLY.test(line.before)), isItem };
}

function lastSentence(before: string): string {
  let start = 0;
  for (const { index, 0: end } of before.matchAll(SENTENCE_END)) start = index + end.length;
  return before.slice(start);
}

function sentenceAt(text: string, { from, to }: Span): Sentence {
  const before = text.slice(Math.max(0, from - SENTENCE_BEFORE_CHARS), from);
  const { isAlone, isItem } = lineAt(text, { from, to });
  if (isAlone) {
    const above = before.replace(LINE_BREAK, "");
    const lead = IS_OVER.test(above) ? "" : lastSentence(above);
    return { from: from - (before.length - above.length) - lead.length, to, isAlone, isItem };
  }
  const behind = text.slice(to, to + SENTENCE_AFTER_CHARS);
  const length = behind.search(SENTENCE_END);
  const end = to + (length < 0 ? behind.length : length);
  return { from: from - lastSentence(before).length, to: end, isAlone, isItem };
}

/**
 * Words that lead from "code" to its purpose, as in "code for signing in". "de" is not one of them,
 * because "código de cliente" is the number of a customer.
 */
const PURPOSE =
  /^[^.,;!?\n\d]*(?:\p{L}{4}|(?<!\p{L})(?:for|für|zu[mr]|pour|para|per|voor|bij|dla|для|för|til|za|pro|cho)\s)[^.,;!?\n\d]*$/iu;
/** After these words the sentence is about the code again: "Your code for the order is …". */
const COMES_BACK = /(?:[:：]|(?<!\p{L})(?:is|lautet|ist|est|es|è|é|to|jest|je|är|er|là)\s)[\s*_"'“‘«([]*$/iu;

const LABEL_CHARS = 80;
/** How much text may stand between a number and a label that surely belongs to it. */
const MAX_GAP_CHARS = 24;

function lastOf(kind: RegExp, text: string): Span | null {
  let last: Span | null = null;
  for (const { index, 0: word } of text.matchAll(kind)) {
    const to = index + word.length;
    if (last === null || to > last.to) last = { from: index, to };
  }
  return last;
}

/**
 * How surely the words before a number call it something other than a code, from 0 to 1. Words that
 * are far away from the number count less.
 */
function labelBefore(before: string): number {
  const label = before.slice(-LABEL_CHARS);
  const other = lastOf(words.OTHER_NUMBERS, label);
  if (other === null) return 0;
  const code = lastOf(words.CODE_WORDS, label);
  if (code !== null && code.to >= other.to) return 0;
  if (code !== null && PURPOSE.test(label.slice(code.to, other.from)) && COMES_BACK.test(label)) return 0;
  const gap = label.length - other.to;
  return gap <= MAX_GAP_CHARS ? 1 : 1 - gap / LABEL_CHARS;
}

/** Like labelBefore, for the line above a number that is alone on its line; 0 if that line announces a code. */
function labelAbove(line: string): number {
  const isAnnouncement = line.search(words.CODE_WORDS) >= 0 || line.search(words.OCCASION_WORDS) >= 0;
  return isAnnouncement ? 0 : labelBefore(line);
}

/** Whether the words right after a number call it something other than a code: "… is your order number". */
function isLabelledBehind(after: string): boolean {
  const other = after.search(words.OTHER_NUMBERS);
  const code = after.search(words.CODE_WORDS);
  return other >= 0 && (code < 0 || other < code);
}

export interface Spot extends Span {
  /** The code as a person would type it. */
  readonly code: string;
  /** The score for the shape of the code. */
  readonly weight: number;
}

export interface Place {
  readonly text: string;
  /** The subject mentions a code, or an occasion for a code such as a sign-in. */
  readonly isExpected: boolean;
  /** The subject mentions a discount, but no occasion for a code. */
  readonly isPromotion: boolean;
  readonly percentages: ReadonlySet<string>;
}

interface Reading extends Spot {
  readonly sentence: Sentence;
  readonly isAsked: boolean;
  readonly isStraight: boolean;
  /** How surely the label names something other than a code, from 0 to 1. */
  readonly other: number;
}

const BEFORE_CHARS = 120;
const AFTER_CHARS = 70;
const OTHER_CHARS = 40;
/** The weight of a word that belongs to a different number. */
const TAKEN = 0.3;
/** The weight of a word outside the number's sentence that belongs to no other number. */
const ELSEWHERE = 0.5;
/** A word with at least this nearness to a number surely belongs to the number. */
const SURELY_NAMED = 0.8;
/** A shorter number on a line of its own may be an amount or a count. */
const USUAL_CHARS = 6;
const LENGTH_WEIGHT: Readonly<Record<number, number>> = { 4: 3, 5: 4, 6: 12, 7: 3, 8: 6 };

const isYear = (code: string) => /^(?:19|20)\d{2}$/.test(code);
const hasDigit = (code: string) => /\d/.test(code);
const hasLetter = (code: string) => /\D/.test(code);

/** Whether a code names a discount of the mail: "AUTUMN20" in a mail that mentions 20 %. */
const isCalledByDiscount = (code: string, { percentages }: Place) =>
  percentages.has(/^[A-Za-z]{3,}(\d{1,2})$/.exec(code)?.[1] ?? "");

function read(text: string, spot: Spot, last: number): Reading {
  const sentence = sentenceAt(text, spot);
  const before = text.slice(sentence.from, spot.from);
  const after = text.slice(spot.to, sentence.to);
  const isAsked =
    words.ASKED_FOR_BEFORE.test(before) ||
    words.ASKED_FOR_BEHIND.test(text.slice(spot.to, spot.to + AFTER_CHARS));
  const isNamedBehind = words.STRAIGHT_AFTER.test(after);
  const isStraight = isNamedBehind || words.STRAIGHT_BEFORE.test(before);
  // Words before the previous number are the label of that number.
  const label = text.slice(Math.max(last, sentence.from), spot.from);
  let other = 0;
  if (isNamedBehind) other = isLabelledBehind(after) ? 1 : 0;
  else if (!isAsked) other = sentence.isAlone ? labelAbove(label) : labelBefore(label);
  return { ...spot, sentence, isAsked, isStraight, other };
}

const isWithin = (at: number, { from, to }: Span) => at >= from && at < to;
const isBetween = ({ from, to }: Span, left: number, right: number) => from >= left && to <= right;

/** How much a word at this place counts for a number. */
function worth(at: number, reading: Reading, rivals: readonly Reading[]): number {
  const isOwn = isWithin(at, reading.sentence);
  if (isOwn && reading.isStraight) return 1;
  const isTaken = rivals.some((rival) => {
    if (rival === reading || rival.other === 1 || !hasDigit(rival.code)) return false;
    // Two numbers that each stand alone on a line do not compete.
    if (rival.sentence.isAlone && reading.sentence.isAlone) return false;
    if (isBetween(rival, at, reading.from) || isBetween(rival, reading.to, at)) return true;
    return !isOwn && isWithin(at, rival.sentence);
  });
  if (isTaken) return TAKEN;
  return isOwn || reading.sentence.isAlone || reading.isAsked || reading.isStraight ? 1 : ELSEWHERE;
}

/** How near the closest word of this kind is: up to 1 right before the code, a little less after it, 0 far away. */
function nearness(kind: RegExp, before: string, after: string, worthOf = (_gap: number) => 1): number {
  let best = 0;
  for (const { index, 0: word } of before.matchAll(kind)) {
    const near = 1 - (before.length - index - word.length) / (BEFORE_CHARS * 1.2);
    best = Math.max(best, near * worthOf(index - before.length));
  }
  const next = after.search(kind);
  return next < 0 ? best : Math.max(best, (0.85 - next / (AFTER_CHARS * 1.2)) * worthOf(next));
}

/** Whether a number or word looks like a code although no word for "code" is near it. */
function isLikeCode({ code, sentence, isStraight }: Reading, before: string, after: string): boolean {
  if (sentence.isAlone) return code.length >= USUAL_CHARS && !sentence.isItem;
  return !hasLetter(code) && (words.EXPIRES.test(after) || (isStraight && words.OCCASION_LABEL.test(before)));
}

function score(reading: Reading, rivals: readonly Reading[], place: Place): number {
  const { text, isExpected, isPromotion } = place;
  const { code, from, to, isStraight, isAsked, other } = reading;
  if (other === 1) return 0;
  const { isAlone } = reading.sentence;
  const before = text.slice(Math.max(0, from - BEFORE_CHARS), from);
  const after = text.slice(to, to + AFTER_CHARS);
  const worthOf = (gap: number) => worth(gap < 0 ? from + gap : to + gap, reading, rivals);
  const named = nearness(words.CODE_WORDS, before, after, worthOf);
  const occasion = nearness(words.OCCASION_WORDS, before, after, worthOf);
  const oneTime = nearness(words.ONE_TIME_CODE, before, after, worthOf);
  if (named === 0 && !isAsked && !isLikeCode(reading, before, after)) return 0;
  const isSignIn = () => nearness(words.SIGN_IN_CODE, before, after, worthOf) >= SURELY_NAMED;
  if (isCalledByDiscount(code, place) && !isSignIn()) return 0;

  const promo = nearness(words.OTHER_CODE, before.slice(-OTHER_CHARS), after.slice(0, OTHER_CHARS));
  let score = reading.weight + (LENGTH_WEIGHT[code.length] ?? 0) + Math.max(named * 45, occasion * 25);
  score -= other * 55;
  if (isAlone) score += 22;
  if (isStraight && (isExpected || Math.max(named, occasion) > 0.5)) score += 12;
  if (isAsked) score += 20;
  if (words.EXPIRES.test(after)) score += 12;
  if (promo > named) score -= promo * 60;
  const isCheaper =
    words.SAVES_MONEY.test(after) || words.SAVED_MONEY.test(before) || (isPromotion && hasLetter(code));
  // Mail about a discount may hold a sign-in code, too. A code with letters needs a nearer word
  // such as "sign in", because most discount codes have letters.
  const isNamed = Math.max(occasion, oneTime) > (hasLetter(code) ? SURELY_NAMED : 0.4);
  if (isCheaper && !isNamed) score -= 80;
  if (isExpected) score += 8;
  if (isYear(code)) score -= named > 0 && (isAlone || isStraight) ? 8 : 45;
  if (!hasDigit(code) && !isAlone && !isStraight) score -= 25;
  return score;
}

/** A number competes with this many numbers before it and after it. */
const RIVALS = 60;

const LIST_GAP = /^[\s,;|/•·]{1,20}(?:(?:and|or|und|oder|et|ou|y|o|e|и)\s|\d{1,2}[.)]\s{1,4})?$/iu;
/** A number with a word right after it, as in "5000 points", is not part of a list. */
const GOES_ON =
  /^[ \t]+(?!(?:and|or|are|und|oder|sind|et|ou|sont|y|o|e|son|sono|и)(?!\p{L}))\p{L}+(?![\p{L}\p{N}-])/iu;
const ROW_OF_NUMBERS = /^[\d\s,;|/•·.)-]*$/;

function isInRow(text: string, { from, to }: Span): boolean {
  const end = text.indexOf("\n", to);
  return ROW_OF_NUMBERS.test(text.slice(text.lastIndexOf("\n", from - 1) + 1, end < 0 ? text.length : end));
}

/** Whether a number follows another of its length in the same list, on the same line or the next. */
function isNextInList(text: string, above: Reading | undefined, reading: Reading): boolean {
  const { code, from, to, sentence, other } = reading;
  if (above === undefined || above.code.length !== code.length) return false;
  const gap = text.slice(above.to, from);
  if (above.sentence.isAlone && sentence.isAlone) return /^\W{0,8}(?:\d{1,2}[.)]\s{1,4})?$/.test(gap);
  if (other === 1 || isYear(code) || !hasDigit(code) || !LIST_GAP.test(gap)) return false;
  if (GOES_ON.test(text.slice(to, to + AFTER_CHARS))) return false;
  // On the next line, a number may begin another sentence. A code with letters does not.
  return !gap.includes("\n") || (hasLetter(code) && hasLetter(above.code)) || isInRow(text, reading);
}

/** The spots must be in the order of the text. */
export function scoreSpots(spots: readonly Spot[], place: Place): number[] {
  const readings = spots.map((spot, index) => read(place.text, spot, spots[index - 1]?.to ?? 0));
  let above = 0;
  return readings.map((reading, index) => {
    const rivals = readings.slice(Math.max(0, index - RIVALS), index + RIVALS);
    const own = score(reading, rivals, place);
    above = isNextInList(place.text, readings[index - 1], reading) ? Math.max(own, above - 1) : own;
    return above;
  });
}
