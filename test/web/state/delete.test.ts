// Deleting with an undo: nothing is brought back where it does not belong, and nothing stays undeleted.
import "./support/page.ts";

import { afterAll, expect, spyOn, test } from "bun:test";
import { NO_FILTER } from "../../../src/web/state/address.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { commitAll, deleteWithUndo } from "../../../src/web/state/delete.ts";
import { finishDeletes } from "../../../src/web/state/last-deletes.ts";
import { reloadView, showRange } from "../../../src/web/state/load-view.ts";
import { leaveWhenMovedOn } from "../../../src/web/state/membership.ts";
import { vanished } from "../../../src/web/state/opened.ts";
import { countUnread } from "../../../src/web/state/pending-deletes.ts";
import { navigate, openedId } from "../../../src/web/state/route.ts";
import { putRow, rowOf } from "../../../src/web/state/rows.ts";
import { loadService, totalCount, unreadCount } from "../../../src/web/state/service.ts";
import { complain, toasts } from "../../../src/web/state/toasts.ts";
import { emptyView, ids, insertIntoView, viewState } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { ask, failNext, flood, inPage, mailkeep, receive, requests, sendLate } from "./support/page.ts";

inPage();

const undoLast = () =>
  toasts
    .peek()
    .findLast(({ action }) => action)
    ?.action?.run();

const stopLeaving = leaveWhenMovedOn();
afterAll(stopLeaving);

test("of five mails deleted one after the other only three could be brought back", async () => {
  const all = await receive(5);
  await reloadView();
  for (const id of all) deleteWithUndo([id]);
  for (let number = 1; number <= 4; number++) complain("Something else happened");
  expect(ids.peek()).toEqual([]);
  for (const _ of all) undoLast();
  expect(ids.peek()).toEqual(all);
});

test("a mail that Back had led to was deleted twice, and said to be deleted elsewhere by the second undo", async () => {
  const [id = "", next = ""] = await receive(2);
  await reloadView();
  deleteWithUndo([id]);
  navigate({ id });
  deleteWithUndo([id]);
  expect(openedId.peek()).toBe(next);
  undoLast();
  undoLast();
  expect(ids.peek()).toEqual([id, next]);
  expect(toasts.peek()).toEqual([]);
});

test("of plain notices the last three are shown", () => {
  for (const text of ["1", "2", "3", "4"]) complain(text);
  expect(toasts.peek().map(({ text }) => text)).toEqual(["2", "3", "4"]);
});

test("a mail brought back appeared in a view that it does not belong to", async () => {
  const [id = "", ...others] = await receive(2);
  await reloadView();
  deleteWithUndo([id]);
  navigate({ filter: { ...NO_FILTER, starred: true } });
  await reloadView();
  undoLast();
  expect(ids.peek()).toEqual([]);
  navigate({ filter: NO_FILTER });
  await reloadView();
  expect(ids.peek()).toEqual([id, ...others]);
});

/** 400 mails, of which the newest 100 wait for their delete, and a fresh one on top. */
async function longListWithDeletes(): Promise<{ all: string[]; fresh: string }> {
  const all = await flood(400);
  await reloadView();
  deleteWithUndo(all.slice(0, 100));
  await mailkeep.send({ subject: "Fresh" });
  const fresh = await mailkeep.idOf("Fresh");
  insertIntoView([fresh]);
  return { all, fresh };
}

test("a place far down was fetched as if what waits for its delete were gone, over and over", async () => {
  const { all } = await longListWithDeletes();
  requests.length = 0;
  showRange(151, 180);
  await until(() => ids.peek()[120] !== undefined);
  expect([ids.peek()[120], ids.peek()[151]]).toEqual([all[219], all[250]]);
  expect(requests.length).toBeLessThan(8);
  undoLast();
});

test("a place among many that wait for their delete was taken for one below them", async () => {
  const all = await flood(700);
  await reloadView();
  deleteWithUndo(all.slice(200, 500));
  requests.length = 0;
  showRange(190, 210);
  await until(() => !ids.peek().slice(190, 210).includes(undefined));
  expect([ids.peek()[195], ids.peek()[205], ids.peek().length]).toEqual([all[195], all[505], 400]);
  // Eight for the place, and twice as many where the list is looked at again meanwhile for what a test before did.
  expect(requests.length).toBeLessThan(20);
  undoLast();
  await until(() => ids.peek().length >= 700);
});

test("mail brought back into a part that is not fetched stood at the end of it", async () => {
  const all = await flood(400);
  await reloadView();
  showRange(140, 160);
  await until(() => ids.peek()[150] !== undefined);
  const gone = all[150] ?? "";
  deleteWithUndo([gone]);
  showRange(0, 30);
  await reloadView();
  undoLast();
  await until(() => !ids.peek().includes(gone));
  expect(ids.peek()).toHaveLength(400);
});

test("mail that was deleted elsewhere too, of which was not heard, was brought back and stayed", async () => {
  const [gone = "", ...others] = await receive(3);
  await reloadView();
  deleteWithUndo([gone]);
  await ask("DELETE", `/${gone}`);
  undoLast();
  await until(() => !ids.peek().includes(gone));
  expect(ids.peek()).toEqual(others);
});

test("mail deleted while another list was on its way was brought back into that", async () => {
  const all = await receive(2);
  await reloadView();
  navigate({ filter: { ...NO_FILTER, starred: true } });
  deleteWithUndo(all.slice(0, 1));
  await reloadView();
  undoLast();
  expect(ids.peek()).toEqual([]);
});

