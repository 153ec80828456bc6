// The list being shown: its ids, what of it is in sight, and what is put in and taken out. Fetching it is for
// load-view.ts.
import { computed, signal } from "@preact/signals";
import type { ApiFailure } from "../api/client.ts";
import { EMPTY, type IdList, insertIds, placeOf, removeIds } from "./id-list.ts";
import { undoableIds } from "./pending-deletes.ts";
import { filterKey, isFiltered, route } from "./route.ts";
import { forgetFarRows } from "./rows.ts";

const NEAR_ROWS = 1500;

export const ids = signal<IdList>(EMPTY);
export const isEmpty = computed(() => ids.value.length === 0);
export const viewState = signal<"loading" | "ready" | "failed">("loading");
export const viewFailure = signal<ApiFailure | undefined>(undefined);

/** The filter that the shown ids belong to; undefined where none could be had yet. */
export const shownKey = signal<string | undefined>(undefined);

/** Whether the mails shown are those of the filter; until its answer is there, they are those of the one before. */
export const isListed = computed(() => shownKey.value === filterKey.value);

/** The rows that one looks at, by their places. */
let visible = { first: 0, last: 30 };

export const rowsInSight = () => visible;

export function lookAt(first: number, last: number): void {
  visible = { first, last };
}

type CatchUp = (askedAt: number, isGuessed: boolean) => void;

let applyHeard: CatchUp = () => {};

/** Applies to the list what was heard since it was asked for; where places in it are a guess, it is asked for again. */
export const catchUp: CatchUp = (askedAt, isGuessed) => applyHeard(askedAt, isGuessed);

/** apply-events.ts hands itself in here: it changes this list, so that this file cannot import it. */
export function whenListed(apply: CatchUp): void {
  applyHeard = apply;
}

/** A list that is not there yet is not begun with what should stand on top of it. */
export function insertIntoView(fresh: readonly string[]): void {
  if (fresh.length === 0 || !isListed.peek()) return;
  ids.value = insertIds(ids.peek(), fresh);
  forgetFar();
}

export function removeFromView(gone: ReadonlySet<string>): void {
  if (gone.size > 0) ids.value = removeIds(ids.peek(), gone, !isFiltered.peek());
}

/** Drops the summaries of mails that are far from what is in sight. */
export const forgetFar = () => forgetFarRows(nearIds);

export function emptyView(): void {
  ids.value = EMPTY;
}

/** The nearest fetched id `step` rows away, for moving by keyboard; the first one where that is not known. */
export function neighbour(id: string | undefined, step: number): string | undefined {
  const list = ids.peek();
  const first = list.find((other) => other !== undefined);
  if (id === undefined) return first;
  return list[placeBeside(list, id, step)] ?? (list.includes(id) ? id : first);
}

/** Whether the mail `step` rows away from a listed one is not fetched yet. */
export function isUnfetched(id: string | undefined, step: number): boolean {
  const list = ids.peek();
  if (id === undefined || !isListed.peek() || !list.includes(id)) return false;
  return list[placeBeside(list, id, step)] === undefined;
}

function placeBeside(list: IdList, id: string, step: number): number {
  const place = placeOf(list, id);
  // One that has left the list stood before the one that has its place now.
  const left = list[place] !== id && step > 0 ? 1 : 0;
  return Math.max(0, Math.min(list.length - 1, place + step - left));
}

function nearIds(): Set<string> {
  const near = ids.peek().slice(Math.max(0, visible.first - NEAR_ROWS), visible.last + NEAR_ROWS);
  // What may still be brought back is not listed, but counted.
  const kept = new Set([...near.filter((id) => id !== undefined), ...undoableIds()]);
  const opened = route.peek().id;
  if (opened) kept.add(opened);
  return kept;
}
