// A change as seen by a caller who sees only some inboxes.
import { isWithin, type StoreChange } from "./store.ts";

/** Null when the change concerns none of these inboxes. */
export function changeWithin(scope: readonly string[], change: StoreChange): StoreChange | null {
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
