// What each inbox event does to the page. Pending deletes are already gone here and are left alone.
import type { InboxEvent, MessageSummary } from "../../model/index.ts";
import { hear } from "./echoes.ts";
import { fitOf } from "./filter-fit.ts";
import { lightUp } from "./fresh.ts";
import { heardSince, noteHeard, sumUp } from "./heard.ts";
import { isCounted } from "./id-list.ts";
import { refreshHead } from "./load-view.ts";
import { followChanges, followDeletes, lookAgainSoon, missAnew, settleAnew } from "./membership.ts";
import { announceMail } from "./notifications.ts";
import { fullMessage, noteThere, noteVanished } from "./opened.ts";
import { isPendingDelete, releaseAllDeletes, releaseDelete } from "./pending-deletes.ts";
import { openedId, route } from "./route.ts";
import { forgetAllRows, forgetRows, putRow, type RowChange, rowOf } from "./rows.ts";
import { clearSelection, unselect } from "./selection.ts";
import { countBy, countNothing, recountSoon } from "./service.ts";
import { noteTags, reloadTagsSoon } from "./tags.ts";
import { emptyView, ids, insertIntoView, whenListed } from "./view.ts";

const SEARCH_AGAIN_MS = 300;

let searchTimer: ReturnType<typeof setTimeout> | undefined;

whenListed(applyAgain);

export function applyEvents(events: readonly InboxEvent[]): void {
  noteHeard(events);
  const { isCleared, fresh, changed, gone } = sumUp(events);
  if (isCleared) clear(fresh);
  receive([...fresh.values()]);
  const changes = new Map<string, RowChange>();
  for (const [id, change] of changed) {
    const made = changeRow(id, change);
    if (made) changes.set(id, made);
  }
  followChanges(changes);
  forget(new Set(gone));
}

/** What a list may be too old for; the rows and counts have heard of it. */
function applyAgain(askedAt: number, isGuessed: boolean): void {
  if (isGuessed) lookAgainSoon();
  const { isCleared, fresh, changed, gone } = heardSince(askedAt);
  if (isCleared) emptyView();
  list([...fresh.values()]);
  settleAnew(new Map([...changed].map(([id, change]) => [id, rowOf(id)?.peek() ?? change])));
  missAnew(gone);
}

/** Undefined where the change has to wait for others. */
function changeRow(id: string, change: Partial<MessageSummary>): RowChange | undefined {
  const made = hear(id, change);
  if (change.is_read !== undefined) {
    const isMade = made?.after.is_read === change.is_read;
    countRead(id, isMade ? made?.before.is_read : undefined, change.is_read);
  }
  if (change.tags) {
    noteTags(change.tags);
    reloadTagsSoon();
  }
  return made;
}

function receive(fresh: readonly MessageSummary[]): void {
  if (fresh.length === 0) return;
  const unlisted = fresh.filter(({ id }) => rowOf(id) === undefined);
  countBy(unlisted.length, unlisted.filter((summary) => !summary.is_read).length);
  const changes = fresh.flatMap((after): [string, RowChange][] => {
    const before = rowOf(after.id)?.peek();
    return before ? [[after.id, { before, after }]] : [];
  });
  for (const summary of fresh) putRow(summary);
  // It may have been changed in the moment it arrived, and a list may have told of it between.
  followChanges(new Map(changes));
  noteThere(fresh.map(({ id }) => id));
  noteTags(fresh.flatMap((summary) => summary.tags));
  announceMail(fresh);
  list(fresh);
}

function list(fresh: readonly MessageSummary[]): void {
  if (fresh.length === 0) return;
  const { flagsFit, hasText } = fitOf(route.peek().filter);
  const fitting = fresh.filter((mail) => flagsFit(mail) && !isPendingDelete(mail.id));
  if (hasText) {
    if (fitting.length > 0 && searchTimer === undefined) {
      searchTimer = setTimeout(searchAgain, SEARCH_AGAIN_MS);
    }
    return;
  }
  const shown = ids.peek();
  // A list that has newer mail was put together after this came.
  const listed = fitting.map(({ id }) => id).filter((id) => !isCounted(shown, id));
  lightUp(listed);
  insertIntoView(listed);
}

function searchAgain(): void {
  searchTimer = undefined;
  void refreshHead();
}

function forget(gone: Set<string>): void {
  if (gone.size > 0) reloadTagsSoon();
  const opened = openedId.peek();
  if (opened && gone.has(opened)) noteVanished([opened]);
  forgetRows(gone);
  fullMessage.forget([...gone].filter((id) => id !== opened));
  const ours = [...gone].filter(isPendingDelete);
  releaseDelete(ours);
  for (const id of ours) gone.delete(id);
  if (ours.length > 0) recountSoon();
  // A list that was fetched just before has counted them.
  missAnew(new Set(ours));
  if (gone.size === 0) return;
  followDeletes(gone);
  unselect(gone);
  recountSoon();
}

/** Of what a list has told before, the counts may not have heard. */
function countRead(id: string, wasRead: boolean | undefined, is_read: boolean): void {
  if (wasRead === undefined || wasRead === is_read) recountSoon();
  else if (!isPendingDelete(id)) countBy(0, is_read ? -1 : 1);
}

function clear(since: ReadonlyMap<string, MessageSummary>): void {
  emptyView();
  reloadTagsSoon();
  clearSelection();
  releaseAllDeletes();
  const opened = openedId.peek();
  if (opened && !since.has(opened)) noteVanished([opened]);
  fullMessage.forgetOthers(opened);
  forgetAllRows();
  countNothing();
}
