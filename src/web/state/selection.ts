// Which mails are ticked, and which one the keyboard is on.
import { batch, computed, signal } from "@preact/signals";
import { asFailure } from "../api/client.ts";
import { fillGaps } from "./fill-gaps.ts";
import { firstGap, type IdList } from "./id-list.ts";
import { complain } from "./toasts.ts";
import { ids, isListed } from "./view.ts";

export const cursor = signal<string | undefined>(undefined);
export const selected = signal<ReadonlySet<string>>(new Set());
/** A selection that is waiting for ids not fetched yet; nothing can be done to a part of it. */
export const gathering = signal<{ readonly found: number; readonly total: number } | undefined>(undefined);
export const isSelecting = computed(() => selected.value.size > 0 || gathering.value !== undefined);

let anchor: string | undefined;
/** What was ticked before the range that begins at the anchor. */
let besides: ReadonlySet<string> = new Set();
let abort: AbortController | undefined;

/** Nothing is ticked in a list that is about to be another: nobody would see what was. */
export function toggleSelected(id: string): void {
  if (!isListed.peek()) return;
  stopGathering();
  const next = new Set(selected.peek());
  if (!next.delete(id)) next.add(id);
  anchor = id;
  besides = next;
  cursor.value = id;
  selected.value = next;
}

/** Ticks everything between the last ticked mail (or the cursor) and this one, once all of it is known. */
export async function selectTo(id: string): Promise<void> {
  if (!isListed.peek()) return;
  stopGathering();
  const list = ids.peek();
  const start = anchor ?? cursor.peek() ?? id;
  if (!list.includes(start) || !list.includes(id)) {
    toggleSelected(id);
    return;
  }
  cursor.value = id;
  const [newer, older] = start > id ? [start, id] : [id, start];
  if (firstGap(list, newer, older) === undefined) selectBetween(newer, older);
  else await gather(newer, older);
}

function selectBetween(newer: string, older: string): void {
  const next = new Set([...besides].filter((other) => selected.peek().has(other)));
  for (const other of between(newer, older)) if (other !== undefined) next.add(other);
  selected.value = next;
}

/** Fetches the ids between two and ticks them, unless that is no longer wanted. */
async function gather(newer: string, older: string): Promise<void> {
  abort = new AbortController();
  const { signal } = abort;
  const range = between(newer, older);
  let found = range.filter((id) => id !== undefined).length;
  gathering.value = { found, total: range.length };
  try {
    await fillGaps(newer, older, signal, (more) => {
      found += more;
      gathering.value = { found, total: range.length };
    });
    if (signal.aborted) return;
    batch(() => {
      selectBetween(newer, older);
      gathering.value = undefined;
    });
  } catch (error) {
    if (signal.aborted) return;
    gathering.value = undefined;
    complain(`Not selected: ${asFailure(error).message}`);
  }
}

function between(newer: string, older: string): IdList {
  const list = ids.peek();
  return list.slice(list.indexOf(newer), list.indexOf(older) + 1);
}

function stopGathering(): void {
  abort?.abort();
  gathering.value = undefined;
}

export function selectAllListed(): void {
  if (!isListed.peek()) return;
  stopGathering();
  selected.value = new Set(ids.peek().filter((id) => id !== undefined));
  besides = selected.peek();
}

export function clearSelection(): void {
  stopGathering();
  if (selected.peek().size > 0) selected.value = new Set();
  anchor = undefined;
  besides = new Set();
}

export function unselect(gone: ReadonlySet<string>): void {
  const left = [...selected.peek()].filter((id) => !gone.has(id));
  if (left.length < selected.peek().size) selected.value = new Set(left);
}
