// Changes to mail. The page shows new flags and tags at once, and later what the server has saved.
import { batch } from "@preact/signals";
import type { MessageChange } from "../../model/index.ts";
import {
  changeMessages,
  deleteAllMessages,
  deleteMessages,
  type ListFilter,
  listMessages,
} from "../api/index.ts";
import { isNarrow } from "./layout.ts";
import { cursor, ids, isId, isListed, type Key, refreshSoon, removeGone } from "./list.ts";
import { hidden, hideMails, mailOf, overrideMails, patchMail, unhideMails } from "./mails.ts";
import { closeMail, isFiltered, navigate, openedId, route } from "./route.ts";
import { unselect } from "./selection.ts";
import { loadInfo, recountSoon, reloadTagsSoon } from "./service.ts";
import { attempt, complain, hideToast, showToast, tell } from "./toasts.ts";

const UNDO_MS = 6000;

export const markRead = (ids: readonly string[], is_read: boolean) => change(ids, { is_read });
export const star = (ids: readonly string[], is_starred: boolean) => change(ids, { is_starred });

/** Changes are sent one after the other, so that two changes of one message arrive in order. */
let sent: Promise<unknown> = Promise.resolve();

/** Returns false if the change was not saved, after telling the user. */
async function change(ids: readonly string[], change: MessageChange): Promise<boolean> {
  const settle = overrideMails(ids, change);
  const answer = sent.then(() => changeMessages(ids, change));
  sent = answer.catch(() => undefined);
  const isSaved = (await attempt("Not saved", answer)) === true;
  batch(() => {
    if (isSaved) for (const id of ids) patchMail(id, change);
    settle();
  });
  if (!isSaved || isFiltered.peek() || !isListed.peek()) refreshSoon();
  if (change.tags) reloadTagsSoon();
  recountSoon();
  return isSaved;
}

/** Keeps all other tags. Returns false if a message was not changed, after telling the user. */
export async function retag(
  ids: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): Promise<boolean> {
  const mails = ids.flatMap((id) => mailOf(id)?.peek() ?? []);
  if (mails.length < ids.length)
    complain("Some of these mails were already deleted and could not be changed.");
  // Messages that end up with the same tags share one request.
  const groups = Map.groupBy(mails, ({ tags }) =>
    JSON.stringify([...new Set([...tags.filter((tag) => !removed.includes(tag)), ...added])]),
  );
  const answers = [...groups].map(([tags, mails]) => {
    const same = mails.map(({ id }) => id);
    return change(same, { tags: JSON.parse(tags) as string[] });
  });
  return (await Promise.all(answers)).every((isSaved) => isSaved) && mails.length === ids.length;
}

const deletedText = (number: number) =>
  number === 1 ? "Mail deleted" : `${number.toLocaleString()} mails deleted`;

export async function deleteEverything(isMatching: boolean): Promise<void> {
  const filter = isMatching ? route.peek().filter : undefined;
  const answer = await attempt("Not deleted", deleteAllMessages(filter));
  if (answer) tell(isMatching ? deletedText(answer.deleted) : "All mail was deleted");
  refreshSoon();
  recountSoon();
}

export async function markAllRead(): Promise<void> {
  const { filter } = route.peek();
  const unreadOnly: ListFilter = { ...filter, flags: [...filter.flags, "unread"] };
  const which = isFiltered.peek() ? "All mail that matches" : "All mail";
  for (;;) {
    const page = await attempt("Not saved", listMessages(unreadOnly, 0, 200));
    const unread = page?.messages.map(({ id }) => id);
    if (unread?.length === 0) return void tell(`${which} is marked as read`);
    if (!unread || !(await markRead(unread, true))) return;
  }
}

interface Deletion {
  readonly ids: readonly string[];
  readonly timer: ReturnType<typeof setTimeout>;
}

const undoable = new Set<Deletion>();

/** Hides mail at once. The server deletes it a few seconds later, or when the page is closed. */
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
  const undo = () => {
    hideToast(toast);
    clearTimeout(deletion.timer);
    const back = undoable.delete(deletion) ? ids.filter((id) => hidden.peek().has(id)) : [];
    if (back.length === 0) complain("Cannot undo: already deleted.");
    unhideMails(back);
    if (openedBefore && back.includes(openedBefore))
      navigate({ id: openedBefore }, openedId.peek() ? "replace" : "push");
  };
  const toast = showToast(
    { text: deletedText(ids.length), tone: "neutral", action: { label: "Undo", run: undo } },
    UNDO_MS,
  );
}

async function commit(deletion: Deletion): Promise<void> {
  if (!undoable.delete(deletion)) return;
  clearTimeout(deletion.timer);
  if (await attempt("Not deleted", deleteMessages(deletion.ids))) {
    removeGone(new Set(deletion.ids));
    await loadInfo();
  } else refreshSoon();
  unhideMails(deletion.ids);
}

export function commitAll(): void {
  for (const deletion of [...undoable]) void commit(deletion);
}

/** Opens or marks the neighbour of a deleted mail. A narrow page goes back to the list. */
function moveAway(gone: ReadonlySet<string>): void {
  const opened = openedId.peek();
  const leaving = opened ?? cursor.peek();
  if (leaving === undefined || !gone.has(leaving)) return;
  const list = ids.peek();
  const index = list.indexOf(leaving);
  const stays = (key: Key): key is string => isId(key) && !gone.has(key);
  const next = list.slice(index + 1).find(stays) ?? list.slice(0, Math.max(0, index)).findLast(stays);
  cursor.value = next;
  if (opened && (isNarrow.peek() || !next)) closeMail();
  else if (opened) navigate({ id: next, tab: undefined }, "replace");
}
