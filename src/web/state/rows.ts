// The summaries the page knows, each a signal of its own: a changed star redraws one row.
import { type Signal, signal } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { isUnsettled } from "./unsettled.ts";

const KEPT_ROWS = 6000;

const rows = new Map<string, Signal<MessageSummary>>();
/** When each field of a row was last changed, here or by an event. */
const changedAt = new Map<string, Map<keyof MessageSummary, number>>();
let newest = "";

export const rowOf = (id: string): Signal<MessageSummary> | undefined => rows.get(id);

/** The id of the newest mail that was heard of, also if it is gone by now. */
export const newestKnown = (): string => newest;

/** What was changed after the server was asked for the summary, or is on its way to it, is newer than its answer. */
export function putRow(summary: MessageSummary, askedAt = Number.POSITIVE_INFINITY): void {
  const { id } = summary;
  if (id > newest) newest = id;
  const known = rows.get(id);
  if (!known) {
    rows.set(id, signal(summary));
    return;
  }
  const newer = [...(changedAt.get(id) ?? [])].filter(
    ([field, at]) => at > askedAt || isUnsettled(id, field),
  );
  const kept = newer.map(([field]) => [field, known.peek()[field]]);
  known.value = { ...summary, ...Object.fromEntries(kept) };
}

/** Whether this was changed, here or elsewhere, at that time or later. */
export const wasChangedSince = (id: string, field: keyof MessageSummary, at: number): boolean =>
  (changedAt.get(id)?.get(field) ?? Number.NEGATIVE_INFINITY) >= at;

/** What is known of a mail before and after a change: of one without a row, only what changed. */
export interface RowChange {
  readonly before: Partial<MessageSummary>;
  readonly after: Partial<MessageSummary>;
}

export function patchRow(id: string, change: Partial<MessageSummary>): RowChange {
  const row = rows.get(id);
  if (!row) return { before: {}, after: change };
  const before = row.peek();
  row.value = { ...before, ...change };
  const times = changedAt.get(id) ?? new Map<keyof MessageSummary, number>();
  for (const field of Object.keys(change)) times.set(field as keyof MessageSummary, performance.now());
  changedAt.set(id, times);
  return { before, after: row.peek() };
}

/** Of mail that is gone for good. */
export function forgetRows(gone: Iterable<string>): void {
  for (const id of gone) {
    rows.delete(id);
    changedAt.delete(id);
  }
}

export const forgetAllRows = (): void => forgetRows([...rows.keys()]);

/** Bounds memory on long scrolls: forgets rows outside `nearIds` once there are too many. */
export function forgetFarRows(nearIds: () => ReadonlySet<string>): void {
  if (rows.size <= KEPT_ROWS) return;
  const near = nearIds();
  forgetRows([...rows.keys()].filter((id) => !near.has(id)));
}
