// Text of megabytes on its way to a client: cut into pieces as the client reads, so that it neither keeps other
// requests waiting nor lies in memory a second time.
import { streamOf } from "../lib/generator-stream.ts";
import { nextTurn } from "../lib/next-turn.ts";

const PIECE_CHARS = 256 * 1024;

export const isLong = (text: string): boolean => text.length > PIECE_CHARS;

let lastTurn: Promise<void> = Promise.resolve();

/** Of all answers together one piece is written in a turn: many at once would keep others waiting, too. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(nextTurn);
  return lastTurn;
}

/** A character of two halves is not cut: each half alone would be something else. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHalf ? end - 1 : end;
}

export async function* piecesOf(text: string): AsyncGenerator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    await ownTurn();
    yield text.slice(start, end);
    start = end;
  }
}

async function* encoded(text: string): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of piecesOf(text)) yield Buffer.from(piece);
}

/** The body of a response. */
export const textBody = (text: string): string | ReadableStream<Uint8Array> =>
  isLong(text) ? streamOf(encoded(text)) : text;
