// Where the words of a search occur in a text, to mark them. The server finds more; a mark that is missing costs nothing.
import { parseSearch, type SearchNode, type TextTerm } from "../../query/index.ts";

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

const SPACED = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{N}]/u;

export const soughtBy = (q: string): readonly TextTerm[] => textsIn(parseSearch(q, 0).root);

function textsIn(node: SearchNode | null): TextTerm[] {
  if (node === null || node.kind === "fact") return [];
  if (node.kind !== "text") return node.of.flatMap(textsIn);
  return node.isNegated || node.phrase.words.length === 0 ? [] : [node];
}

/** `field`: which operator is about this text. */
export function markMatches(text: string, sought: readonly TextTerm[], field?: string): Piece[] {
  const patterns = sought
    .filter((term) => term.field === undefined || term.field === field)
    .map(({ phrase: { words } }) => {
      const joined = words.join("[^\\p{L}\\p{N}]*");
      return SPACED.test(joined) ? `(?<![\\p{L}\\p{N}])${joined}` : joined;
    });
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
