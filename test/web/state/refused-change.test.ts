// A change that the server refuses is taken back to what the server has, whatever else happened meanwhile.
import "./support/page.ts";

import { beforeEach, expect, test } from "bun:test";
import type { MessageSummary } from "../../../src/model/index.ts";
import { markRead, retag, star } from "../../../src/web/state/actions.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { reloadView } from "../../../src/web/state/load-view.ts";
import { rowOf } from "../../../src/web/state/rows.ts";
import { toasts } from "../../../src/web/state/toasts.ts";
import { until } from "../../support/until.ts";
import { answerLate, ask, failNext, inPage, receive, requests, sendLate } from "./support/page.ts";

inPage();

let id = "";

beforeEach(async () => {
  [id = ""] = await receive(1);
  await reloadView();
  // A look at the list that a test before has asked for may have taken the place of this one.
  await until(() => rowOf(id) !== undefined);
});

const shown = (): Partial<MessageSummary> => {
  const { is_read, is_starred, tags } = rowOf(id)?.peek() ?? {};
  return { is_read, is_starred, tags } as Partial<MessageSummary>;
};

test("a star that was set and taken off, both in vain, stayed", async () => {
  failNext("PATCH", 2);
  await Promise.all([star([id], true), star([id], false)]);
  expect(shown().is_starred).toBe(false);
});

test("of two tags that were not saved the first stayed", async () => {
  failNext("PATCH", 2);
  await Promise.all([retag([id], ["one"], []), retag([id], ["two"], [])]);
  expect(shown().tags).toEqual([]);
});

test("a change in vain took back what others had changed meanwhile", async () => {
  failNext("PATCH");
  const marked = markRead([id], true);
  applyEvents([
    { type: "message:starred", data: { id, is_starred: true } },
    { type: "message:tags", data: { id, tags: ["theirs"] } },
  ]);
  await marked;
  expect(shown()).toEqual({ is_read: false, is_starred: true, tags: ["theirs"] });
});

test("a change in vain that others made at the same time was taken back", async () => {
  failNext("PATCH");
  const marked = markRead([id], true);
  applyEvents([{ type: "message:read", data: { id, is_read: true } }]);
  await marked;
  expect(shown().is_read).toBe(true);
});

test("a change of which only the answer was lost was said not to be saved", async () => {
  failNext("PATCH");
  const set = star([id], true);
  applyEvents([{ type: "message:starred", data: { id, is_starred: true } }]);
  expect(await set).toBe(true);
  expect(toasts.peek()).toEqual([]);
});

test("a change that was lost is said not to be saved", async () => {
  failNext("PATCH");
  expect(await retag([id], ["one"], [])).toBe(false);
  expect(toasts.peek().map(({ text }) => text)).toEqual([
    "Not saved: The Mailkeep server cannot be reached.",
  ]);
});

test("a late answer to a change was taken for newer than what was heard since", async () => {
  const first = answerLate("PATCH");
  const set = star([id], true);
  await first.asked;
  applyEvents([{ type: "message:starred", data: { id, is_starred: true } }]);
  failNext("PATCH");
  const takenOff = star([id], false);
  applyEvents([{ type: "message:starred", data: { id, is_starred: false } }]);
  first.answer();
  await Promise.all([set, takenOff]);
  expect(shown().is_starred).toBe(false);
});

test("a change in vain took back what a list had told of others meanwhile", async () => {
  await ask("PATCH", `/${id}`, { is_starred: true });
  const list = answerLate("/messages?");
  const listed = reloadView();
  await list.asked;
  failNext("PATCH");
  await star([id], true);
  list.answer();
  await listed;
  await until(() => shown().is_starred === true);
});

test("a star that was taken off at once was set by the first request, which came last", async () => {
  const first = answerLate("PATCH");
  const set = star([id], true);
  await first.asked;
  requests.length = 0;
  const changes = () => requests.filter((asked) => asked.startsWith("PATCH"));
  const takenOff = star([id], false);
  const other = markRead(["01M7GQ4ZV3A15W9HKBPYK6G5ZZ"], true);
  await other;
  expect(changes()).toHaveLength(1);
  first.answer();
  await Promise.all([set, takenOff]);
  expect(changes()).toHaveLength(2);
  expect(shown().is_starred).toBe(false);
});

test("the echo of a star set it again after it was taken off, and the next key took it off once more", async () => {
  const echo = [{ type: "message:starred" as const, data: { id, is_starred: true } }];
  const first = answerLate("PATCH");
  const set = star([id], true);
  await first.asked;
  const takenOff = star([id], false);
  applyEvents(echo);
  expect(shown().is_starred).toBe(false);
  first.answer();
  await Promise.all([set, takenOff]);
  applyEvents(echo);
  expect(shown().is_starred).toBe(false);
  // What others have changed meanwhile is shown a moment later.
  await until(() => shown().is_starred === true);
});

test("a list that was faster than a star took it off", async () => {
  const slow = sendLate("PATCH");
  const set = star([id], true);
  await slow.asked;
  await reloadView();
  expect(shown().is_starred).toBe(true);
  slow.answer();
  await set;
  expect(shown().is_starred).toBe(true);
});

test("a change that is taken stays after the one that was refused before it", async () => {
  failNext("PATCH");
  await Promise.all([star([id], false), star([id], true)]);
  expect(shown().is_starred).toBe(true);
});
