// JSON of a value that holds long strings, such as a mail's bodies: written piece by piece, so that an
// answer of megabytes does not keep other requests waiting.
import { nextTurn } from "../lib/next-turn.ts";

const PIECE_CHARS = 256 * 1024;

const isLong = (member: unknown): member is string =>
  typeof member === "string" && member.length > PIECE_CHARS;

/** Whether some member of an object is a string too long to be written in one turn. */
export const hasLongString = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.values(value).some(isLong);

/** A character of two halves is not cut: each half alone would be escaped. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHalf ? end - 1 : end;
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    await nextTurn();
    start = end;
  }
}

/** The same bytes as JSON.stringify gives. */
export async function encodeLong(value: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let isFirst = true;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    pieces.push(Buffer.from(`${isFirst ? "{" : ","}${JSON.stringify(key)}:`));
    isFirst = false;
    if (!isLong(member)) {
      pieces.push(Buffer.from(JSON.stringify(member)));
      continue;
    }
    pieces.push(Buffer.from('"'));
    for await (const piece of piecesOf(member)) pieces.push(Buffer.from(piece));
    pieces.push(Buffer.from('"'));
  }
  pieces.push(Buffer.from("}"));
  return Buffer.concat(pieces);
}
