// A filtered list follows what its mails become, here and elsewhere, and asks the server only where it must.
import "./support/page.ts";

import { afterAll, expect, test } from "bun:test";
import type { InboxEvent, MessageChange } from "../../../src/model/index.ts";
import type { ListFilter } from "../../../src/web/api/messages.ts";
import { markRead, star } from "../../../src/web/state/actions.ts";
import { NO_FILTER } from "../../../src/web/state/address.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { deleteWithUndo } from "../../../src/web/state/delete.ts";
import { reloadView, showRange } from "../../../src/web/state/load-view.ts";
import { leaveWhenMovedOn } from "../../../src/web/state/membership.ts";
import { navigate } from "../../../src/web/state/route.ts";
import { clearSelection, cursor, selected } from "../../../src/web/state/selection.ts";
import { toasts } from "../../../src/web/state/toasts.ts";
import { ids, neighbour } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { ask, flood, inPage, mailkeep, receive, requests } from "./support/page.ts";

inPage();

const stopLeaving = leaveWhenMovedOn();
afterAll(stopLeaving);

async function show(filter: Partial<ListFilter>): Promise<void> {
  navigate({ filter: { ...NO_FILTER, ...filter } });
  await reloadView();
  requests.length = 0;
}

/** By somebody else, and heard of. */
async function changeElsewhere(id: string, change: MessageChange): Promise<void> {
  await ask("PATCH", `/${id}`, change);
  applyEvents(eventsOf(id, change));
}

function eventsOf(id: string, { is_read, is_starred, tags }: MessageChange): InboxEvent[] {
  return [
    ...(is_read === undefined ? [] : [{ type: "message:read" as const, data: { id, is_read } }]),
    ...(is_starred === undefined ? [] : [{ type: "message:starred" as const, data: { id, is_starred } }]),
    ...(tags === undefined ? [] : [{ type: "message:tags" as const, data: { id, tags: [...tags] } }]),
  ];
}

const lists = () => requests.filter((request) => request.startsWith("GET /api/v1/messages?"));

const CASES: readonly (readonly [name: string, Partial<ListFilter>, MessageChange, MessageChange])[] = [
  ["starred", { starred: true }, { is_starred: true }, { is_starred: false }],
  ["unread", { unread: true }, { is_read: false }, { is_read: true }],
  ["tagged", { tags: ["x", "y"] }, { tags: ["a", "y"] }, { tags: ["a"] }],
  ["is:starred", { q: "is:starred" }, { is_starred: true }, { is_starred: false }],
  ["tag:x", { q: "tag:x" }, { tags: ["x"] }, { tags: [] }],
];

for (const [name, filter, fitting, unfitting] of CASES) {
  test(`mail that became, or ceased to be, ${name} elsewhere stayed out of that list, or in it`, async () => {
    const all = await receive(3);
    const [first = "", changed = "", last = ""] = all;
    for (const id of [first, last]) await ask("PATCH", `/${id}`, fitting);
    await ask("PATCH", `/${changed}`, unfitting);
    await show({});
    await show(filter);
    expect(ids.peek()).toEqual([first, last]);
    await changeElsewhere(changed, fitting);
    expect(ids.peek()).toEqual(all);
    await changeElsewhere(first, unfitting);
    expect(ids.peek()).toEqual([changed, last]);
    expect(lists()).toEqual([]);
  });
}

test("whether changed mail has the words of a search is asked of the server", async () => {
  await receive(0);
  for (const subject of ["Order 1", "Invoice", "Order 2"]) await mailkeep.send({ subject });
  const [order2 = "", invoice = "", order1 = ""] = await mailkeep.ids();
  await show({});
  await show({ q: "order", starred: true });
  for (const id of [invoice, order1]) await changeElsewhere(id, { is_starred: true });
  await until(() => ids.peek().length > 0);
  expect(ids.peek()).toEqual([order1]);
  expect(lists()).toHaveLength(1);
  await changeElsewhere(order1, { is_starred: false });
  expect(ids.peek()).toEqual([]);
  await show({ q: "order" });
  await changeElsewhere(order2, { is_starred: true });
  expect(ids.peek()).toEqual([order2, order1]);
});

