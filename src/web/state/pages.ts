// Pages of a list: asking for them, and what of them is shown. Not what waits for its delete, and not what has left
// the list while the answer was under way.
import type { MessageList } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import { type ListFilter, listMessages, type PageStart } from "../api/messages.ts";
import { fitOf } from "./filter-fit.ts";
import { heardSince, whileHearing } from "./heard.ts";
import { lingering } from "./lingering.ts";
import { isPendingDelete } from "./pending-deletes.ts";
import { route } from "./route.ts";
import { putRow, rowOf } from "./rows.ts";
import { noteTags } from "./tags.ts";

export const PAGE = 100;

export interface Page extends MessageList {
  readonly askedAt: number;
}

export function askForPage(
  filter: ListFilter,
  from: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page> {
  return whileHearing(async (askedAt) => ({
    ...(await listMessages(filter, from, limit, signal)),
    askedAt,
  }));
}

/** A page with something to show: whole pages may wait for their delete. */
export async function fetchPage(from: PageStart, signal: AbortSignal): Promise<Page> {
  const page = await askForPage(route.peek().filter, from, signal);
  const last = page.messages.at(-1);
  if (!last || page.next_cursor === null) return page;
  if (!page.messages.every(({ id }) => isPendingDelete(id))) return page;
  try {
    const next = await fetchPage({ before: last.id }, signal);
    return { ...next, messages: [...page.messages, ...next.messages] };
  } catch (error) {
    // Its delete was carried out meanwhile, so there is less to skip.
    if (asFailure(error).code === "unknown_cursor") return fetchPage(from, signal);
    throw error;
  }
}

/** Keeps the summaries of a page; the ids of those that are to be listed. */
export function take({ messages, askedAt }: Page): string[] {
  const { isCleared, fresh, changed, gone } = heardSince(askedAt);
  const left = messages.filter(({ id }) => !gone.has(id) && (!isCleared || fresh.has(id)));
  for (const summary of left) {
    const { id } = summary;
    if (fresh.has(id) && rowOf(id)) continue;
    putRow(rowOf(id) ? summary : { ...summary, ...changed.get(id) }, askedAt);
  }
  // As they are by now: a tag that was taken off meanwhile may have been the last of its kind.
  noteTags(left.flatMap(({ id }) => rowOf(id)?.peek().tags ?? []));
  const { flagsFit } = fitOf(route.peek().filter);
  const isHeardOf = (id: string) => changed.has(id) || fresh.has(id);
  const hasLeft = (id: string) =>
    isHeardOf(id) && !lingering.has(id) && flagsFit(rowOf(id)?.peek() ?? {}) === false;
  return left.map(({ id }) => id).filter((id) => !isPendingDelete(id) && !hasLeft(id));
}
