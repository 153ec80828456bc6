// Plain text cut where addresses of pages begin and end.
export interface TextPiece {
  readonly text: string;
  readonly href?: string;
}

/** Marks at the end close the sentence around the address. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'\u0000-\u001f]*[^\s<>"'\u0000-\u001f.,;:!?)]/gi;

export function splitLinks(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: href, index } of text.matchAll(ADDRESS)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: href, href });
    end = index + href.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
