// A change of many messages. Few are changed at once; many, or those with long texts, in turns, so that others have
// theirs in between.
import type { CommitQueue, Postponed, Refused } from "./commit-queue.ts";
import { CHARS_PER_TURN } from "./rows/long-rows.ts";
import { charsOf, type MessageRow } from "./rows/row.ts";

/** Messages are named by their ids or their seqs. */
interface ManyChanges<Key, Result> {
  readonly keys: readonly Key[];
  readonly perTurn: number;
  readonly find: (key: Key) => MessageRow | null;
  readonly apply: (found: readonly MessageRow[]) => Result[] | Refused | Postponed;
  readonly onTurn: (results: Result[]) => void;
}

/** Yields the results of each turn. */
export async function* inTurns<Key, Result>(queue: CommitQueue, changes: ManyChanges<Key, Result>) {
  const { keys, perTurn, find, apply, onTurn } = changes;
  for (let at = 0; at < keys.length; ) {
    let next = at;
    const turn = queue.push(() => {
      const found: MessageRow[] = [];
      let chars = 0;
      for (next = at; next < keys.length && next < at + perTurn && chars < CHARS_PER_TURN; next++) {
        const row = find(keys[next] as Key);
        if (row === null) continue;
        found.push(row);
        chars += charsOf(row);
      }
      return apply(found);
    });
    // The first to hear of it, so that it keeps its place among the changes.
    turn.then(onTurn, () => {});
    yield await turn;
    at = next;
  }
}
