// What a person can do to mail. The page changes at once; the server is told; a refusal is taken back.
import { batch } from "@preact/signals";
import { MAX_TAG_CHARACTERS, MAX_TAGS } from "../../lib/limits.ts";
import type { MessageChange, MessageSummary } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import { changeMessages, deleteAllMessages, getSummaries } from "../api/messages.ts";
import { heardSince, whileHearing } from "./heard.ts";
import { keepUntilMovedOn } from "./lingering.ts";
import { refetch } from "./live.ts";
import { renewView } from "./load-view.ts";
import { followChanges, lookAgainSoon } from "./membership.ts";
import { patchRow, rowOf } from "./rows.ts";
import { sendInTurn } from "./send-in-turn.ts";
import { countBy, recountSoon } from "./service.ts";
import { groupByTags, type Retagged } from "./tag-groups.ts";
import { noteTags, reloadTagsSoon } from "./tags.ts";
import { complain, tell } from "./toasts.ts";
import { beginChange, endChange, noteTaken } from "./unsettled.ts";
import { ids, isListed } from "./view.ts";

/** All mail is deleted, or none: a few tell which. */
const ASKED_FOR = 20;
const TOO_MANY_TAGS = `Not saved: a message has at most ${MAX_TAGS} tags.`;

export const markRead = (ids: readonly string[], is_read: boolean) => change(ids, { is_read });
export const star = (ids: readonly string[], is_starred: boolean) => change(ids, { is_starred });

/** Adds and removes tags while every message keeps its others. False: not saved, and that was said. */
export async function retag(
  ids: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): Promise<boolean> {
  if (added.some((tag) => [...tag].length > MAX_TAG_CHARACTERS)) {
    complain(`Not saved: a tag has at most ${MAX_TAG_CHARACTERS} characters.`);
    return false;
  }
  const retagged: Retagged = (tags) => [
    ...new Set([...tags.filter((tag) => !removed.includes(tag)), ...added]),
  ];
  const near = ids.flatMap((id) => rowOf(id)?.peek() ?? []);
  const groups = groupByTags(near, retagged);
  if (added.length > 0 && groups.some(({ tags }) => tags.length > MAX_TAGS)) {
    complain(TOO_MANY_TAGS);
    return false;
  }
  const far = ids.filter((id) => !rowOf(id));
  // All at once: what is changed next starts from tags that already carry this change.
  const changes = groups.map((group) => change(group.ids, { tags: group.tags }));
  if (far.length > 0) {
    noteTags(added);
    changes.push(retagFar(far, retagged, added.length > 0));
  }
  return (await Promise.all(changes)).every((isSaved) => isSaved);
}

/** The page holds no tags of these, so the server is asked: a change names all tags of a message. */
async function retagFar(far: readonly string[], retagged: Retagged, isAdding: boolean): Promise<boolean> {
  const send = async () => {
    const found = await getSummaries(far);
    if (found.length < far.length) tellOfMissing();
    const groups = groupByTags(found, retagged);
    if (isAdding && groups.some(({ tags }) => tags.length > MAX_TAGS)) {
      complain(TOO_MANY_TAGS);
      return false;
    }
    for (const { ids, tags } of groups) await changeMessages(ids, { tags });
    return true;
  };
  return sendInTurn(far, "tags", send).catch((error: unknown) => {
    complain(`Not saved for all messages: ${asFailure(error).message}`);
    return false;
  });
}

export async function deleteEverything(): Promise<void> {
  const listed = ids.peek().filter((id) => id !== undefined);
  await whileHearing(async (askedAt) => {
    try {
      await deleteAllMessages();
    } catch (error) {
      // Only the answer may have been lost: an event has told that all is gone, or the server does.
      if (!heardSince(askedAt).isCleared && !(await areGone(listed.slice(0, ASKED_FOR)))) {
        lookAgainSoon();
        recountSoon();
        complain(`Not deleted: ${asFailure(error).message}`);
        return;
      }
    }
    // What has arrived since may be listed already.
    refetch();
    tell("All mail was deleted");
  });
}

async function areGone(ids: readonly string[]): Promise<boolean> {
  const left = await getSummaries(ids).catch(() => ids);
  return ids.length > 0 && left.length === 0;
}

async function change(ids: readonly string[], change: MessageChange): Promise<boolean> {
  const before = ids.flatMap((id) => rowOf(id)?.peek() ?? []);
  if (change.tags) noteTags(change.tags);
  keepUntilMovedOn(ids);
  batch(() => {
    countBy(0, unreadDifference(before, change.is_read));
    for (const row of before) {
      beginChange(row, change);
      patchRow(row.id, mutable(change));
    }
  });
  const [field = "tags"] = Object.keys(change) as (keyof MessageChange)[];
  try {
    const missing = await sendInTurn(ids, field, () => changeMessages(ids, change));
    if (change.tags && missing > 0) tellOfMissing();
    // The server's own count may have been asked for before the change, and come after it.
    if (change.is_read !== undefined) recountSoon();
    for (const { id } of before) noteTaken(id, change);
    settle(before, change, false);
    // A list on its way may have been put together before.
    if (!isListed.peek()) renewView();
    followChanges(
      new Map(before.map((row) => [row.id, { before: row, after: rowOf(row.id)?.peek() ?? {} }])),
    );
    return true;
  } catch (error) {
    settle(before, change, true);
    // Only the answer may have been lost: an event has told that it was taken.
    const isTaken = ids.every((id) => carries(rowOf(id)?.peek(), change));
    // What is shown again may have been changed elsewhere before the server could be heard.
    lookAgainSoon();
    recountSoon();
    if (change.tags) reloadTagsSoon();
    if (!isTaken) complain(`Not saved: ${asFailure(error).message}`);
    return isTaken;
  }
}

const carries = (row: MessageSummary | undefined, change: MessageChange): boolean =>
  JSON.stringify({ ...row, ...change }) === JSON.stringify(row);

/** Of what was refused, shows what the server has: others may have changed it meanwhile. */
function settle(rows: readonly MessageSummary[], change: MessageChange, isRefused: boolean): void {
  batch(() => {
    const back = rows.flatMap(({ id }) => {
      const shown = endChange(id, change, isRefused);
      return shown ? [[id, patchRow(id, shown)] as const] : [];
    });
    followChanges(new Map(back));
  });
}

/** Tags were typed, for mail that was deleted elsewhere: nobody has them now. */
function tellOfMissing(): void {
  complain("Not saved for mail that was deleted meanwhile.");
  reloadTagsSoon();
}

function unreadDifference(before: readonly MessageSummary[], is_read: boolean | undefined): number {
  if (is_read === undefined) return 0;
  const changed = before.filter((row) => row.is_read !== is_read).length;
  return is_read ? -changed : changed;
}

function mutable({ tags, ...flags }: MessageChange): Partial<MessageSummary> {
  return tags ? { ...flags, tags: [...tags] } : flags;
}
