// The text of a message for the full-text index: its body as a reader sees it, bounded. The subject is in the row.
import { htmlToText } from "../html/text.ts";
import { startStructureScan } from "../structure.ts";
import { type BodyPart, bodyParts, decodeBody } from "./bodies.ts";

const MAX_SEARCHED_CHARS = 1_048_576;
/** Octets that are decoded: enough for all the text wanted unless it is mostly markup. */
const MAX_DECODED_BYTES = 8 << 20;

export function searchText(raw: Uint8Array): string {
  const scan = startStructureScan({ measures: false });
  scan.push(raw);
  const { parts } = bodyParts(scan.finish());
  const pieces: string[] = [];
  let room = MAX_SEARCHED_CHARS;
  let bytesLeft = MAX_DECODED_BYTES;
  /** The alternatives of which there is text: their HTML says the same again. */
  const told = new Set<number | null>();
  // Text first, for it may make HTML superfluous.
  for (const part of [...parts.filter(isText), ...parts.filter((part) => !isText(part))]) {
    if (room <= 0 || bytesLeft <= 0 || (!isText(part) && told.has(part.alternative))) continue;
    const end = Math.min(part.end, part.start + bytesLeft);
    const content = decodeBody({ ...part, isCut: end < part.end }, raw.subarray(part.start, end));
    const text = isText(part) ? content : htmlToText(content, { links: false, maxChars: room });
    const piece = text.slice(0, room);
    if (isText(part) && part.alternative !== null && /\S/.test(piece)) told.add(part.alternative);
    pieces.push(piece);
    room -= piece.length + 1;
    bytesLeft -= end - part.start;
  }
  return pieces.join("\n");
}

const isText = ({ kind }: BodyPart) => kind === "text";
