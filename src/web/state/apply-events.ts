// What each inbox event does to the page. Pending deletes are already gone here and are left alone.
import type { InboxEvent, MessageSummary } from "../../model/index.ts";
import { fitOf } from "./filter-fit.ts";
import { lightUp } from "./fresh.ts";
import { followChanges, followDeletes } from "./membership.ts";
import { announceMail } from "./notifications.ts";
import { noteVanished } from "./opened.ts";
import { isPendingDelete, releaseAllDeletes, releaseDelete } from "./pending-deletes.ts";
import { openedId, route } from "./route.ts";
import { patchRow, putRow, type RowChange, rowOf } from "./rows.ts";
import { clearSelection, unselect } from "./selection.ts";
import { countBy, countNothing, recountSoon } from "./service.ts";
import { hearTags } from "./tag-changes.ts";
import { noteTags, reloadTagsSoon } from "./tags.ts";
import { emptyView, insertIntoView, refreshHead } from "./view.ts";

const SEARCH_AGAIN_MS = 300;

type ChangeEvent = Extract<InboxEvent, { type: "message:read" | "message:starred" | "message:tags" }>;

let searchTimer: ReturnType<typeof setTimeout> | undefined;

export function applyEvents(events: readonly InboxEvent[]): void {
  const fresh = new Map<string, MessageSummary>();
  const gone = new Set<string>();
  const changed = new Map<string, RowChange>();
  for (const event of events) {
    switch (event.type) {
      case "message:new":
        fresh.set(event.data.id, event.data);
        break;
      case "message:delete":
        gone.add(event.data.id);
        break;
      case "messages:clear":
        fresh.clear();
        changed.clear();
        clear();
        break;
      default:
        applyChange(event, fresh, changed);
    }
  }
  if (gone.size > 0) reloadTagsSoon();
  receive([...fresh.values()].filter(({ id }) => !gone.has(id)));
  for (const id of gone) changed.delete(id);
  followChanges(changed);
  forget(gone);
}

/** Mail may be changed in the moment it arrives, before it has a row. */
function applyChange(
  event: ChangeEvent,
  fresh: Map<string, MessageSummary>,
  changed: Map<string, RowChange>,
): void {
  const { id, ...change } = event.data;
  const arriving = fresh.get(id);
  if (arriving) {
    fresh.set(id, { ...arriving, ...change });
    return;
  }
  const made = changeRow(event);
  const earlier = changed.get(id);
  if (made)
    changed.set(id, { before: earlier?.before ?? made.before, after: { ...earlier?.after, ...made.after } });
}

/** Undefined where the change has to wait for others. */
function changeRow(event: ChangeEvent): RowChange | undefined {
  if (event.type === "message:read") return changeRead(event.data.id, event.data.is_read);
  if (event.type === "message:starred") return patchRow(event.data.id, { is_starred: event.data.is_starred });
  noteTags(event.data.tags);
  reloadTagsSoon();
  return hearTags(event.data.id, event.data.tags);
}

function receive(fresh: readonly MessageSummary[]): void {
  if (fresh.length === 0) return;
  const unlisted = fresh.filter(({ id }) => rowOf(id) === undefined);
  // A list that was on its way may have brought it, and counted it.
  if (unlisted.length < fresh.length) recountSoon();
  countBy(unlisted.length, unlisted.filter((summary) => !summary.is_read).length);
  for (const summary of fresh) putRow(summary);
  noteTags(fresh.flatMap((summary) => summary.tags));
  announceMail(fresh);
  const { flagsFit, hasText } = fitOf(route.peek().filter);
  const fitting = fresh.filter(flagsFit);
  if (hasText) {
    if (fitting.length > 0 && searchTimer === undefined) {
      searchTimer = setTimeout(searchAgain, SEARCH_AGAIN_MS);
    }
    return;
  }
  const listed = fitting.map(({ id }) => id);
  lightUp(listed);
  insertIntoView(listed);
}

function searchAgain(): void {
  searchTimer = undefined;
  void refreshHead();
}

function forget(gone: Set<string>): void {
  const ours = [...gone].filter(isPendingDelete);
  releaseDelete(ours);
  for (const id of ours) gone.delete(id);
  if (ours.length > 0) recountSoon();
  if (gone.size === 0) return;
  followDeletes(gone);
  unselect(gone);
  const opened = openedId.peek();
  if (opened && gone.has(opened)) noteVanished([opened]);
  recountSoon();
}

function changeRead(id: string, is_read: boolean): RowChange {
  const change = patchRow(id, { is_read });
  const wasRead = change.before.is_read;
  if (wasRead === undefined) recountSoon();
  else if (wasRead !== is_read && !isPendingDelete(id)) countBy(0, is_read ? -1 : 1);
  return change;
}

function clear(): void {
  emptyView();
  reloadTagsSoon();
  clearSelection();
  releaseAllDeletes();
  const opened = openedId.peek();
  if (opened) noteVanished([opened]);
  countNothing();
}
