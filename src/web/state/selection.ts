// Selecting mails: one by one, a range, or all that are loaded.
import { computed } from "@preact/signals";
import { cursor, ids, isId, isListed, selected } from "./list.ts";
import { complain } from "./toasts.ts";

export const isSelecting = computed(() => selected.value.size > 0);

let anchor: string | undefined;

/** Selects nothing in a list that is about to be replaced. */
export function toggleSelected(id: string): void {
  if (!isListed.peek()) return;
  const next = new Set(selected.peek());
  if (!next.delete(id)) next.add(id);
  anchor = id;
  cursor.value = id;
  selected.value = next;
}

export function selectTo(id: string): void {
  if (!isListed.peek()) return;
  const list = ids.peek();
  const [start = -1, end = -1] = [list.indexOf(anchor ?? cursor.peek() ?? id), list.indexOf(id)].sort(
    (a, b) => a - b,
  );
  const range = list.slice(start, end + 1);
  if (start === -1) toggleSelected(id);
  else if (!range.every(isId)) {
    complain("Nothing was selected: some mails in this range are not loaded yet. Scroll through them first.");
  } else {
    cursor.value = id;
    selected.value = new Set([...selected.peek(), ...range]);
  }
}

export function selectAllListed(): void {
  if (!isListed.peek()) return;
  selected.value = new Set(ids.peek().filter(isId));
}

export function clearSelection(): void {
  if (selected.peek().size > 0) selected.value = new Set();
  anchor = undefined;
}

export function unselect(gone: ReadonlySet<string>): void {
  const left = [...selected.peek()].filter((id) => !gone.has(id));
  if (left.length < selected.peek().size) selected.value = new Set(left);
}
