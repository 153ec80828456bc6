// The mail of some inboxes, as if it were all there is.
import type { MailStore } from "./mail-store.ts";
import { isWithin, type MailView, type StoreChange } from "./store.ts";

export function viewOf(store: MailStore, scope: readonly string[]): MailView {
  return {
    onChange: (listener) =>
      store.onChange((change) => {
        const seen = changeWithin(scope, change);
        if (seen !== null) listener(seen);
      }),
    list: (query) => store.list(query, scope),
    count: (filter) => store.count(filter, scope),
    get: (id) => store.get(id, scope),
    raw: (id) => store.raw(id, scope),
    tags: () => store.tags(scope),
    stats: () => store.stats(scope),
    oldest: (query) => store.oldest(query, scope),
    walk: (filter, options) => store.walk(filter, options, scope),
    update: (ids, change) => store.update(ids, change, scope),
    delete: (ids) => store.delete(ids, scope),
    deleteMatching: (filter) => store.deleteMatching(filter, scope),
    clear: () => store.clear(scope),
  };
}

/** What those see of a change who see these inboxes alone; null when it is none of theirs. */
function changeWithin(scope: readonly string[], change: StoreChange): StoreChange | null {
  if (change.kind === "setting") return null;
  if (change.kind === "cleared") return change;
  if (change.kind === "added") return isWithin(scope, change.inbox) ? change : null;
  const { inboxes } = change;
  const isSeen = (_: unknown, at: number) => isWithin(scope, inboxes[at] ?? "");
  const seen = inboxes.filter(isSeen);
  if (change.kind === "changed") {
    if (seen.length === 0) return null;
    return { ...change, inboxes: seen, messages: change.messages.filter(isSeen) };
  }
  const isCleared = change.cleared && scope.every((inbox) => change.cleared?.includes(inbox));
  if (isCleared) return { kind: "cleared", count: seen.length };
  return seen.length === 0 ? null : { ...change, inboxes: seen, ids: change.ids.filter(isSeen) };
}
