// Where the words of a search occur in a text, to mark them. The server finds more: it knows letters by their kind and
// words in every script. A mark that is missing costs nothing.
import { readSearch } from "./search-terms.ts";

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface Sought {
  readonly words: readonly string[];
  /** By the name of the field. */
  readonly parts: readonly (readonly [field: string, part: string])[];
}

const SPACED = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{N}]/u;

export function soughtBy(typed: string): Sought {
  const { text, filters } = readSearch(typed);
  const words = text.match(/"[^"]+"|[^\s"]+/g) ?? [];
  return { words: words.map((word) => word.replaceAll('"', "")), parts: filters };
}

export function markMatches(text: string, { words, parts }: Sought, field?: string): Piece[] {
  const patterns = [
    // Words count from their beginning, parts of a field anywhere in it.
    ...words.map((word) => (SPACED.test(word) ? `(?<![\\p{L}\\p{N}])${escaped(word)}` : escaped(word))),
    ...parts.filter(([name]) => name === field).map(([, part]) => escaped(part)),
  ];
  if (text === "" || patterns.length === 0) return [{ text, isMatch: false }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of plain(text).matchAll(new RegExp(patterns.join("|"), "giu"))) {
    if (index > end) pieces.push({ text: text.slice(end, index), isMatch: false });
    pieces.push({ text: text.slice(index, index + found.length), isMatch: true });
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMatch: false });
  return pieces;
}

/** Letters without their accents, each in its place. */
const plain = (text: string) =>
  text.replace(/[\u00c0-\u1fff]/g, (letter) => letter.normalize("NFD")[0] ?? letter);

const escaped = (word: string) => plain(word).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
