// A text cut where something was found in it.
export interface Piece {
  readonly text: string;
  /** Only of what was found. */
  readonly found?: RegExpExecArray;
}

export function cutAt(text: string, matches: Iterable<RegExpExecArray>): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of matches) {
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) });
    end = found.index + found[0].length;
    pieces.push({ text: text.slice(found.index, end), found });
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** Marks at the end close the sentence around the address. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'\u0000-\u001f]*[^\s<>"'\u0000-\u001f.,;:!?)]/gi;

export const splitLinks = (text: string): Piece[] => cutAt(text, text.matchAll(ADDRESS));
