// What the full-text index is given of a message: subject and body as a reader sees them, bounded.
import { type BodyPart, bodyParts, decodeBody } from "./bodies.ts";
import { htmlToText } from "./html-text.ts";
import { MAX_SEARCH_TEXT_CHARS } from "./limits.ts";
import { readStructure } from "./structure.ts";
import { readSubject } from "./subject.ts";

/** Encoded octets read for the text wanted: base64 needs four for three, markup more. */
const BYTES_PER_CHAR = 4;

function readBody(raw: Uint8Array, part: BodyPart, maxChars: number): string {
  const end = Math.min(part.end, part.start + maxChars * BYTES_PER_CHAR);
  const content = decodeBody(part, raw.subarray(part.start, end));
  return part.kind === "text" ? content.slice(0, maxChars) : htmlToText(content, { links: false, maxChars });
}

export function searchText(raw: Uint8Array): { subject: string; body: string } {
  const structure = readStructure(raw);
  const parts = bodyParts(structure);
  const pieces: string[] = [];
  let room = MAX_SEARCH_TEXT_CHARS;
  let hasText = false;
  // Text first: beside a text alternative the HTML says the same again.
  for (const kind of ["text", "html"] as const) {
    for (const part of parts) {
      if (room <= 0 || part.kind !== kind || (kind === "html" && hasText && part.inAlternative)) continue;
      const piece = readBody(raw, part, room);
      if (kind === "text" && /\S/.test(piece)) hasText = true;
      pieces.push(piece);
      room -= piece.length;
    }
  }
  return { subject: readSubject(structure.root.fields), body: pieces.join("\n") };
}
