// Long work of many at once: of all of them together one piece is done in a turn of the event loop, for a piece
// of each would keep everybody else waiting.
import { nextTurn } from "./next-turn.ts";

let lastTurn: Promise<void> = Promise.resolve();

/** Fulfils in a turn that nobody else is given. */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(nextTurn);
  return lastTurn;
}
