// What the full-text index is given of a message: subject and body as a reader sees them, bounded.
import { MAX_SEARCHED_CHARS } from "../lib/searched-text.ts";
import { type BodyPart, bodyParts, decodeBody, decodeLines } from "./bodies.ts";
import { fieldFilter } from "./header/header-block.ts";
import { readSubject } from "./header/subject.ts";
import { htmlToText } from "./html/html-text.ts";
import { DESCRIBING_FIELDS } from "./part-headers.ts";
import { type StructureScan, startStructureScan } from "./structure.ts";

/** Encoded octets read for the text wanted: base64 needs four for three, markup more. */
const BYTES_PER_CHAR = 4;
/** Encoded octets of one part that lie in memory at once: enough for all the text wanted unless it is mostly markup. */
const MAX_PART_BYTES = 12 << 20;

const SEARCHED_FIELDS = fieldFilter(...DESCRIBING_FIELDS, "subject");

/** Text first: beside a text alternative the HTML says the same again. */
export const SEARCHED_KINDS = ["text", "html"] as const;

/** Which alternatives the text that was read so far has something of. */
export class TextRead {
  readonly #alternatives = new Set<number>();

  add({ kind, alternative }: BodyPart, text: string): void {
    if (kind === "text" && alternative !== null && /\S/.test(text)) this.#alternatives.add(alternative);
  }

  /** Whether HTML is an alternative of it. */
  repeats({ kind, alternative }: BodyPart): boolean {
    return kind === "html" && alternative !== null && this.#alternatives.has(alternative);
  }
}

export const startSearchedScan = (): StructureScan =>
  startStructureScan({ measures: false, fields: SEARCHED_FIELDS });

/** Where the octets of a part end that are read for so many characters. */
export const searchedEnd = ({ start, end }: BodyPart, maxChars: number): number =>
  Math.min(end, start + Math.min(maxChars * BYTES_PER_CHAR, MAX_PART_BYTES));

export function searchText(message: Uint8Array): { subject: string; body: string } {
  const scan = startSearchedScan();
  scan.push(message);
  const structure = scan.finish();
  const parts = bodyParts(structure);
  const pieces: string[] = [];
  let room = MAX_SEARCHED_CHARS;
  const textRead = new TextRead();
  for (const kind of SEARCHED_KINDS) {
    for (const part of parts) {
      if (room <= 0 || part.kind !== kind || textRead.repeats(part)) continue;
      const piece = readBody(message, part, room);
      textRead.add(part, piece);
      pieces.push(piece);
      room -= piece.length;
    }
  }
  return { subject: readSubject(structure.root.fields), body: pieces.join("\n") };
}

function readBody(message: Uint8Array, part: BodyPart, maxChars: number): string {
  // Where lines end does not matter here, unless words go on in the next.
  const decode = part.flowed === "no" ? decodeLines : decodeBody;
  const content = decode(part, message.subarray(part.start, searchedEnd(part, maxChars)));
  return part.kind === "text" ? content.slice(0, maxChars) : htmlToText(content, { links: false, maxChars });
}
