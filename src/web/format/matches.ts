// Where the words of a search occur in a text: each word as a prefix, without regard to case and accents,
// as the server searches.
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

export function searchWords(q: string): string[] {
  return fold(q).match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function markMatches(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0 || text === "") return [{ text, isMatch: false }];
  const pieces: Piece[] = [];
  let plain = "";
  for (const token of text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+/gu) ?? []) {
    const length = matchLength(token, words);
    if (length === 0) {
      plain += token;
      continue;
    }
    if (plain !== "") pieces.push({ text: plain, isMatch: false });
    pieces.push({ text: token.slice(0, length), isMatch: true });
    plain = token.slice(length);
  }
  if (plain !== "") pieces.push({ text: plain, isMatch: false });
  return pieces;
}

function matchLength(token: string, words: readonly string[]): number {
  const folded = fold(token);
  const longest = Math.max(0, ...words.filter((word) => folded.startsWith(word)).map((word) => word.length));
  // Folding may shorten a word (combining accents); then the whole of it is marked.
  return longest > 0 && folded.length !== token.length ? token.length : longest;
}

const MARKS = /\p{M}/gu;

/** Without marks before they are put in order: for thousands on one letter that would take seconds. */
function fold(text: string): string {
  return text.replace(MARKS, "").normalize("NFD").replace(MARKS, "").toLowerCase();
}
