// One-time codes in a message, best guess first. Numbers that are something else (dates, prices, phone
// numbers, addresses, colours, order numbers) are blanked out or outweighed; the words around decide.
import { CODE_WORDS, OCCASION_WORDS, OTHER_NUMBERS, STRAIGHT_AFTER, STRAIGHT_BEFORE } from "./code-words.ts";
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
  readonly text: string;
  readonly html: string;
}

interface Candidate extends Code {
  readonly score: number;
}

const MAX_TEXT_CHARS = 200_000;
const MAX_SUBJECT_CHARS = 1000;
const MAX_CANDIDATES = 60;
const MAX_CODES = 10;
const LEAST_SCORE = 30;
const BEFORE_CHARS = 120;
const AFTER_CHARS = 70;
const CONTEXT_CHARS = 40;

/** What looks like a code and is none, whatever stands around it. */
const NOT_CODES: readonly RegExp[] = [
  /\b(?:https?:\/\/|www\.)\S+/gi,
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.-]+/g,
  // An identifier such as a UUID, a hash, a message id
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{10,}\b|\b[0-9a-f]{16,}\b/gi,
  // Dates and times
  /\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?/g,
  /\b\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?(?:19|20)?\d{2}\b/g,
  /\b(?:\d{1,2}\.?\s+(?:de\s+)?\p{L}{3,12}\.?,?\s+(?:de\s+)?|\p{L}{3,12}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+)(?:19|20)\d{2}\b/giu,
  /(?:19|20)\d{2}\s?[年년]\s?(?:\d{1,2}\s?[月월]\s?)?(?:\d{1,2}\s?[日일])?/g,
  /\b\d{1,2}[:.h]\d{2}(?::\d{2})?\s?(?:[ap]\.?m\.?|uhr|utc|gmt|cet)?\b/gi,
  // Money, percentages, quantities, decimals
  /(?:[$€£¥₹₽₺₩₴]|\b(?:usd|eur|gbp|chf|jpy|inr|pln|kr|rs)\.?)\s?\d[\d.,' ]*/giu,
  /\b\d[\d.,']*\s?(?:[$€£¥₹₽₺₩₴%]|(?:usd|eur|euros?|gbp|chf|jpy|pln|zł|kč|kr|руб\.?|円|元|원)(?!\p{L}))/giu,
  /\b\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?\b|\b\d+[.,]\d{1,2}\b/g,
  /\b\d+\s?(?:px|pt|kb|mb|gb|tb|km|kg|ms|min(?:ute[ns]?|utes|uti|utos)?|hours?|stunden|heures?|horas?|days?|tage|jours?|d[íi]as?|seconds?|sekunden)\b/giu,
  /\b(?:v|version)\s?\d+(?:\.\d+)+\b|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi,
  // Phone numbers
  /\+\d[\d ().\-/]{6,}\d/g,
  /\(\d{2,5}\)\s?\d{2,4}[ .-]?\d{2,4}(?:[ .-]?\d{2,4})?/g,
  /\b(?:0|1[ -])\d{2,4}[ .\-/]\d{2,4}[ .-]\d{2,4}(?:[ .-]\d{2,4})?\b|\b\d{3}[-.]\d{3}[-.]\d{4}\b|\b0\d{3,5}[ /-]\d{4,8}\b/g,
  // Card endings, colours, numbered things
  /(?<![•*·xX])[•*·xX]{2}[•*·xX -]{0,20}\d{4}\b/g,
  /#[0-9a-f]{3,8}\b/gi,
  /(?:#|№|\b(?:nr|no|n°|nº)\.?\s?)\s?\d+/giu,
  // Years that stand for years, postal addresses
  /(?:©|\(c\)|copyright)[^\n\d]{0,30}(?:19|20)\d{2}(?:\s?[-–]\s?(?:19|20)?\d{2,4})?/gi,
  /\b\d{1,5}\s+(?:\p{Lu}[\p{L}.']+\s+){1,4}(?:St(?:reet)?|Ave(?:nue)?|R(?:oa)?d|Blvd|Boulevard|Way|Lane|Ln|Drive|Dr|Court|Ct|Plaza|Square|Parkway|Pkwy)\b/gu,
  /\b[A-Z]{2}\s+\d{5}(?:-\d{4})?\b/g,
  /(?:^|[,|·•]\s*)(?:[A-Z]{1,2}-)?\d{4,5}\s+\p{Lu}\p{Ll}{2,}(?=\s*(?:$|[,|·•]))/gmu,
];

const blank = (text: string) => text.replace(/[^\n]/g, " ");

const hide = (text: string) => NOT_CODES.reduce((rest, kind) => rest.replace(kind, blank), text);

interface Shape {
  readonly pattern: RegExp;
  readonly weight: number;
}

const EDGE = "(?<![\\p{L}\\p{N}_.,/\\\\@-])";
const END = "(?![\\p{L}\\p{N}_@]|[.,/\\\\-][\\p{L}\\p{N}])";
/** CJK text has no spaces: there a letter may touch the code. */
const LOOSE_EDGE = "(?<![A-Za-z\\p{N}_.,/\\\\@-])";
const LOOSE_END = "(?![A-Za-z\\p{N}_@]|[.,/\\\\-][A-Za-z\\p{N}])";

/** Longest print first: what one shape has taken, the next does not see. */
const SHAPES: readonly Shape[] = [
  { pattern: /(?<![\p{N}] ?)\b\d(?:[ \u00a0]\d){3,9}\b(?! ?\p{N})/gu, weight: 12 },
  {
    pattern: new RegExp(
      `${LOOSE_EDGE}(?:\\d{3}[ \\u00a0\u2010-\u2015-]\\d{3}(?:[ \\u00a0\u2010-\u2015-]\\d{3})?|\\d{4}[ \\u00a0\u2010-\u2015-]\\d{4}|\\d{2}(?:[ \\u00a0\u2010-\u2015-]\\d{2}){2,3})${LOOSE_END}(?![ \\u00a0\u2010-\u2015-]?\\d)`,
      "gu",
    ),
    weight: 10,
  },
  { pattern: new RegExp(`${EDGE}G-\\d{6}${END}`, "gu"), weight: 25 },
  {
    pattern: new RegExp(
      `${EDGE}(?=[A-Z0-9\u2010-\u2015-]{0,17}\\d|[A-Z]{2,5}-[A-Z]{2,5})[A-Z0-9]{2,5}(?:[\u2010-\u2015-][A-Z0-9]{2,5}){1,2}${END}`,
      "gu",
    ),
    weight: 6,
  },
  { pattern: new RegExp(`${LOOSE_EDGE}\\d{4,10}${LOOSE_END}`, "gu"), weight: 8 },
  {
    pattern: new RegExp(`${LOOSE_EDGE}(?=[A-Z]*\\d)(?=\\d*[A-Z])[A-Z0-9]{4,10}${LOOSE_END}`, "gu"),
    weight: 5,
  },
  { pattern: new RegExp(`${EDGE}(?=[a-zA-Z]*\\d)(?=\\d*[a-zA-Z])[a-zA-Z0-9]{5,10}${END}`, "gu"), weight: -5 },
  { pattern: new RegExp(`${EDGE}[A-Z]{5,8}${END}`, "gu"), weight: -22 },
];

const LENGTH_WEIGHT: Readonly<Record<number, number>> = { 4: 3, 5: 4, 6: 12, 7: 3, 8: 6 };

/** The code without its print: gaps and dashes, and the "G-" that Google's form already shows. */
const join = (printed: string) =>
  printed.replace(/^G-(?=\d{6}$)/, "").replace(/[\s\u00a0\u2010-\u2015-]/g, "");

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
  const code = join(printed);
  const line = lineAround(text, at, end);
  const before = text.slice(Math.max(0, at - BEFORE_CHARS), at);
  const after = text.slice(end, end + AFTER_CHARS);
  const isAlone = MARKUP_ONLY.test(line.before) && MARKUP_ONLY.test(line.after);
  const isStraight = STRAIGHT_BEFORE.test(before);
  const named = nearness(CODE_WORDS, before, after);
  const occasion = nearness(OCCASION_WORDS, before, after);
  let score = weight + (LENGTH_WEIGHT[code.length] ?? 0) + Math.max(named * 45, occasion * 25);
  if (isAlone) score += 22;
  else if (!STRAIGHT_AFTER.test(after)) score -= otherNumber(line.before);
  if (isStraight && (isExpected || Math.max(named, occasion) > 0.5)) score += 12;
  if (where === "subject" && named > 0) score += 8;
  if (isExpected) score += 8;
  if (isYear(code)) score -= named > 0 && (isAlone || isStraight) ? 8 : 45;
  if (isRound(code)) score -= 15;
  if (!/\d/.test(code) && !isAlone && !isStraight) score -= 25;
  return score;
}

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
  let rest = hide(text);
  const found: Candidate[] = [];
  for (const { pattern, weight } of SHAPES) {
    for (const match of rest.matchAll(pattern)) {
      if (found.length >= MAX_CANDIDATES) break;
      const [printed] = match;
      const code = join(printed);
      if (code.length < 4 || code.length > 10) continue;
      const score = scoreAt({ text: rest, where, isExpected }, printed, match.index, weight);
      const context = around(text, match.index, match.index + printed.length);
      found.push({ code, context, where, score });
    }
    rest = rest.replace(pattern, blank);
  }
  return found;
}

/** The same code in several places is the more likely one. */
const REPEATED = 15;

export function findCodes({ subject, text, html }: CodeSource): Code[] {
  const fromHtml = html === "" ? "" : htmlToText(html, { links: false, maxChars: MAX_TEXT_CHARS });
  const topic = subject.slice(0, MAX_SUBJECT_CHARS);
  const isExpected = topic.search(CODE_WORDS) >= 0 || topic.search(OCCASION_WORDS) >= 0;
  const candidates = [
    ...candidatesIn(subject, "subject", isExpected),
    ...candidatesIn(text, "text", isExpected),
    ...(fromHtml === text ? [] : candidatesIn(fromHtml, "html", isExpected)),
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
    best.set(candidate.code, { ...better, score: better.score + repeated });
  }
  return [...best.values()]
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_CODES)
    .map(({ code, context, where }) => ({ code, context, where }));
}
