// The summaries the page knows, each a signal of its own: a changed star redraws one row.
import { type Signal, signal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";

const KEPT_ROWS = 6000;

const rows = new Map<string, Signal<MessageSummary>>();

export const rowOf = (id: string): Signal<MessageSummary> | undefined => rows.get(id);

export function putRow(summary: MessageSummary): void {
  const known = rows.get(summary.id);
  if (known) known.value = summary;
  else rows.set(summary.id, signal(summary));
}

export function patchRow(id: string, change: Partial<MessageSummary>): void {
  const row = rows.get(id);
  if (row) row.value = { ...row.peek(), ...change };
}

/** Bounds memory on long scrolls: forgets rows outside `nearIds` once there are too many. */
export function forgetFarRows(nearIds: () => ReadonlySet<string>): void {
  if (rows.size <= KEPT_ROWS) return;
  const near = nearIds();
  for (const id of rows.keys()) if (!near.has(id)) rows.delete(id);
}
