// Which mails a filtered list holds, as they change: what a change brings in appears in its place, what it puts out
// leaves. Mail that was changed here, or is in hands while it changes elsewhere, stays until one moves on. Where
// only the server can tell, the list is fetched again.
import { effect, untracked } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { fitOf } from "./filter-fit.ts";
import { isInGap } from "./id-list.ts";
import { lingering } from "./lingering.ts";
import { reloadView, wasJustListed } from "./load-view.ts";
import { isPendingDelete } from "./pending-deletes.ts";
import { filterKey, isFiltered, openedId, route } from "./route.ts";
import { type RowChange, rowOf } from "./rows.ts";
import { cursor, gathering, selected } from "./selection.ts";
import { ids, insertIntoView, removeFromView, viewState } from "./view.ts";

const LOOK_MS = 300;
/** Where many change without a pause, the list is not fetched more often than this. */
const LOOK_EVERY_MS = 1000;

let lookTimer: ReturnType<typeof setTimeout> | undefined;
let lookedAt = Number.NEGATIVE_INFINITY;

export function followChanges(changes: ReadonlyMap<string, RowChange>): void {
  if (isFiltered.peek()) settle(changes);
}

/** Of mail that may have been different when the list was put together: only what it is now is known. */
export function settleAnew(changed: ReadonlyMap<string, Partial<MessageSummary>>): void {
  settle(new Map([...changed].map(([id, after]) => [id, { after }])));
}

function settle(changes: ReadonlyMap<string, Partial<RowChange>>): void {
  if (changes.size === 0) return;
  const { flagsFit, hasText } = fitOf(route.peek().filter);
  const listed = new Set(ids.peek());
  const joining: string[] = [];
  const leaving = new Set<string>();
  for (const [id, { before, after = {} }] of changes) {
    if (isPendingDelete(id)) continue;
    const fits = flagsFit(after);
    if (listed.has(id)) {
      if (fits === false) (isInHands(id) || lingering.has(id) ? lingering : leaving).add(id);
      continue;
    }
    if (before && fits !== undefined && fits === flagsFit(before)) continue;
    // Of mail without a row the page does not know whether it still exists.
    const isUnclear = fits === undefined || (fits && (hasText || !rowOf(id))) || isUnfetched(id, listed);
    if (isUnclear) lookAgainSoon();
    else if (fits) joining.push(id);
  }
  removeFromView(leaving);
  insertIntoView(joining);
}

/** Mail that is gone for good. */
export function followDeletes(gone: ReadonlySet<string>): void {
  if (isFiltered.peek() || wasJustListed()) missAnew(gone);
  const before = ids.peek().length;
  removeFromView(gone);
  // A part of all mail was fetched without some of them, so that the rest seemed to be more than it is.
  const isUncounted = !isFiltered.peek() && before - ids.peek().length < gone.size;
  if (isUncounted && ids.peek().includes(undefined)) lookAgainSoon();
}

/** Of mail that may have been gone when the list was put together. */
export function missAnew(gone: ReadonlySet<string>): void {
  const listed = new Set(ids.peek());
  if ([...gone].some((id) => !listed.has(id) && isUnfetched(id, listed))) lookAgainSoon();
}

/** Takes out what no longer fits as soon as another mail is opened, or the cursor or the selection moves. */
export function leaveWhenMovedOn(): () => void {
  let view = filterKey.peek();
  return effect(() => {
    openedId.value;
    cursor.value;
    selected.value;
    if (view !== filterKey.value) {
      lingering.clear();
      clearTimeout(lookTimer);
      lookTimer = undefined;
    }
    view = filterKey.value;
    untracked(letGo);
  });
}

function letGo(): void {
  const left = [...lingering].filter((id) => !isInHands(id));
  if (left.length === 0) return;
  for (const id of left) lingering.delete(id);
  const { flagsFit } = fitOf(route.peek().filter);
  const fits = left.map((id) => flagsFit(rowOf(id)?.peek() ?? {}));
  removeFromView(new Set(left.filter((_, index) => fits[index] === false)));
  if (fits.includes(undefined)) lookAgainSoon();
}

const isInHands = (id: string) => id === openedId.peek() || id === cursor.peek() || selected.peek().has(id);

/** Whether this mail, which is not listed, may stand where the list is not fetched yet. */
const isUnfetched = (id: string, listed: ReadonlySet<string | undefined>) =>
  listed.has(undefined) && isInGap(ids.peek(), id);

export function lookAgainSoon(): void {
  if (lookTimer !== undefined) return;
  lookTimer = setTimeout(lookAgain, Math.max(LOOK_MS, lookedAt + LOOK_EVERY_MS - performance.now()));
}

function lookAgain(): void {
  lookTimer = undefined;
  lookedAt = performance.now();
  // What a selection spans must stay known, and an answer under way may be older than the change.
  const mustWait = selected.peek().size > 0 || gathering.peek() || viewState.peek() === "loading";
  if (mustWait) lookAgainSoon();
  else void reloadView();
}
