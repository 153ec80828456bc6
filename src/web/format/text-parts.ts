// Plain text cut for display: where its quoting depth changes, the way ">" at the start of lines tells it, and where
// addresses of pages begin and end.
export interface QuotedPart {
  readonly depth: number;
  readonly text: string;
}

/** Neighbouring lines of the same depth form one part. */
export function quotedParts(text: string): QuotedPart[] {
  const parts: { depth: number; lines: string[] }[] = [];
  for (const line of text.trimEnd().split(/\r?\n/)) {
    const marks = /^(?:> ?)+/.exec(line)?.[0] ?? "";
    const depth = marks.replaceAll(" ", "").length;
    const rest = line.slice(marks.length);
    const last = parts.at(-1);
    if (last?.depth === depth) last.lines.push(rest);
    else parts.push({ depth, lines: [rest] });
  }
  return parts.map(({ depth, lines }) => ({ depth, text: lines.join("\n") }));
}

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
