// For the person who reads the CI log: the newest mails that did not match, and by which filter they missed.
import type { MessageFilter, NearMiss } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { askedOfStore, missedFilters } from "./filter-match.ts";

const MAX_NEAR_MISSES = 5;
const MAX_LOOKED_AT = 50;

export async function findNearMisses(store: Store, filter: MessageFilter): Promise<NearMiss[]> {
  const { messages } = await store.list({ filter: {}, limit: MAX_LOOKED_AT });
  const found = new Map<string, ReadonlySet<string>>();
  for (const [name, alone] of askedOfStore(filter)) found.set(name, await idsFoundBy(store, alone));
  const misses: NearMiss[] = [];
  for (const message of messages) {
    const missed = [...found].filter(([, ids]) => !ids.has(message.id)).map(([name]) => name);
    const missed_by = [...missed, ...missedFilters(message, filter)];
    if (missed_by.length > 0) misses.push({ message, missed_by });
    if (misses.length === MAX_NEAR_MISSES) break;
  }
  return misses;
}

async function idsFoundBy(store: Store, filter: MessageFilter): Promise<ReadonlySet<string>> {
  const { messages } = await store.list({ filter, limit: MAX_LOOKED_AT });
  return new Set(messages.map(({ id }) => id));
}
