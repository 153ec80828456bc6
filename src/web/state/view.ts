// The list being shown: its ids, how many match, and the fetching of pages as one scrolls.
// Known neighbours are paged by cursor; only a jump into the unknown asks by offset.
import { batch, computed, signal } from "@preact/signals";
import { type ApiFailure, asFailure } from "../api/client.ts";
import { countNewer } from "../api/messages.ts";
import { fetchList } from "./fetch-list.ts";
import {
  EMPTY,
  type IdList,
  insertIds,
  isInGap,
  placeOf,
  placePage,
  removeIds,
  renewHead,
} from "./id-list.ts";
import { askForPage, fetchPage, PAGE, type Page, take } from "./pages.ts";
import { undoableIds } from "./pending-deletes.ts";
import { filterKey, isFiltered, openedId, route } from "./route.ts";
import { forgetFarRows, rowOf } from "./rows.ts";
import { countAtServer, listedStill, offsetOf, placeAt } from "./server-places.ts";
import { failing, renewable, untilAnswered } from "./until-answered.ts";

const AHEAD_ROWS = 40;
const NEAR_ROWS = 1500;
/** Events may come this much later than a list that was put together after them. */
const LATE_EVENT_MS = 1000;

export const ids = signal<IdList>(EMPTY);
export const isEmpty = computed(() => ids.value.length === 0);
export const viewState = signal<"loading" | "ready" | "failed">("loading");
export const viewFailure = signal<ApiFailure | undefined>(undefined);

/** The filter that the shown ids belong to; undefined where none could be had yet. */
const shownKey = signal<string | undefined>(undefined);
let abort = new AbortController();
let listedAt = Number.NEGATIVE_INFINITY;
const fetching = signal(false);
/** The list that is on its way may have been put together before what was heard of. */
let isWantedAgain = false;
let visible = { first: 0, last: 30 };
let catchUp: (askedAt: number, isGuessed: boolean) => void = () => {};

/** Whether the mails shown are those of the filter; until its answer is there, they are those of the one before. */
export const isListed = computed(() => shownKey.value === filterKey.value);

/** Whether a part of the list is on its way, and nothing stands against it. */
export const isFetching = computed(() => fetching.value && failing.value === 0);

/** Whether the list may know already what is heard only now. */
export const wasJustListed = () => wasListedSince(performance.now() - LATE_EVENT_MS);
export const wasListedSince = (at: number) => listedAt > at;

/** What makes a list complete that was asked for at this time and may lack what was heard since. */
export function whenListed(complete: typeof catchUp): void {
  catchUp = complete;
}

/**
 * Fetches the view: a new one from its beginning, the one being shown where it is looked at. What is shown stays
 * until the answer is there, and mail that one has not moved on from also after it.
 */
export async function reloadView(): Promise<void> {
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  const key = filterKey.peek();
  const isSame = isListed.peek();
  if (!isSame || viewState.peek() === "failed") viewState.value = "loading";
  const opened = openedId.peek();
  const wasListed = opened !== undefined && ids.peek().includes(opened);
  const show = async () => {
    const { list, askedAt, isGuessed } = await fetchList(isSame ? await startInSight(signal) : 0, signal);
    listedAt = performance.now();
    batch(() => {
      shownKey.value = key;
      ids.value = isSame ? withStaying(ids.peek(), list) : list;
      viewState.value = "ready";
      viewFailure.value = undefined;
      catchUp(askedAt, isGuessed);
    });
  };
  const explain = (failure: ApiFailure) =>
    batch(() => {
      viewState.value = "failed";
      viewFailure.value = failure;
      // Mail of another filter would pass for the answer; mail of this one is better than none.
      if (isSame) return;
      ids.value = EMPTY;
      shownKey.value = undefined;
    });
  fetching.value = true;
  try {
    await untilAnswered(show, signal, explain);
  } catch {
    if (!signal.aborted) fetching.value = false;
    return;
  }
  fetching.value = false;
  void fetchMissing();
  if (isWantedAgain) renewView();
  else if (!isSame || wasListed) await placeOpened();
}

