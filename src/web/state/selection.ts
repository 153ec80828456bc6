// Ticking mails: one by one, all that are loaded, or a range, also where the list is not fetched yet.
import { computed, signal } from "@preact/signals";
import { asFailure } from "../api/client.ts";
import { listMessages } from "../api/messages.ts";
import { cursor, ids, isListed, selected } from "./list.ts";
import { hidden } from "./mails.ts";
import { route } from "./route.ts";
import { complain } from "./toasts.ts";

const PAGE = 200;

/** A range whose ids are on their way; nothing can be done to a part of it. */
export const gathering = signal<{ readonly found: number; readonly total: number } | undefined>(undefined);
export const isSelecting = computed(() => selected.value.size > 0 || gathering.value !== undefined);

let anchor: string | undefined;
/** The mails that were ticked before the range that begins at the anchor. */
let besides: ReadonlySet<string> = new Set();
let abort = new AbortController();

function stopGathering(): void {
  abort.abort();
  abort = new AbortController();
  gathering.value = undefined;
}

/** Nothing is ticked in a list that is about to be another: nobody would see it. */
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
  const { signal } = abort;
  const list = ids.peek();
  const [start, end] = [list.indexOf(anchor ?? cursor.peek() ?? id), list.indexOf(id)].sort((a, b) => a - b);
  if (start === undefined || end === undefined || start === -1) return toggleSelected(id);
  cursor.value = id;
  const range = list.slice(start, end + 1);
  try {
    const between = range.includes(undefined) ? await gather(range, signal) : (range as string[]);
    if (!signal.aborted) selected.value = new Set([...besides, ...between]);
  } catch (error) {
    if (!signal.aborted) complain(`Not selected: ${asFailure(error).message}`);
  }
  if (!signal.aborted) gathering.value = undefined;
}

/** Fetches the ids of a range, of which the first and the last are known. */
async function gather(range: readonly (string | undefined)[], signal: AbortSignal): Promise<string[]> {
  const { filter } = route.peek();
  const [first = "", last = ""] = [range[0], range.at(-1)];
  const found = [first];
  for (let before: string | null = first; before !== null && (found.at(-1) ?? "") > last; ) {
    gathering.value = { found: found.length, total: range.length };
    const page = await listMessages(filter, { before }, PAGE, signal);
    found.push(...page.messages.map(({ id }) => id).filter((id) => id >= last));
    before = (page.messages.at(-1)?.id ?? "") > last ? page.next_cursor : null;
  }
  return found.filter((id) => !hidden.peek().has(id));
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
  besides = new Set([...besides].filter((id) => !gone.has(id)));
  const left = [...selected.peek()].filter((id) => !gone.has(id));
  if (left.length < selected.peek().size) selected.value = new Set(left);
}
