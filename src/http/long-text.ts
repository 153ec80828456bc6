// Text of megabytes on its way to a client: cut into pieces as the client reads, so that it neither keeps other
// requests waiting nor lies in memory a second time.
import { streamOf } from "../lib/generator-stream.ts";
import { ownTurn } from "../lib/own-turn.ts";

/** Beyond this an answer is written in pieces. */
export const LONG_CHARS = 256 * 1024;
/** As much as is written in one turn: an answer to others takes several turns. */
export const PIECE_CHARS = 64 * 1024;

/** A character of two halves is not cut: each half alone would be something else. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHalf ? end - 1 : end;
}

export function* piecesOf(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

async function* encoded(text: string): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of piecesOf(text)) {
    await ownTurn();
    yield Buffer.from(piece);
  }
}

/** The body of a response. */
export const textBody = (text: string): string | ReadableStream<Uint8Array> =>
  text.length > LONG_CHARS ? streamOf(encoded(text)) : text;
