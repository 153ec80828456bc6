// What is to be seen of a change by those who see the mail of some inboxes, as if it were all there is.
import { isWithin, type StoreChange } from "./store.ts";

/** What those see of a change who see these inboxes alone; null when it is none of theirs. */
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