test("a list that was fetched again lost its newest mail to what came after those that wait for their delete", async () => {
  const { all, fresh } = await longListWithDeletes();
  showRange(20, 50);
  await until(() => ids.peek()[20] !== undefined);
  await reloadView();
  expect([ids.peek()[0], ids.peek()[20], ids.peek().length]).toEqual([fresh, all[119], 301]);
  undoLast();
});

test("after the undo of a large delete the mails scrolled away before it counted as read", async () => {
  const all = await flood(300);
  await Promise.all([loadService(), reloadView()]);
  // As after a scroll through all of the list: of mail far from what is in sight only the ids are known.
  ids.value = all;
  deleteWithUndo(all);
  undoLast();
  expect(unreadCount.peek()).toBeLessThan(300);
  await until(() => unreadCount.peek() >= 300);
});

test("whether mail was read is known for as long as it can be brought back", async () => {
  const [known] = await receive(1);
  await Promise.all([loadService(), reloadView()]);
  const mail = rowOf(known ?? "")?.peek();
  const many = Array.from({ length: 6001 }, (_, index) => `0${String(index).padStart(25, "0")}`);
  if (mail) for (const id of many) putRow({ ...mail, id });
  deleteWithUndo(many);
  insertIntoView(["NEW"]);
  expect(countUnread(many)).toBe(many.length);
  undoLast();
  emptyView();
});

test("a message that was opened again while its delete waited stayed open as if it existed", async () => {
  const [id = ""] = await receive(2);
  await reloadView();
  deleteWithUndo([id]);
  navigate({ id });
  commitAll();
  applyEvents([{ type: "message:delete", data: { id } }]);
  expect(vanished.peek().has(id)).toBe(true);
});

test("mail that waits for its delete was shown as if it were there when Back led to it", async () => {
  const [id = ""] = await receive(2);
  await reloadView();
  deleteWithUndo([id]);
  navigate({ id });
  expect(vanished.peek().has(id)).toBe(true);
  undoLast();
  expect(vanished.peek().has(id)).toBe(false);
});

test("an undo that came after the page was left and shown again did nothing without a word", async () => {
  const [id = ""] = await receive(2);
  await reloadView();
  deleteWithUndo([id]);
  commitAll();
  undoLast();
  expect(toasts.peek().map(({ text }) => text)).toEqual(["Too late: it is deleted."]);
  expect(ids.peek()).not.toContain(id);
});

test("mail that was gone before its delete was carried out stayed taken off the counts and the list", async () => {
  const id = (await flood(150)).at(-1) ?? "";
  await ask("DELETE", `/${id}`);
  deleteWithUndo([id]);
  await Promise.all([loadService(), reloadView()]);
  expect([totalCount.peek(), ids.peek().length]).toEqual([148, 148]);
  await until(() => totalCount.peek() !== 148 && ids.peek().length !== 148);
  expect([totalCount.peek(), ids.peek().length]).toEqual([149, 149]);
});

/** Deletes, with an undo for as long as the answer is not called. */
function deleteWhenTold(id: string): () => void {
  let commit = () => {};
  const timer = spyOn(globalThis, "setTimeout").mockImplementationOnce(((act: () => void) => {
    commit = act;
  }) as typeof setTimeout);
  deleteWithUndo([id]);
  timer.mockRestore();
  return commit;
}

const complaints = () => toasts.peek().filter(({ tone }) => tone === "danger");

test("mail of whose delete only the answer was lost was said not to be deleted", async () => {
  const [gone = "", other = ""] = await receive(2);
  await reloadView();
  const commit = deleteWhenTold(gone);
  failNext("DELETE");
  commit();
  applyEvents([{ type: "message:delete", data: { id: gone } }]);
  await Bun.sleep(1);
  expect(complaints()).toEqual([]);
  expect(ids.peek()).toEqual([other]);
});

test("mail whose delete was lost is brought back with a word", async () => {
  const both = await receive(2);
  await reloadView();
  const commit = deleteWhenTold(both[0] ?? "");
  failNext("DELETE");
  commit();
  await until(() => complaints().length > 0);
  expect(ids.peek()).toEqual(both);
});

test("a list that had counted mail whose delete was under way stayed too long", async () => {
  const all = await flood(350);
  const gone = all[150] ?? "";
  await reloadView();
  const commit = deleteWhenTold(gone);
  const deleting = sendLate("DELETE");
  commit();
  await deleting.asked;
  await reloadView();
  showRange(100, 130);
  await until(() => ids.peek()[150] !== undefined);
  deleting.answer();
  await until(async () => !(await mailkeep.ids()).includes(gone));
  applyEvents([{ type: "message:delete", data: { id: gone } }]);
  await until(() => ids.peek().length <= 349);
  expect(ids.peek()).toHaveLength(349);
});

test("a page left after deleting more than a thousand mails left all but the first thousand", async () => {
  const all = await flood(2600);
  await reloadView();
  const deletes = () => requests.filter((request) => request === "DELETE /api/v1/messages").length;
  deleteWithUndo(all.slice(0, 1500));
  deleteWithUndo(all.slice(1500));
  commitAll();
  expect(deletes()).toBe(2);
  await finishDeletes();
  await until(async () => (await mailkeep.ids()).length === 0);
  await finishDeletes();
  expect(deletes()).toBe(3);
});

test("a list that was fetched while its beginning was being deleted could not be loaded", async () => {
  const all = await flood(1000);
  deleteWithUndo(all.slice(0, 900));
  commitAll();
  await reloadView();
  expect(viewState.peek()).toBe("ready");
  expect(ids.peek().slice(0, 100)).toEqual(all.slice(900));
});
