// Which mails are ticked, and which one the keyboard is on.
import { computed, signal } from "@preact/signals";
import { ids } from "./view.ts";

export const cursor = signal<string | undefined>(undefined);
export const selected = signal<ReadonlySet<string>>(new Set());
export const isSelecting = computed(() => selected.value.size > 0);

let anchor: string | undefined;

export function toggleSelected(id: string): void {
  const next = new Set(selected.peek());
  if (!next.delete(id)) next.add(id);
  anchor = id;
  cursor.value = id;
  selected.value = next;
}

/** Ticks everything between the last ticked mail (or the cursor) and this one. */
export function selectTo(id: string): void {
  const list = ids.peek();
  const from = list.indexOf(anchor ?? cursor.peek() ?? id);
  const to = list.indexOf(id);
  if (from === -1 || to === -1) {
    toggleSelected(id);
    return;
  }
  const next = new Set(selected.peek());
  for (const other of list.slice(Math.min(from, to), Math.max(from, to) + 1)) if (other) next.add(other);
  cursor.value = id;
  selected.value = next;
}

export function selectAllListed(): void {
  selected.value = new Set(ids.peek().filter((id) => id !== undefined));
}

export function clearSelection(): void {
  if (selected.peek().size > 0) selected.value = new Set();
  anchor = undefined;
}

export function unselect(gone: ReadonlySet<string>): void {
  const left = [...selected.peek()].filter((id) => !gone.has(id));
  if (left.length < selected.peek().size) selected.value = new Set(left);
}
