// Bodies of large messages: one file each, read in pieces so that memory stays flat.
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "../../lib/crc32.ts";
import { streamOf } from "../../lib/generator-stream.ts";

const READ_BYTES = 256 << 10;

/** What the bytes must add up to when they are read from beginning to end. */
export interface BodyCheck {
  readonly salt: number;
  readonly crc: number;
  readonly failure: () => Error;
}

export const streamLargeBody = (
  path: string,
  start: number,
  end: number,
  check: BodyCheck | null,
): ReadableStream<Uint8Array> => streamOf(readPieces(path, start, end, check));

async function* readPieces(
  path: string,
  start: number,
  end: number,
  check: BodyCheck | null,
): AsyncGenerator<Uint8Array, void, void> {
  if (start >= end) return;
  const file = await open(path, "r");
  try {
    let crc = check?.salt ?? 0;
    for (let at = start; at < end; ) {
      const piece = await readPiece(file, at, Math.min(READ_BYTES, end - at));
      if (piece.length === 0) throw check?.failure() ?? new Error(`${path} is shorter than it was`);
      at += piece.length;
      if (check !== null) crc = crc32(piece, crc);
      // The last piece is held back until the whole is known to be sound.
      if (at >= end && check !== null && crc !== check.crc) throw check.failure();
      yield piece;
    }
  } finally {
    await file.close();
  }
}

async function readPiece(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}
