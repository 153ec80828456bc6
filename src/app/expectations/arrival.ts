// Watches for the oldest message that matches, as soon as there is one.
import type { EventBus } from "../../events/index.ts";
import type { InboxEvent, MessageFilter } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { askedOfStore, matchesFilter, mayAdd } from "./filter-match.ts";
import type { Begin } from "./wait.ts";
import { watch } from "./watch.ts";

export interface Mailbox {
  readonly store: Store;
  readonly bus: EventBus<InboxEvent>;
}

export const arrivalOf = (mailbox: Mailbox, filter: MessageFilter): Begin<string | null> =>
  askedOfStore(filter).length === 0 ? fromEvents(mailbox, filter) : fromStore(mailbox, filter);

/** Asks the store again whenever a mail arrives that may match: texts and headers are known there alone. */
const fromStore =
  ({ store, bus }: Mailbox, filter: MessageFilter): Begin<string | null> =>
  (done, fail) =>
    watch({
      bus,
      concerns: (event) => mayAdd(event, filter),
      evaluate: async () => {
        const found = await oldest(store, filter);
        if (found !== null) done(found);
      },
      onError: fail,
    });

/** Asks the store once; after that the first mail to arrive that matches is the one. */
const fromEvents =
  ({ store, bus }: Mailbox, filter: MessageFilter): Begin<string | null> =>
  (done, fail) => {
    let arrived: string | null = null;
    let isSearched = false;
    const unsubscribe = bus.subscribe((event) => {
      if (event.type !== "message:new" || !matchesFilter(event.data, filter)) return;
      arrived ??= event.data.id;
      if (isSearched) done(arrived);
    });
    const unwatch = watch({
      bus,
      concerns: (event) => event.type !== "message:new" && mayAdd(event, filter),
      evaluate: async () => {
        const found = (await oldest(store, filter)) ?? arrived;
        isSearched = true;
        if (found !== null) done(found);
      },
      onError: fail,
    });
    return () => {
      unsubscribe();
      unwatch();
    };
  };

export async function oldest(store: Store, filter: MessageFilter): Promise<string | null> {
  const [id] = await store.walk(filter, { limit: 1 });
  return id ?? null;
}
