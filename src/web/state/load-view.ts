// Fetches the list being shown: as a whole, its newest part again, and page by page what comes in sight.
import { batch, computed, signal } from "@preact/signals";
import type { ApiFailure } from "../api/client.ts";
import { countNewer } from "../api/messages.ts";
import { fetchList } from "./fetch-list.ts";
import { EMPTY, placePage, renewHead } from "./id-list.ts";
import { AHEAD_ROWS, fetchNext, firstMissing, withStaying } from "./missing-pages.ts";
import { askForPage, take } from "./pages.ts";
import { filterKey, openedId, route } from "./route.ts";
import { countAtServer, offsetOf, placeAt } from "./server-places.ts";
import { failing, renewable, untilAnswered } from "./until-answered.ts";
import { catchUp, ids, isListed, lookAt, rowsInSight, shownKey, viewFailure, viewState } from "./view.ts";

/** Events may come this much later than a list that was put together after them. */
const LATE_EVENT_MS = 1000;

let abort = new AbortController();
let listedAt = Number.NEGATIVE_INFINITY;
const fetching = signal(false);
/** The list that is on its way may have been put together before what was heard of. */
let isWantedAgain = false;

/** Whether a part of the list is on its way, and nothing stands against it. */
export const isFetching = computed(() => fetching.value && failing.value === 0);

/** Whether the list may know already what is heard only now. */
export const wasJustListed = () => wasListedSince(performance.now() - LATE_EVENT_MS);
export const wasListedSince = (at: number) => listedAt > at;

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
  const first = Math.min(rowsInSight().first, list.length - 1);
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
  lookAt(first, last);
  void fetchMissing();
}

/**
 * Looks at the newest of the list again: only the server knows what a search finds, and what came or went where no events
 * come through.
 */
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
    // Some may be gone of which was not heard, or never will be.
    if (page.total !== countAtServer(ids.peek())) catchUp(page.askedAt, true);
  }
});

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
