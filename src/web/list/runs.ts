// The list grouped by runs: each has a heading, and its mails can be folded away.
import { computed, signal } from "@preact/signals";
import { decodeTime } from "ulid";
import { splitRuns } from "../format/split-runs.ts";
import { cursor, type IdList, ids } from "../state/list.ts";
import { groupsRuns } from "../state/settings.ts";

export interface Run {
  /** Stays the same while the run grows. */
  readonly oldest: string;
  readonly startedAt: number;
  readonly ids: IdList;
  readonly isFolded: boolean;
}

/** What the list draws: headings of runs stand before the mails of the run. */
export interface ListRows {
  /** Headings have a key that sorts as an id does: just before their newest mail. */
  readonly keys: IdList;
  readonly runs: ReadonlyMap<string, Run>;
  readonly placeOf: (row: number) => number;
}

const folded = signal<ReadonlySet<string>>(new Set());

export function toggleFolded({ oldest }: Run): void {
  const next = new Set(folded.peek());
  if (!next.delete(oldest)) next.add(oldest);
  folded.value = next;
  // The run with the keyboard's row is always unfolded.
  cursor.value = undefined;
}

export const listRows = computed((): ListRows => {
  const list = ids.value;
  if (!groupsRuns.value) return { keys: list, runs: new Map(), placeOf: (row) => row };
  const keys: (string | undefined)[] = [];
  const places: number[] = [];
  const runs = new Map<string, Run>();
  let start = 0;
  for (const mails of splitRuns(list)) {
    const known = mails.filter((id) => id !== undefined);
    const [newest, oldest] = [known[0], known.at(-1)];
    const isFolded = oldest !== undefined && folded.value.has(oldest) && !mails.includes(cursor.value);
    if (newest !== undefined && oldest !== undefined) {
      const key = `${newest}~`;
      runs.set(key, { oldest, startedAt: decodeTime(oldest), ids: mails, isFolded });
      keys.push(key);
      places.push(start);
    }
    for (const [index, id] of isFolded ? [] : mails.entries()) {
      keys.push(id);
      places.push(start + index);
    }
    start += mails.length;
  }
  return { keys, runs, placeOf: (row) => places[row] ?? list.length };
});
