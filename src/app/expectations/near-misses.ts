// For the person who reads the CI log: the newest mails that did not match, and by which filter they missed.
import type { MessageFilter, MessageSummary, NearMiss } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { messagesOneByOne } from "../page-messages.ts";
import { missedFilters } from "./filter-match.ts";

const MAX_NEAR_MISSES = 5;
const MAX_LOOKED_AT = 50;

/** One by one when they are long: each is read when it is asked for. */
export type NearMisses = NearMiss[] | AsyncIterable<NearMiss>;

export async function findNearMisses(store: Store, filter: MessageFilter): Promise<NearMisses> {
  const page = await store.list({ filter: {}, limit: MAX_LOOKED_AT });
  const found = filter.q === undefined ? null : await foundByText(store, filter.q);
  const misses = missesAmong(messagesOneByOne(store, page), filter, found);
  return page.rest.length === 0 ? Array.fromAsync(misses) : misses;
}

async function* missesAmong(
  messages: AsyncIterable<MessageSummary>,
  filter: MessageFilter,
  found: ReadonlySet<string> | null,
): AsyncGenerator<NearMiss, void, void> {
  let left = MAX_NEAR_MISSES;
  for await (const message of messages) {
    const missed_by = missedFilters(message, filter);
    if (found && !found.has(message.id)) missed_by.unshift("q");
    if (missed_by.length === 0) continue;
    yield { message, missed_by };
    if (--left === 0) return;
  }
}

async function foundByText(store: Store, q: string): Promise<ReadonlySet<string>> {
  const { messages, rest } = await store.list({ filter: { q }, limit: MAX_LOOKED_AT });
  return new Set([...messages.map(({ id }) => id), ...rest]);
}
