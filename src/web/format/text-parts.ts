// Plain text cut where addresses of pages begin and end.
export interface TextPiece {
  readonly text: string;
  readonly href?: string;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'\u0000-\u001f]+/gi;

export function splitLinks(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const href = trimSentence(found);
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: href, href });
    end = index + href.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** A full stop or a bracket that closes the sentence around an address is not part of it. */
function trimSentence(address: string): string {
  let unopened = address.split(")").length - address.split("(").length;
  let end = address.length;
  for (; end > 0; end--) {
    const last = address[end - 1] ?? "";
    if (last === ")" ? unopened-- <= 0 : !".,;:!?".includes(last)) break;
  }
  return address.slice(0, end);
}