test("mail that the list has not fetched yet is counted when it joins or leaves", async () => {
  const all = await flood(400);
  await show({ unread: true });
  const far = all[300] ?? "";
  await changeElsewhere(far, { is_read: true });
  await until(() => ids.peek().length === 399);
  await changeElsewhere(far, { is_read: false });
  await until(() => ids.peek().length === 400);
  await ask("DELETE", `/${far}`);
  applyEvents([{ type: "message:delete", data: { id: far } }]);
  await until(() => ids.peek().length === 399);
});

test("what is changed here stays in the list until one moves on", async () => {
  const [first = "", second = "", third = ""] = await receive(3);
  await show({ unread: true });
  cursor.value = first;
  await markRead([first], true);
  await markRead([second], true);
  applyEvents([...eventsOf(first, { is_read: true }), ...eventsOf(second, { is_read: true })]);
  expect(ids.peek()).toEqual([first, second, third]);
  cursor.value = third;
  expect(ids.peek()).toEqual([third]);
});

test("what is ticked stays in the list until it is no longer", async () => {
  const all = await receive(3);
  await show({ unread: true });
  selected.value = new Set(all);
  await changeElsewhere(all[0] ?? "", { is_read: true });
  await markRead(all, true);
  expect(ids.peek()).toEqual(all);
  await markRead(all.slice(2), false);
  clearSelection();
  expect(ids.peek()).toEqual(all.slice(2));
});

test("mail that was read before it was deleted and brought back stays until one moves on, too", async () => {
  const [first = "", second = ""] = await receive(2);
  await show({ unread: true });
  cursor.value = first;
  await markRead([first], true);
  deleteWithUndo([first]);
  expect(ids.peek()).toEqual([second]);
  toasts.peek().at(-1)?.action?.run();
  expect(ids.peek()).toEqual([first, second]);
  cursor.value = undefined;
  expect(ids.peek()).toEqual([second]);
});

test("opened mail that is starred here joins the list of starred mail", async () => {
  const all = await receive(3);
  await show({});
  await show({ starred: true });
  await star(all.slice(1, 2), true);
  expect(ids.peek()).toEqual(all.slice(1, 2));
});

test("a list that is fetched again was moved by the mail that had come above it", async () => {
  const all = await flood(400);
  await show({});
  showRange(200, 220);
  await until(() => ids.peek()[220] !== undefined);
  for (let number = 1; number <= 4; number++) await mailkeep.send({ subject: `Later ${number}` });
  await reloadView();
  expect(ids.peek()).toHaveLength(404);
  expect(ids.peek().slice(204, 224)).toEqual(all.slice(200, 220));
});

test("after the list was fetched again, the next of an opened message was the newest of all", async () => {
  const all = await flood(400);
  await show({});
  showRange(200, 220);
  await until(() => ids.peek()[220] !== undefined);
  navigate({ id: all[210] ?? "" });
  showRange(0, 30);
  await reloadView();
  expect(neighbour(all[210], 1)).toBe(all[211]);
});

test("the neighbours of a message that has left the list are those of its age", async () => {
  const [first = "", second = "", third = ""] = await receive(3);
  await show({});
  applyEvents([{ type: "message:delete", data: { id: second } }]);
  expect(neighbour(second, 1)).toBe(third);
  expect(neighbour(second, -1)).toBe(first);
});

test("mail that was tagged and is gone by the time that is heard was listed", async () => {
  const [first = "", second = ""] = await receive(2);
  await ask("PATCH", `/${first}`, { tags: ["x"] });
  await show({ tags: ["x"] });
  await ask("DELETE", `/${second}`);
  applyEvents([{ type: "message:delete", data: { id: second } }, ...eventsOf(second, { tags: ["x"] })]);
  await until(() => lists().length > 0);
  expect(ids.peek()).toEqual([first]);
});
