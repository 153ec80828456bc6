// Reads a message in pieces and lets everybody else have a turn between them: work on a large mail
// must not keep other requests waiting.
import type { RawMessage } from "../../store/index.ts";

const PIECE_BYTES = 256 * 1024;

export async function* readGently(raw: RawMessage, start = 0, end = raw.size): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    yield await raw.bytes(at, Math.min(end, at + PIECE_BYTES));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
