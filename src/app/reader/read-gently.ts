// Reads a message in pieces and lets everybody else have a turn between them: work on a large mail
// must not keep other requests waiting.
import { nextTurn } from "../../lib/next-turn.ts";
import type { RawMessage } from "../../store/index.ts";

const PIECE_BYTES = 256 * 1024;
/** Even this little may hold thousands of parts. */
const TAKEN_BYTES = 16 * 1024;
/** How long one mail may be worked on before others have a turn. */
const TURN_MS = 5;

export async function* readGently(raw: RawMessage, start = 0, end = raw.size): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    yield await raw.bytes(at, Math.min(end, at + PIECE_BYTES));
    await nextTurn();
  }
}

/** For work that may take long for few bytes. */
export async function takeGently(raw: RawMessage, take: (bytes: Uint8Array) => void): Promise<void> {
  for await (const piece of readGently(raw)) {
    let started = performance.now();
    for (let at = 0; at < piece.length; at += TAKEN_BYTES) {
      take(piece.subarray(at, at + TAKEN_BYTES));
      if (performance.now() - started < TURN_MS) continue;
      await nextTurn();
      started = performance.now();
    }
  }
}
