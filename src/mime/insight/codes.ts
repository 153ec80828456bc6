// Finds one-time codes in a message, the most likely one first. Numbers that are something else, such as dates,
// prices and phone numbers, are blanked out or get a low score.
import type { MessageCode } from "../../model/index.ts";
import { wholeChars } from "../decode/charset.ts";
import { htmlToText } from "../html/text.ts";
import { type Place, type Spot, scoreSpots } from "./code-score.ts";
import {
  blank,
  hideIdentifiers,
  hideOthers,
  joinCells,
  joinPrint,
  plainDigits,
  SHAPES,
} from "./code-shapes.ts";
import * as words from "./code-words.ts";

export interface CodeSource {
  readonly subject: string;
  /** Empty if the mail has only HTML: a text made from the HTML would only repeat its codes. */
  readonly text: string;
  readonly html: string;
}

interface Candidate extends MessageCode {
  readonly score: number;
  /** The mail says that the code is no longer valid. */
  readonly isOld: boolean;
}

const MAX_TEXT_CHARS = 200_000;
const MAX_SUBJECT_CHARS = 1000;
/** Only this many possible codes of a text are scored: a text with more is a table. */
const MAX_SPOTS = 500;
/** Lists of recovery codes have up to 16. */
const MAX_CODES = 20;
const LEAST_SCORE = 30;
const CONTEXT_CHARS = 40;
const OLD_BEFORE_CHARS = 40;
const OLD_AFTER_CHARS = 70;
const OLD_WEIGHT = 60;

const isReplaced = (text: string, { from, to }: Spot) =>
  words.IS_OLD_BEFORE.test(text.slice(Math.max(0, from - OLD_BEFORE_CHARS), from)) ||
  words.IS_OLD_AFTER.test(text.slice(to, to + OLD_AFTER_CHARS));

const around = (text: string, { from, to }: Spot) =>
  wholeChars(text.slice(Math.max(0, from - CONTEXT_CHARS), to + CONTEXT_CHARS))
    .replace(/\s+/g, " ")
    .trim();

function findSpots(text: string): Spot[] {
  let rest = text;
  const spots: Spot[] = [];
  for (const { pattern, weight } of SHAPES) {
    for (const { index, 0: printed } of rest.matchAll(pattern)) {
      if (spots.length >= MAX_SPOTS) break;
      const code = joinPrint(printed);
      if (code.length < 4 || (code.length > 10 && !code.includes("-"))) continue;
      spots.push({ code, from: index, to: index + printed.length, weight });
    }
    rest = rest.replace(pattern, blank);
  }
  return spots.sort((left, right) => left.from - right.from);
}

type Topic = Omit<Place, "text">;

const PERCENTAGE = /(?<!\d)(\d{1,2}) ?[%٪％]|[%٪％] ?(\d{1,2})(?!\d)/g;

function percentagesIn(text: string): string[] {
  const plain = hideIdentifiers(plainDigits(text.slice(0, MAX_TEXT_CHARS)));
  return Array.from(plain.matchAll(PERCENTAGE), ([, before, behind]) => before ?? behind ?? "");
}

function readTopic(subject: string, bodies: readonly string[]): Topic {
  const topic = words.maskOtherCodes(subject.slice(0, MAX_SUBJECT_CHARS));
  const isOccasion = topic.search(words.OCCASION_WORDS) >= 0;
  return {
    isExpected: isOccasion || topic.search(words.CODE_WORDS) >= 0,
    isPromotion: !isOccasion && words.PROMOTION.test(subject.slice(0, MAX_SUBJECT_CHARS)),
    percentages: new Set([subject, ...bodies].flatMap(percentagesIn)),
  };
}

/** Invisible marks that senders put inside a code, so that phones do not take it for a phone number. */
const UNSEEN_WITHIN =
  /(?<=(?<![A-Za-z\d])[A-Z\d]{1,5})[\u00ad\u200b-\u200d\u2060\ufeff]+(?=[A-Z\d]{1,5}(?![A-Za-z\d]))/g;

function candidatesIn(source: string, where: MessageCode["where"], topic: Topic) {
  const original = source.slice(0, MAX_TEXT_CHARS).replace(UNSEEN_WITHIN, "");
  const plain = plainDigits(original);
  const text = hideOthers(words.maskOtherCodes(where === "html" ? joinCells(plain) : plain));
  const spots = findSpots(text);
  const scores = scoreSpots(spots, { text, ...topic });
  const found = spots.map(
    (spot, index): Candidate => ({
      code: spot.code,
      context: around(original, spot),
      where,
      score: scores[index] ?? 0,
      isOld: isReplaced(text, spot),
    }),
  );
  return { found, isAll: source.length <= MAX_TEXT_CHARS && spots.length < MAX_SPOTS };
}

const rank = ({ score, isOld }: Candidate) => (isOld ? score - OLD_WEIGHT : score);

/** The bonus for a code that is in more than one of subject, text and HTML. */
const REPEATED = 15;

/** Each code once, at the place where it is most likely a code. */
function merge(candidates: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = best.get(candidate.code);
    if (!known) {
      best.set(candidate.code, candidate);
      continue;
    }
    const repeated = known.where !== candidate.where && known.score > 0 && candidate.score > 0 ? REPEATED : 0;
    const better = candidate.score > known.score ? candidate : known;
    const isOld = known.isOld || candidate.isOld;
    best.set(candidate.code, { ...better, score: better.score + repeated, isOld });
  }
  return [...best.values()];
}

/**
 * If the most likely code is a number, plain words are dropped ("482913 is your OTP. OTPs are SECRET"), unless other
 * codes mix letters and digits.
 */
function withoutWords(likely: readonly Candidate[]): readonly Candidate[] {
  const isNumber = ({ code }: Candidate) => /^\d+$/.test(code);
  const hasNoDigit = ({ code }: Candidate) => !/\d/.test(code);
  const best = likely[0];
  if (best === undefined || !isNumber(best)) return likely;
  return likely.every((code) => isNumber(code) || hasNoDigit(code)) ? likely.filter(isNumber) : likely;
}

/** `isAll` is false if only a part of the mail was searched, or it has more codes than the limit. */
export function readCodes({ subject, text, html }: CodeSource): { codes: MessageCode[]; isAll: boolean } {
  const fromHtml =
    html === "" ? "" : htmlToText(html, { links: false, cellGap: "\t", maxChars: MAX_TEXT_CHARS + 1 });
  const topic = readTopic(subject, [text, fromHtml]);
  const candidates = [
    candidatesIn(subject, "subject", topic),
    candidatesIn(text, "text", topic),
    candidatesIn(fromHtml, "html", topic),
  ];
  const likely = withoutWords(
    merge(candidates.flatMap(({ found }) => found))
      .filter(({ score }) => score >= LEAST_SCORE)
      .sort((left, right) => rank(right) - rank(left)),
  );
  const codes = likely.slice(0, MAX_CODES).map(({ code, context, where }) => ({ code, context, where }));
  return { codes, isAll: likely.length <= MAX_CODES && candidates.every(({ isAll }) => isAll) };
}
