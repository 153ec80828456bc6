// Where what is searched for occurs in a text, as the server finds it: words and phrases everywhere, the values of
// `from:`, `to:` and `subject:` as parts of their own field.
import { foldCase } from "../../lib/fold.ts";
import { foldWords, type Phrase, phrasesOf, WORD } from "../../lib/search-words.ts";
import { readSearch } from "./search-terms.ts";

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface Sought {
  readonly phrases: readonly Phrase[];
  /** By the name of the field. */
  readonly parts: readonly (readonly [field: string, part: string])[];
}

type Mark = (start: number, end: number) => void;

export function soughtBy(typed: string): Sought {
  const { text, filters } = readSearch(typed);
  return { phrases: phrasesOf(text), parts: filters.map(([field, value]) => [field, foldCase(value)]) };
}

export function markMatches(text: string, { phrases, parts }: Sought, field?: string): Piece[] {
  const here = parts.filter(([name]) => name === field).map(([, part]) => part);
  if (text === "" || (phrases.length === 0 && here.length === 0)) return [{ text, isMatch: false }];
  const isMarked = new Uint8Array(text.length);
  const mark: Mark = (start, end) => isMarked.fill(1, start, end);
  if (phrases.length > 0) findPhrases(text, phrases, mark);
  if (here.length > 0) findParts(text, here, mark);
  return cut(text, isMarked);
}

function findPhrases(text: string, phrases: readonly Phrase[], mark: Mark): void {
  const folded = foldText(text, foldWords);
  const possible = phrases.filter(({ words }) => words.every((word) => folded.text.includes(word)));
  if (possible.length === 0) return;
  const words = [...folded.text.matchAll(WORD)];
  for (let first = 0; first < words.length; first++) {
    for (const phrase of possible) {
      if (!isPhraseAt(words, first, phrase)) continue;
      phrase.words.forEach((sought, offset) => {
        const start = words[first + offset]?.index ?? 0;
        mark(folded.starts[start] ?? 0, folded.ends[start + sought.length - 1] ?? 0);
      });
    }
  }
}

function isPhraseAt(
  words: readonly RegExpExecArray[],
  first: number,
  { words: sought, isWhole }: Phrase,
): boolean {
  return sought.every((part, offset) => {
    const word = words[first + offset]?.[0];
    const mayGoOn = !isWhole && offset === sought.length - 1;
    return mayGoOn ? word?.startsWith(part) : word === part;
  });
}

function findParts(text: string, parts: readonly string[], mark: Mark): void {
  const folded = foldText(text, foldCase);
  for (const part of parts) {
    let start = folded.text.indexOf(part);
    for (; start !== -1; start = folded.text.indexOf(part, start + part.length)) {
      mark(folded.starts[start] ?? 0, folded.ends[start + part.length - 1] ?? 0);
    }
  }
}

function cut(text: string, isMarked: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < text.length; ) {
    const isMatch = isMarked[start] === 1;
    const next = isMarked.indexOf(isMatch ? 0 : 1, start);
    const end = next === -1 ? text.length : next;
    pieces.push({ text: text.slice(start, end), isMatch });
    start = end;
  }
  return pieces;
}

/** A text folded for a comparison, with the way back: where in the text each folded character came from. */
interface Folded {
  readonly text: string;
  /** By the place of a folded character: where its letter begins and ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Marks, and what begins with one when it is taken apart: narrow voicing marks of kana, the Thai and Lao vowel AM. */
const MARK = String.raw`\p{M}\uff9e\uff9f\u0e33\u0eb3`;
const SYLLABLE = String.raw`[\u1100-\u115f]+[\u1160-\u11a7]+[\u11a8-\u11ff]*`;
/** What is folded as one: a letter with its marks, a Hangul syllable. */
const LETTER = new RegExp(`${SYLLABLE}|[^${MARK}]?[${MARK}]+|[^]`, "gu");

function foldText(text: string, fold: (letter: string) => string): Folded {
  const known = new Map<string, string>();
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = "";
  let start = 0;
  for (const letter of text.match(LETTER) ?? []) {
    const plain = known.get(letter) ?? fold(letter);
    known.set(letter, plain);
    folded += plain;
    for (let count = 0; count < plain.length; count++) {
      starts.push(start);
      ends.push(start + letter.length);
    }
    start += letter.length;
  }
  return { text: folded, starts, ends };
}
