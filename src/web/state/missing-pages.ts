// The pages of the list that are in sight and not fetched yet. Known neighbours are paged by cursor; only a jump into
// the unknown asks by offset.
import { asFailure } from "../api/client.ts";
import { type IdList, insertIds, isInGap, placePage } from "./id-list.ts";
import { fetchPage, PAGE, type Page, take } from "./pages.ts";
import { rowOf } from "./rows.ts";
import { countAtServer, listedStill, offsetOf, placeAt } from "./server-places.ts";
import { catchUp, forgetFar, ids, isListed, removeFromView, rowsInSight, viewState } from "./view.ts";

export const AHEAD_ROWS = 40;

/** Where to fetch next so that what is visible, and a little more, is there. */
export function firstMissing(): number {
  if (viewState.peek() !== "ready" || !isListed.peek()) return -1;
  const visible = rowsInSight();
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

/** By the time it is tried again, something else may be in sight. */
export async function fetchNext(signal: AbortSignal): Promise<void> {
  const start = firstMissing();
  if (start === -1) return;
  const previous = ids.peek()[start - 1];
  const expected = countAtServer(ids.peek());
  const page = await (previous === undefined ? fetchAt(start, signal) : fetchAfter(previous, signal));
  if (!page) return;
  // Of what the server has heard of before the page, the place is not known.
  if (page.total !== expected) catchUp(page.askedAt, true);
  forgetFar();
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
export function withStaying(before: IdList, list: IdList): IdList {
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
