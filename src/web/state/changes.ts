// What a person can do to mail. The page shows it at once as an override; when the server has answered, the override
// ends, and the server's word counts.
import { batch } from "@preact/signals";
import type { MessageChange, MessageList } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import {
  changeMessages,
  deleteAllMessages,
  deleteMessages,
  listMessages,
  type PageStart,
} from "../api/messages.ts";
import { isNarrow } from "./layout.ts";
import { cursor, ids, isListed, removeGone, upset } from "./list.ts";
import { hidden, hideMails, mailOf, overrideMails, patchMail, unhideMails } from "./mails.ts";
import { isFiltered, navigate, openedId, route } from "./route.ts";
import { unselect } from "./selection.ts";
import { count, recountSoon, reloadTagsSoon } from "./service.ts";
import { complain, hideToast, showToast, tell } from "./toasts.ts";

const UNDO_MS = 6000;

export const markRead = (ids: readonly string[], is_read: boolean) => change(ids, { is_read });
export const star = (ids: readonly string[], is_starred: boolean) => change(ids, { is_starred });

/** Changes are sent one after the other: two of the same message must arrive as they were made. */
let sent: Promise<unknown> = Promise.resolve();

/** False: not saved, and the user was told. */
async function change(ids: readonly string[], change: MessageChange): Promise<boolean> {
  const settle = overrideMails(ids, change);
  try {
    const answer = sent.then(() => changeMessages(ids, change));
    sent = answer.catch(() => undefined);
    await answer;
    batch(() => {
      const { tags, ...flags } = change;
      for (const id of ids) count(0, patchMail(id, { ...flags, ...(tags && { tags: [...tags] }) }) ?? 0);
      settle();
    });
    if (isFiltered.peek() || !isListed.peek()) upset();
    return true;
  } catch (error) {
    settle();
    upset();
    complain(`Not saved: ${asFailure(error).message}`);
    return false;
  } finally {
    if (change.tags) reloadTagsSoon();
    recountSoon();
  }
}

/** Adds and removes tags while every message keeps its others. False: not saved, and the user was told. */
export async function retag(
  ids: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): Promise<boolean> {
  const mails = ids.flatMap((id) => mailOf(id)?.peek() ?? []);
  if (mails.length < ids.length) complain("Not saved for mail that was deleted meanwhile.");
  // Messages that end up with the same tags share one request.
  const groups = Map.groupBy(mails, ({ tags }) =>
    JSON.stringify([...new Set([...tags.filter((tag) => !removed.includes(tag)), ...added])]),
  );
  const answers = [...groups].map(([tags, mails]) =>
    change(
      mails.map(({ id }) => id),
      { tags: JSON.parse(tags) as string[] },
    ),
  );
  return (await Promise.all(answers)).every((isSaved) => isSaved) && mails.length === ids.length;
}

export async function deleteEverything(isMatching: boolean): Promise<void> {
  try {
    const { deleted } = await deleteAllMessages(isMatching ? route.peek().filter : undefined);
    tell(isMatching ? `${deleted.toLocaleString()} messages were deleted` : "All mail was deleted");
  } catch (error) {
    complain(`Not deleted: ${asFailure(error).message}`);
  }
  upset();
  recountSoon();
}

/** Marks everything in the list as read, also what is not loaded. */
export async function markAllRead(): Promise<void> {
  const filter = { ...route.peek().filter, unread: true };
  const { signal } = new AbortController();
  try {
    for (let before: string | null = ""; before !== null; ) {
      const from: PageStart = before === "" ? { offset: 0 } : { before };
      const page: MessageList = await listMessages(filter, from, 200, signal);
      before = page.next_cursor;
      const unread = page.messages.map(({ id }) => id);
      if (unread.length > 0 && !(await markRead(unread, true))) return;
    }
    tell("All mail is marked as read");
  } catch (error) {
    complain(`Not saved: ${asFailure(error).message}`);
  }
}

interface Deletion {
  readonly ids: readonly string[];
  readonly timer: ReturnType<typeof setTimeout>;
}

const undoable = new Set<Deletion>();

/** Mail leaves the page at once and the server a few seconds later, or right away when the page is left. */
export function deleteWithUndo(chosen: readonly string[]): void {
  const openedBefore = openedId.peek();
  moveAway(new Set(chosen));
  const ids = chosen.filter((id) => !hidden.peek().has(id));
  if (ids.length === 0) return;
  const deletion = { ids, timer: setTimeout(() => void commit(deletion), UNDO_MS) };
  undoable.add(deletion);
  batch(() => {
    hideMails(ids);
    unselect(new Set(ids));
  });
  const text = ids.length === 1 ? "Message deleted" : `${ids.length.toLocaleString()} messages deleted`;
  const undo = () => {
    hideToast(toast);
    clearTimeout(deletion.timer);
    const back = undoable.delete(deletion) ? ids.filter((id) => hidden.peek().has(id)) : [];
    if (back.length === 0) complain(`Too late: ${ids.length === 1 ? "it is" : "they are"} deleted.`);
    unhideMails(back);
    if (openedBefore && back.includes(openedBefore)) navigate({ id: openedBefore }, "replace");
  };
  const toast = showToast({ text, tone: "neutral", action: { label: "Undo", run: undo } }, UNDO_MS);
}

async function commit(deletion: Deletion): Promise<void> {
  if (!undoable.delete(deletion)) return;
  clearTimeout(deletion.timer);
  const left = deletion.ids.filter((id) => hidden.peek().has(id));
  try {
    await deleteMessages(left);
    // Events may have told of some already.
    const untold = left.filter((id) => hidden.peek().has(id));
    const unread = untold.filter((id) => mailOf(id)?.peek().is_read === false);
    removeGone(new Set(untold));
    count(-untold.length, -unread.length);
  } catch (error) {
    upset();
    complain(`Not deleted: ${asFailure(error).message}`);
  }
  unhideMails(left);
  recountSoon();
}

/** Sends what still has an undo: the page is being left. */
export function commitAll(): void {
  for (const deletion of [...undoable]) void commit(deletion);
}

/** When the open message goes, its next neighbour opens; on a narrow page the list comes back. */
function moveAway(gone: ReadonlySet<string>): void {
  const opened = openedId.peek();
  const leaving = opened ?? cursor.peek();
  if (leaving === undefined || !gone.has(leaving)) return;
  const list = ids.peek();
  const index = list.indexOf(leaving);
  const stays = (id: string | undefined): id is string => id !== undefined && !gone.has(id);
  const next = list.slice(index + 1).find(stays) ?? list.slice(0, Math.max(0, index)).findLast(stays);
  cursor.value = next;
  if (opened) navigate({ id: isNarrow.peek() ? undefined : next, tab: undefined }, "replace");
}