/** Fetches the view again, after the first answer where that is still under way. */
export function renewView(): void {
  isWantedAgain = !isListed.peek();
  if (!isWantedAgain) void reloadView();
}

/** Where a page begins that has what is in sight in its middle: others may have come or gone above it. */
async function startInSight(signal: AbortSignal): Promise<number> {
  const list = ids.peek();
  const first = Math.min(visible.first, list.length - 1);
  if (first <= 0) return 0;
  const id = list[first];
  const newer = id === undefined ? offsetOf(list, first) : await countNewer(route.peek().filter, id, signal);
  return Math.max(0, newer - AHEAD_ROWS);
}

/** Finds the place of a message that was opened by its address or in another view: its neighbours are one key away. */
export async function placeOpened(): Promise<void> {
  const { id } = route.peek();
  const { signal } = abort;
  const place = async () => {
    if (!id || id !== openedId.peek() || viewState.peek() !== "ready" || ids.peek().includes(id)) return;
    const { filter } = route.peek();
    const start = await countNewer(filter, id, signal);
    const page = await askForPage(filter, { offset: start }, signal);
    // Other mail stands there when the message is not part of this view.
    if (page.messages[0]?.id !== id) return;
    const list = ids.peek();
    const shown = take(page);
    const place = Math.max(0, placeAt(list, start, page, shown));
    ids.value = placePage(list, place, shown, page.next_cursor === null);
    if (page.total !== countAtServer(list)) catchUp(page.askedAt, true);
  };
  // Without its place in the list a message can still be read.
  await untilAnswered(place, signal).catch(() => undefined);
}

export function showRange(first: number, last: number): void {
  visible = { first, last };
  void fetchMissing();
}

/** A list that is not there yet is not begun with what should stand on top of it. */
export function insertIntoView(fresh: readonly string[]): void {
  if (fresh.length === 0 || !isListed.peek()) return;
  ids.value = insertIds(ids.peek(), fresh);
  forgetFarRows(nearIds);
}

export function removeFromView(gone: ReadonlySet<string>): void {
  if (gone.size > 0) ids.value = removeIds(ids.peek(), gone, !isFiltered.peek());
}

/** For a search, only the server knows whether new mail matches: looks at the newest hits again. */
export const refreshHead = renewable(async () => {
  isWantedAgain = !isListed.peek();
  if (isWantedAgain) return;
  const { signal } = abort;
  const page = await askForPage(route.peek().filter, { offset: 0 }, signal);
  if (signal.aborted) return;
  const newest = ids.peek()[0];
  const oldest = page.messages.at(-1)?.id;
  const overlaps = newest !== undefined && oldest !== undefined && oldest <= newest;
  // More arrived than fits one page.
  if (!overlaps && page.next_cursor !== null && viewState.peek() === "ready") void reloadView();
  else {
    ids.value = renewHead(ids.peek(), take(page), page.next_cursor === null);
    // Some may be gone of which was not heard yet; where a part is not fetched, they cannot be told from others later.
    if (ids.peek().includes(undefined) && page.total !== countAtServer(ids.peek()))
      catchUp(page.askedAt, true);
  }
});

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

/** Fetches what is in sight and missing, page by page. */
async function fetchMissing(): Promise<void> {
  if (fetching.peek()) return;
  fetching.value = true;
  const { signal } = abort;
  try {
    for (let start = firstMissing(), last = -1; start !== -1 && start !== last; start = firstMissing()) {
      // What an answer did not bring, the same question does not bring either.
      last = start;
      await untilAnswered(() => fetchNext(signal), signal);
    }
  } catch {
    // The view was left, or the server has refused.
  }
  if (!signal.aborted) fetching.value = false;
}

