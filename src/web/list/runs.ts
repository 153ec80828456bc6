// The list grouped by runs: each has a heading, and its mails can be folded away.
import { computed, signal } from "@preact/signals";
import { decodeTime } from "ulid";
import { cursor, type IdList, ids, runs } from "../state/list.ts";

export interface Heading {
  readonly name: string;
  /** Identifies the run for folding. Stays the same when newer mail joins the run. */
  readonly key: string;
  /** The time of the oldest mail, or of the newest mail if older mails may be missing. */
  readonly time: number;
  readonly isWhole: boolean;
  readonly ids: IdList;
  readonly isFolded: boolean;
}

/** The rows of the list: the heading of a run comes before its mails. */
export interface ListRows {
  /**
   * One key per row: for a mail its id, for a heading the id of its newest mail and ~, which sorts
   * the heading above that mail.
   */
  readonly keys: IdList;
  readonly headings: ReadonlyMap<string, Heading>;
  readonly placeOf: (row: number) => number;
}

const folded = signal<ReadonlySet<string>>(new Set());

export function toggleFolded({ key }: Heading): void {
  const next = new Set(folded.peek());
  if (!next.delete(key)) next.add(key);
  folded.value = next;
  // A run with the keyboard cursor cannot be folded, so the cursor is removed.
  cursor.value = undefined;
}

export const listRows = computed((): ListRows => {
  const list = ids.value;
  const headings = new Map<string, Heading>();
  if (!runs.value) return { keys: list, headings, placeOf: (row) => row };
  const keys: (string | undefined)[] = [];
  const places: number[] = [];
  let start = 0;
  for (const { name, places: own, isWhole } of runs.value) {
    const mails = list.slice(start, start + own.length);
    const known = mails.filter((id) => id !== undefined);
    const [newest, oldest] = [known[0], known.at(-1)];
    const key = name || oldest || "";
    const isFolded = folded.value.has(key) && !mails.includes(cursor.value);
    if (newest !== undefined && oldest !== undefined) {
      const time = decodeTime(isWhole ? oldest : newest);
      headings.set(`${newest}~`, { name, key, time, isWhole, ids: mails, isFolded });
      keys.push(`${newest}~`);
      places.push(start);
    }
    for (const [index, id] of isFolded ? [] : mails.entries()) {
      keys.push(id);
      places.push(start + index);
    }
    start += mails.length;
  }
  return { keys, headings, placeOf: (row) => places[row] ?? list.length };
});
