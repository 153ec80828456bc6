// What each inbox event does to the page. Pending deletes are already gone here and are left alone.
import type { InboxEvent, MessageSummary } from "../../model/index.ts";
import type { ListFilter } from "../api/messages.ts";
import { lightUp } from "./fresh.ts";
import { announceMail } from "./notifications.ts";
import { noteVanished } from "./opened.ts";
import { isPendingDelete, releaseAllDeletes, releaseDelete } from "./pending-deletes.ts";
import { openedId, route } from "./route.ts";
import { patchRow, putRow, rowOf } from "./rows.ts";
import { clearSelection, unselect } from "./selection.ts";
import { countBy, countNothing, recountSoon } from "./service.ts";
import { hearTags } from "./tag-changes.ts";
import { noteTags, reloadTagsSoon } from "./tags.ts";
import { emptyView, insertIntoView, refreshHead, removeFromView } from "./view.ts";

const SEARCH_AGAIN_MS = 300;

type ChangeEvent = Extract<InboxEvent, { type: "message:read" | "message:starred" | "message:tags" }>;

let searchTimer: ReturnType<typeof setTimeout> | undefined;

export function applyEvents(events: readonly InboxEvent[]): void {
  const fresh = new Map<string, MessageSummary>();
  const gone = new Set<string>();
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
        clear();
        break;
      default:
        applyChange(event, fresh);
    }
  }
  if (gone.size > 0) reloadTagsSoon();
  receive([...fresh.values()].filter(({ id }) => !gone.has(id)));
  forget(gone);
}

/** Mail may be changed in the moment it arrives, before it has a row. */
function applyChange(event: ChangeEvent, fresh: Map<string, MessageSummary>): void {
  const { id, ...change } = event.data;
  const arriving = fresh.get(id);
  if (arriving) fresh.set(id, { ...arriving, ...change });
  else if (event.type === "message:read") changeRead(id, event.data.is_read);
  else if (event.type === "message:starred") patchRow(id, { is_starred: event.data.is_starred });
  else {
    noteTags(event.data.tags);
    hearTags(id, event.data.tags);
    reloadTagsSoon();
  }
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
  const { filter } = route.peek();
  if (filter.q.trim() !== "") {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(() => void refreshHead(), SEARCH_AGAIN_MS);
    return;
  }
  const listed = fresh.filter((summary) => matches(summary, filter)).map(({ id }) => id);
  lightUp(listed);
  insertIntoView(listed);
}

function forget(gone: Set<string>): void {
  const ours = [...gone].filter(isPendingDelete);
  releaseDelete(ours);
  for (const id of ours) gone.delete(id);
  if (ours.length > 0) recountSoon();
  if (gone.size === 0) return;
  removeFromView(gone);
  unselect(gone);
  const opened = openedId.peek();
  if (opened && gone.has(opened)) noteVanished([opened]);
  recountSoon();
}

function changeRead(id: string, is_read: boolean): void {
  const row = rowOf(id)?.peek();
  if (row?.is_read === is_read) return;
  if (!row) recountSoon();
  else if (!isPendingDelete(id)) countBy(0, is_read ? -1 : 1);
  patchRow(id, { is_read });
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

function matches(summary: MessageSummary, filter: ListFilter): boolean {
  if (filter.unread && summary.is_read) return false;
  if (filter.starred && !summary.is_starred) return false;
  if (filter.attachments && !summary.has_attachments) return false;
  return filter.tags.length === 0 || filter.tags.some((tag) => summary.tags.includes(tag));
}