/** By the time it is tried again, something else may be in sight. */
async function fetchNext(signal: AbortSignal): Promise<void> {
  const start = firstMissing();
  if (start === -1) return;
  const previous = ids.peek()[start - 1];
  const expected = countAtServer(ids.peek());
  const page = await (previous === undefined ? fetchAt(start, signal) : fetchAfter(previous, signal));
  if (!page) return;
  // Of what the server has heard of before the page, the place is not known.
  if (page.total !== expected) catchUp(page.askedAt, true);
  forgetFarRows(nearIds);
}

/** The list may have moved while the page was under way: a cursor says where it belongs now. */
async function fetchAfter(previous: string, signal: AbortSignal): Promise<Page | undefined> {
  try {
    const page = await fetchPage({ before: previous }, signal);
    if (!isListed.peek()) return undefined;
    const list = ids.peek();
    const place = list.findLastIndex((id) => id !== undefined && id >= previous) + 1;
    lay(list, place, page, take(page));
    return page;
  } catch (error) {
    if (asFailure(error).code !== "unknown_cursor") throw error;
    removeFromView(new Set([previous]));
    return undefined;
  }
}

async function fetchAt(start: number, signal: AbortSignal): Promise<Page | undefined> {
  const countBefore = countAtServer(ids.peek());
  const lengthBefore = ids.peek().length;
  for (let offset = offsetOf(ids.peek(), start); ; offset = Math.max(0, offset - PAGE)) {
    const page = await fetchPage({ offset }, signal);
    if (!isListed.peek()) return undefined;
    const list = ids.peek();
    const shown = take(page);
    // An offset was pushed down by what arrived on top, whatever was deleted here meanwhile.
    const pushed = countAtServer(list) - countBefore;
    const place = start === 0 ? countAbove(list, page) : placeAt(list, offset, page, shown) + pushed;
    // More than was thought waits for its delete below.
    if (place > start + list.length - lengthBefore && offset > 0) continue;
    lay(list, place, page, shown);
    if (start > 0 && pushed !== 0) catchUp(page.askedAt, true);
    return page;
  }
}

/** A page takes the places that were counted for it; a list that gets longer or shorter by it was counted wrongly. */
function lay(list: IdList, place: number, page: Page, shown: readonly string[]): void {
  const laid = placePage(list, Math.max(0, place), shown, page.next_cursor === null);
  ids.value = withStaying(list, laid);
  if (ids.peek().length !== list.length) catchUp(page.askedAt, true);
}

/** The server no longer lists what stays until one moves on. */
function withStaying(before: IdList, list: IdList): IdList {
  return insertIds(
    list,
    listedStill(before).filter((id) => !isInGap(list, id)),
  );
}

/** What stands on top of the list and came after its first page was put together. */
function countAbove(list: IdList, { messages }: Page): number {
  const newest = messages[0]?.id ?? "";
  const end = list.findIndex((id) => id === undefined || id <= newest);
  return end === -1 ? list.length : end;
}

/** Where to fetch next so that what is visible, and a little more, is there. */
function firstMissing(): number {
  if (viewState.peek() !== "ready" || !isListed.peek()) return -1;
  const list = ids.peek();
  const isMissing = (index: number) => {
    const id = list[index];
    return id === undefined || !rowOf(id);
  };
  const first = Math.max(0, visible.first);
  const end = Math.min(list.length, visible.last + AHEAD_ROWS);
  for (let index = first; index < end; index++) if (isMissing(index)) return index;
  for (let index = Math.min(first, list.length) - 1; index >= Math.max(0, first - AHEAD_ROWS); index--) {
    if (!isMissing(index)) continue;
    // From the end of what is known above: by a cursor nothing is skipped, whatever waits for its delete there.
    let start = index;
    while (start > 0 && index - start < PAGE - 1 && isMissing(start - 1)) start--;
    return start;
  }
  return -1;
}

function nearIds(): Set<string> {
  const near = ids.peek().slice(Math.max(0, visible.first - NEAR_ROWS), visible.last + NEAR_ROWS);
  // What may still be brought back is not listed, but counted.
  const kept = new Set([...near.filter((id) => id !== undefined), ...undoableIds()]);
  const opened = route.peek().id;
  if (opened) kept.add(opened);
  return kept;
}
