// Rows with long texts have an index of their own: whoever goes through many rows asks it where to end a step.
// The recipients of one mail may take megabytes.
import type { Statements } from "./statements.ts";

/** Of its texts; what has fewer characters is an ordinary row. */
export const LONG_ROW_CHARS = 1024;
/** How much text is read in one turn of the event loop. */
export const CHARS_PER_TURN = 512 * 1024;

/** As many as fill a turn, however short they are. */
const NEXT_LONG = `SELECT seq, chars FROM message INDEXED BY message_long
  WHERE chars > ${LONG_ROW_CHARS} AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${CHARS_PER_TURN / LONG_ROW_CHARS}`;

export interface Step {
  /** The last seq of it. */
  readonly end: number;
  /** How long its long texts are. */
  readonly chars: number;
}

/** The step that begins after this seq, and ends at the other one or where the turn is filled. */
export function stepAfter(statements: Statements, after: number, upTo: number): Step {
  let chars = 0;
  for (const long of statements.all<{ seq: number; chars: number }>(NEXT_LONG, after, upTo)) {
    chars += long.chars;
    if (chars >= CHARS_PER_TURN) return { end: long.seq, chars };
  }
  return { end: upTo, chars };
}
