// The list grouped by runs: each has a heading, and its mails can be folded away.
import { computed, signal } from "@preact/signals";
import { decodeTime } from "ulid";
import type { Run } from "../format/split-runs.ts";
import { cursor, ids, isId, type Key, runs } from "../state/list.ts";

export interface Heading extends Run {
  /** Identifies the run for folding. Stays the same when newer mail joins the run. */
  readonly id: string;
  /** The time of the oldest mail, or of the newest mail if older mails may be missing. */
  readonly time: number;
  readonly isFolded: boolean;
}

export interface ListRows {
  /** A mail has its own key. A heading has the id of its newest mail and ~, which sorts it above that mail. */
  readonly keys: readonly Key[];
  readonly headings: ReadonlyMap<Key, Heading>;
}

const folded = signal<ReadonlySet<string>>(new Set());

export function toggleFolded({ id }: Heading): void {
  const next = new Set(folded.peek());
  if (!next.delete(id)) next.add(id);
  folded.value = next;
  // A run with the keyboard cursor cannot be folded, so the cursor is removed.
  cursor.value = undefined;
}

export const listRows = computed((): ListRows => {
  const headings = new Map<Key, Heading>();
  if (!runs.value) return { keys: ids.value, headings };
  const keys = runs.value.flatMap((run) => {
    const known = run.keys.filter(isId);
    const [newest, oldest] = [known[0], known.at(-1)];
    if (newest === undefined || oldest === undefined) return run.keys;
    const id = run.name || oldest;
    const isFolded = folded.value.has(id) && !run.keys.includes(cursor.value ?? "");
    const time = decodeTime(run.isWhole ? oldest : newest);
    headings.set(`${newest}~`, { ...run, id, time, isFolded });
    // Mails that are not fetched yet stay: they may belong to other runs.
    return [`${newest}~`, ...(isFolded ? run.keys.filter((key) => !isId(key)) : run.keys)];
  });
  return { keys, headings };
});
