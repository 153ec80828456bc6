// Where the words of a search occur in a text, to mark them. The server finds more; a mark that is missing costs nothing.
import { parseSearch, type SearchNode, type TextTerm } from "../../query/index.ts";
import { cutAt, type Piece } from "./text-parts.ts";

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
  if (patterns.length === 0) return [{ text }];
  return cutAt(text, plain(text).matchAll(new RegExp(patterns.join("|"), "giu")));
}

/** Letters without their accents, each in its place. */
const plain = (text: string) =>
  text.replace(/[\u00c0-\u1fff]/g, (letter) => letter.normalize("NFD")[0] ?? letter);
