// Deleting with an undo: mail leaves the page at once and the server a few seconds later,
// or right away when the page is left.
import { batch } from "@preact/signals";
import { asFailure } from "../api/client.ts";
import { deleteMessages } from "../api/messages.ts";
import { formatCount } from "../format/size.ts";
import { sendLastDeletes } from "./last-deletes.ts";
import { isNarrow } from "./layout.ts";
import { keepUntilMovedOn } from "./lingering.ts";
import { reloadView, wasListedSince } from "./load-view.ts";
import { lookAgainSoon } from "./membership.ts";
import { noteThere, noteVanished } from "./opened.ts";
import {
  countUnread,
  holdDelete,
  isPendingDelete,
  noteSentDelete,
  releaseDelete,
} from "./pending-deletes.ts";
import { filterKey, navigate, openedId, route } from "./route.ts";
import { cursor, unselect } from "./selection.ts";
import { countBy, recountSoon } from "./service.ts";
import { complain, hideToast, showToast } from "./toasts.ts";
import { ids, insertIntoView, isListed, removeFromView } from "./view.ts";

const UNDO_MS = 6000;

interface Deletion {
  readonly ids: readonly string[];
  /** Which of them the view showed, and which view that was; none that was still on its way. */
  readonly listed: readonly string[];
  readonly view: string | undefined;
  readonly timer: ReturnType<typeof setTimeout>;
}

const waiting = new Set<Deletion>();

export function deleteWithUndo(chosen: readonly string[]): void {
  // Back may lead to one that is deleted already.
  const gone = chosen.filter((id) => !isPendingDelete(id));
  if (gone.length === 0) {
    moveAway(new Set(chosen));
    return;
  }
  const openedBefore = openedId.peek();
  const known = new Set(ids.peek());
  const deletion: Deletion = {
    ids: gone,
    listed: gone.filter((id) => known.has(id)),
    view: isListed.peek() ? filterKey.peek() : undefined,
    timer: setTimeout(() => void commit(deletion), UNDO_MS),
  };
  waiting.add(deletion);
  batch(() => {
    moveAway(new Set(gone));
    holdDelete(gone);
    noteVanished(gone);
    removeFromView(new Set(gone));
    unselect(new Set(gone));
    countBy(-gone.length, -countUnread(gone));
  });
  const text = gone.length === 1 ? "Message deleted" : `${formatCount(gone.length)} messages deleted`;
  const toast = showToast(
    { text, tone: "neutral", action: { label: "Undo", run: () => undo(deletion, toast, openedBefore) } },
    UNDO_MS,
  );
}

/** Sends what is still waiting, all of it at once: the page is being left. */
export function commitAll(): void {
  for (const { timer } of waiting) clearTimeout(timer);
  const left = [...waiting].flatMap((deletion) => deletion.ids).filter(isPendingDelete);
  waiting.clear();
  noteSentDelete(left);
  sendLastDeletes(left);
}

function undo(deletion: Deletion, toast: number, openedBefore: string | undefined): void {
  hideToast(toast);
  if (!waiting.delete(deletion)) {
    // It was sent when the page was left, to which Back has led again.
    complain("Too late: it is deleted.");
    return;
  }
  clearTimeout(deletion.timer);
  const back = bringBack(deletion);
  if (back.length === 0) complain("Too late: it was deleted elsewhere meanwhile.");
  if (openedBefore && back.includes(openedBefore)) navigate({ id: openedBefore }, "replace");
}

/** Shows again what the server still has; the rest was deleted elsewhere meanwhile. */
function bringBack(deletion: Deletion): readonly string[] {
  const back = deletion.ids.filter(isPendingDelete);
  const isBack = new Set(back);
  // Where it belongs in a part that is not fetched yet, and whether it is gone without an event, the server knows.
  lookAgainSoon();
  batch(() => {
    releaseDelete(back);
    noteThere(back);
    countBy(back.length, countUnread(back));
    if (deletion.view === filterKey.peek()) insertIntoView(deletion.listed.filter((id) => isBack.has(id)));
    // It may have been changed before or meanwhile, so that it does not belong there any more.
    keepUntilMovedOn(back);
  });
  // Of mail that was scrolled far away before it was deleted, the page does not know whether it was read.
  recountSoon();
  // Whether it belongs to another view, the server knows.
  if (deletion.view !== filterKey.peek()) void reloadView();
  return back;
}

async function commit(deletion: Deletion): Promise<void> {
  if (!waiting.delete(deletion)) return;
  clearTimeout(deletion.timer);
  const left = deletion.ids.filter(isPendingDelete);
  noteSentDelete(left);
  const sentAt = performance.now();
  try {
    const missing = await deleteMessages(left);
    // Of what was gone already no event tells.
    releaseDelete(missing);
    // Whether a list that came meanwhile has counted them, only the server knows.
    if (missing.length > 0 || wasListedSince(sentAt)) lookAgainSoon();
    recountSoon();
  } catch (error) {
    // Only the answer may have been lost: what was heard to be gone is deleted.
    if (bringBack(deletion).length > 0) complain(`Not deleted: ${asFailure(error).message}`);
  }
}

/** When the open message goes, its next neighbour opens; on a narrow page the list comes back. */
function moveAway(gone: ReadonlySet<string>): void {
  const opened = route.peek().id;
  const leaving = opened ?? cursor.peek();
  if (leaving === undefined || !gone.has(leaving)) return;
  const list = ids.peek();
  const index = list.indexOf(leaving);
  const stays = (id: string | undefined): id is string => id !== undefined && !gone.has(id);
  const next = list.slice(index + 1).find(stays) ?? list.slice(0, Math.max(0, index)).findLast(stays);
  cursor.value = next;
  if (opened) navigate({ id: isNarrow.peek() ? undefined : next, tab: undefined }, "replace");
}
