// What the full-text index is given of a message: subject and body as a reader sees them, bounded.
import { type BodyPart, bodyParts, decodeBody, decodeLines } from "./bodies.ts";
import { fieldFilter } from "./header-block.ts";
import { htmlToText } from "./html-text.ts";
import { MAX_SEARCH_TEXT_CHARS } from "./limits.ts";
import { DESCRIBING_FIELDS } from "./part-headers.ts";
import { type MimeStructure, startStructureScan } from "./structure.ts";
import { readSubject } from "./subject.ts";

/** Encoded octets read for the text wanted: base64 needs four for three, markup more. */
const BYTES_PER_CHAR = 4;
/** Encoded octets of one part that lie in memory at once: enough for all the text wanted unless it is mostly markup. */
const MAX_PART_BYTES = 12 << 20;

/** Bytes looked at together while the parts are found. */
const SCANNED_BYTES = 1 << 20;

/** A message that need not lie in memory as a whole. */
interface RawReader {
  readonly size: number;
  /** The bytes are good until the next call. */
  read(start: number, end: number): Uint8Array;
}

const SEARCHED_FIELDS = fieldFilter(...DESCRIBING_FIELDS, "subject");

const readerOf = (raw: Uint8Array): RawReader => ({
  size: raw.length,
  read: (start, end) => raw.subarray(start, end),
});

function scanned(raw: RawReader): MimeStructure {
  const scan = startStructureScan({ measures: false, fields: SEARCHED_FIELDS });
  for (let at = 0; at < raw.size; at += SCANNED_BYTES)
    scan.push(raw.read(at, Math.min(raw.size, at + SCANNED_BYTES)));
  return scan.finish();
}

function readBody(raw: RawReader, part: BodyPart, maxChars: number): string {
  const end = Math.min(part.end, part.start + Math.min(maxChars * BYTES_PER_CHAR, MAX_PART_BYTES));
  // Where lines end does not matter here, unless words go on in the next.
  const decode = part.flowed === "no" ? decodeLines : decodeBody;
  const content = decode(part, raw.read(part.start, end));
  return part.kind === "text" ? content.slice(0, maxChars) : htmlToText(content, { links: false, maxChars });
}

export function searchText(message: Uint8Array | RawReader): { subject: string; body: string } {
  const raw = message instanceof Uint8Array ? readerOf(message) : message;
  const structure = scanned(raw);
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
