// One-time codes in a message, best guess first. Numbers that are something else (dates, prices, phone
// numbers, addresses, colours, order numbers) are blanked out or outweighed; the words around decide.
import { blank, hideOthers, joinPrint, plainDigits, SHAPES } from "./code-shapes.ts";
import {
  ASKS_FOR_IT,
  CODE_WORDS,
  IS_NEW,
  IS_OLD_AFTER,
  IS_OLD_BEFORE,
  maskOtherCodes,
  OCCASION_WORDS,
  OTHER_CODE,
  OTHER_NUMBERS,
  SAVES_MONEY,
  STRAIGHT_AFTER,
  STRAIGHT_BEFORE,
} from "./code-words.ts";
import { htmlToText } from "./html-text.ts";

export interface Code {
  /** As one types it in: without the gaps and dashes of its print. */
  readonly code: string;
  /** The words around it. */
  readonly context: string;
  readonly where: "subject" | "text" | "html";
}

export interface CodeSource {
  readonly subject: string;
  /** Of a text part; text made from the HTML would only repeat its codes. */
  readonly text: string;
  readonly html: string;
}

interface Candidate extends Code {
  readonly score: number;
  /** The mail says that another one replaces it. */
  readonly isOld: boolean;
}

const MAX_TEXT_CHARS = 200_000;
const MAX_SUBJECT_CHARS = 1000;
const MAX_CANDIDATES = 60;
const MAX_CODES = 10;
const LEAST_SCORE = 30;
const BEFORE_CHARS = 120;
const AFTER_CHARS = 70;
const CONTEXT_CHARS = 40;
/** The name of another kind of code, or of an old one, stands this near. */
const OTHER_CHARS = 40;
/** A code that was replaced is the last guess. */
const OLD_WEIGHT = 60;

const LENGTH_WEIGHT: Readonly<Record<number, number>> = { 4: 3, 5: 4, 6: 12, 7: 3, 8: 6 };

/** How near the closest word of this kind stands: 1 beside the code, 0 out of sight. */
function nearness(words: RegExp, before: string, after: string): number {
  let best = 0;
  for (const match of before.matchAll(words)) {
    best = Math.max(best, 1 - (before.length - match.index - match[0].length) / (BEFORE_CHARS * 1.2));
  }
  const next = after.search(words);
  words.lastIndex = 0;
  if (next >= 0) best = Math.max(best, 0.85 - next / (AFTER_CHARS * 1.2));
  return best;
}

function lineAround(text: string, from: number, to: number): { before: string; after: string } {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", to);
  return { before: text.slice(start, from), after: text.slice(to, end < 0 ? text.length : end) };
}

const isYear = (code: string) => /^(?:19|20)\d{2}$/.test(code);
const isRound = (code: string) => /^\d0+$/.test(code);
const MARKUP_ONLY = /^[\s*_#>|"'“”‘’«»「」『』[\](){}.:=~-]*$/u;

/** What is known of the place where a candidate stands. */
interface Place {
  readonly text: string;
  readonly where: Code["where"];
  /** The subject speaks of a code or of its occasion. */
  readonly isExpected: boolean;
}

function scoreAt({ text, where, isExpected }: Place, printed: string, at: number, weight: number): number {
  const end = at + printed.length;
  const code = joinPrint(printed);
  const line = lineAround(text, at, end);
  const before = text.slice(Math.max(0, at - BEFORE_CHARS), at);
  const after = text.slice(end, end + AFTER_CHARS);
  const isAlone = MARKUP_ONLY.test(line.before) && MARKUP_ONLY.test(line.after);
  const isStraight = STRAIGHT_BEFORE.test(before);
  const named = nearness(CODE_WORDS, before, after);
  const occasion = nearness(OCCASION_WORDS, before, after);
  const other = nearness(OTHER_CODE, before.slice(-OTHER_CHARS), after.slice(0, OTHER_CHARS));
  let score = weight + (LENGTH_WEIGHT[code.length] ?? 0) + Math.max(named * 45, occasion * 25);
  if (isAlone) score += 22;
  else if (!STRAIGHT_AFTER.test(after)) score -= otherNumber(line.before);
  if (isStraight && (isExpected || Math.max(named, occasion) > 0.5)) score += 12;
  if (ASKS_FOR_IT.test(before)) score += 20;
  if (IS_NEW.test(before.slice(-OTHER_CHARS))) score += 8;
  if (other > named) score -= other * 60;
  if (SAVES_MONEY.test(after)) score -= 60;
  if (where === "subject" && named > 0) score += 8;
  if (isExpected) score += 8;
  if (isYear(code)) score -= named > 0 && (isAlone || isStraight) ? 8 : 45;
  if (isRound(code)) score -= 15;
  if (!/\d/.test(code) && !isAlone && !isStraight) score -= 25;
  return score;
}

const isReplaced = (text: string, from: number, to: number) =>
  IS_OLD_BEFORE.test(text.slice(Math.max(0, from - OTHER_CHARS), from)) ||
  IS_OLD_AFTER.test(text.slice(to, to + AFTER_CHARS));

/** The label of another number stands before it on its line; a code's own word in between outweighs it. */
function otherNumber(lineBefore: string): number {
  const near = lineBefore.slice(-60);
  const other = nearness(OTHER_NUMBERS, near, "");
  return nearness(CODE_WORDS, near, "") > other ? other * 10 : other * 55;
}

const around = (text: string, from: number, to: number) =>
  `${text.slice(Math.max(0, from - CONTEXT_CHARS), from)}${text.slice(from, to + CONTEXT_CHARS)}`
    .replace(/\s+/g, " ")
    .trim();

function candidatesIn(source: string, where: Code["where"], isExpected: boolean): Candidate[] {
  const text = source.slice(0, MAX_TEXT_CHARS);
  let rest = hideOthers(maskOtherCodes(plainDigits(text)));
  const found: Candidate[] = [];
  for (const { pattern, weight } of SHAPES) {
    for (const match of rest.matchAll(pattern)) {
      if (found.length >= MAX_CANDIDATES) break;
      const [printed] = match;
      const code = joinPrint(printed);
      if (code.length < 4 || code.length > 10) continue;
      const end = match.index + printed.length;
      const score = scoreAt({ text: rest, where, isExpected }, printed, match.index, weight);
      const context = around(text, match.index, end);
      found.push({ code, context, where, score, isOld: isReplaced(rest, match.index, end) });
    }
    rest = rest.replace(pattern, blank);
  }
  return found;
}

const rank = ({ score, isOld }: Candidate) => (isOld ? score - OLD_WEIGHT : score);

/** The same code in several places is the more likely one. */
const REPEATED = 15;

export function findCodes({ subject, text, html }: CodeSource): Code[] {
  const fromHtml = html === "" ? "" : htmlToText(html, { links: false, maxChars: MAX_TEXT_CHARS });
  const topic = maskOtherCodes(subject.slice(0, MAX_SUBJECT_CHARS));
  const isExpected = topic.search(CODE_WORDS) >= 0 || topic.search(OCCASION_WORDS) >= 0;
  const candidates = [
    ...candidatesIn(subject, "subject", isExpected),
    ...candidatesIn(text, "text", isExpected),
    ...candidatesIn(fromHtml, "html", isExpected),
  ];
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
  return [...best.values()]
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((left, right) => rank(right) - rank(left))
    .slice(0, MAX_CODES)
    .map(({ code, context, where }) => ({ code, context, where }));
}
