// An answer of the server may be older than what was heard while it was under way.
import "./support/page.ts";

import { afterAll, expect, spyOn, test } from "bun:test";
import type { InboxEvent, MessageSummary } from "../../../src/model/index.ts";
import { deleteEverything, markRead, star } from "../../../src/web/state/actions.ts";
import { NO_FILTER } from "../../../src/web/state/address.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { deleteWithUndo } from "../../../src/web/state/delete.ts";
import { refreshHead, reloadView, showRange } from "../../../src/web/state/load-view.ts";
import { leaveWhenMovedOn } from "../../../src/web/state/membership.ts";
import { vanished } from "../../../src/web/state/opened.ts";
import { navigate } from "../../../src/web/state/route.ts";
import { rowOf } from "../../../src/web/state/rows.ts";
import { loadService, totalCount, unreadCount } from "../../../src/web/state/service.ts";
import { knownTags, loadTags } from "../../../src/web/state/tags.ts";
import { toasts } from "../../../src/web/state/toasts.ts";
import { emptyView, ids } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { answerLate, ask, flood, inPage, mailkeep, receive, requests } from "./support/page.ts";

inPage();

const stopLeaving = leaveWhenMovedOn();
afterAll(stopLeaving);

const show = (filter: Partial<typeof NO_FILTER>) => {
  navigate({ filter: { ...NO_FILTER, ...filter } });
  return reloadView();
};

const changed = (id: string, change: Partial<MessageSummary>): InboxEvent[] => [
  ...(change.is_read === undefined
    ? []
    : [{ type: "message:read" as const, data: { id, is_read: change.is_read } }]),
  ...(change.is_starred === undefined
    ? []
    : [{ type: "message:starred" as const, data: { id, is_starred: change.is_starred } }]),
];

/** New mail, and the event of it. */
async function hearOfMail(subject: string): Promise<string> {
  await mailkeep.send({ subject });
  return hearOf(subject);
}

async function hearOf(subject: string): Promise<string> {
  const id = await mailkeep.idOf(subject);
  await hearOfId(id);
  return id;
}

async function hearOfId(id: string): Promise<void> {
  const response = await fetch(`${mailkeep.http}/api/v1/messages/${id}?include=preview`);
  applyEvents([{ type: "message:new", data: await response.json() }]);
}

test("after all mail was deleted, counts that were asked for before stayed", async () => {
  await receive(3);
  const overtaken = answerLate("/info");
  const counted = loadService();
  await overtaken.asked;
  await ask("DELETE", "");
  applyEvents([{ type: "messages:clear" }]);
  overtaken.answer();
  await counted;
  expect(totalCount.peek()).toBe(3);
  await until(() => totalCount.peek() === 0);
});

test("mail that came, left or changed while its list was under way was shown as the list had it", async () => {
  const [third = "", second = "", first = ""] = await receive(3);
  await show({});
  const overtaken = answerLate("/messages?");
  const listed = show({ unread: true });
  await overtaken.asked;
  const fresh = await hearOfMail("Fresh");
  await ask("PATCH", `/${second}`, { is_read: true });
  await ask("DELETE", `/${first}`);
  applyEvents([...changed(second, { is_read: true }), { type: "message:delete", data: { id: first } }]);
  overtaken.answer();
  await listed;
  expect(ids.peek()).toEqual([fresh, third]);
});

test("mail that was read while the list of unread mail was under way, which told of it first, stayed in it", async () => {
  const all = await receive(2);
  await show({});
  const [first = ""] = all;
  const overtaken = answerLate("/messages?");
  const listed = show({ unread: true });
  await overtaken.asked;
  const response = await fetch(`${mailkeep.http}/api/v1/messages/${first}?include=preview`);
  await ask("PATCH", `/${first}`, { is_read: true });
  applyEvents([{ type: "message:new", data: await response.json() }, ...changed(first, { is_read: true })]);
  overtaken.answer();
  await listed;
  expect(ids.peek()).toEqual(all.slice(1));
});

test("mail that was read as it came, of which a list told between, stayed among the unread", async () => {
  const all = await receive(2);
  await show({ unread: true });
  const [first = ""] = all;
  const response = await fetch(`${mailkeep.http}/api/v1/messages/${first}?include=preview`);
  await ask("PATCH", `/${first}`, { is_read: true });
  applyEvents([{ type: "message:new", data: await response.json() }, ...changed(first, { is_read: true })]);
  expect(ids.peek()).toEqual(all.slice(1));
});

test("mail that was starred while the list of starred mail was under way was missing from it", async () => {
  const [, second = ""] = await receive(3);
  await show({});
  const overtaken = answerLate("/messages?");
  const listed = show({ starred: true });
  await overtaken.asked;
  await ask("PATCH", `/${second}`, { is_starred: true });
  applyEvents(changed(second, { is_starred: true }));
  overtaken.answer();
  await listed;
  expect(ids.peek()).toEqual([second]);
  expect(rowOf(second)?.peek().is_starred).toBe(true);
});

test("mail deleted while all of it was under way is not listed", async () => {
  await receive(3);
  const overtaken = answerLate("/messages?");
  const listed = show({});
  await overtaken.asked;
  await ask("DELETE", "");
  applyEvents([{ type: "messages:clear" }]);
  overtaken.answer();
  await listed;
  expect(ids.peek()).toEqual([]);
});

test("mail that arrived before the answer to deleting all was known was missing from the list and the counts", async () => {
  await receive(3);
  await show({});
  const overtaken = answerLate("DELETE");
  const deleted = deleteEverything();
  await overtaken.asked;
  applyEvents([{ type: "messages:clear" }]);
  const since = await hearOfMail("Since");
  overtaken.answer();
  await deleted;
  await until(() => totalCount.peek() === 1);
  expect(ids.peek()).toEqual([since]);
});

test("mail that the counts had, or had not, when they were asked for was counted twice, or not at all", async () => {
  await receive(1);
  await show({});
  await mailkeep.send({ subject: "Counted before it was heard of" });
  await loadService();
  await hearOf("Counted before it was heard of");
  await until(() => totalCount.peek() === 2);
  const overtaken = answerLate("/info");
  const counted = loadService();
  await overtaken.asked;
  await hearOfMail("Heard of before it was counted");
  overtaken.answer();
  await counted;
  await until(() => totalCount.peek() === 3 && unreadCount.peek() === 3);
});

test("mail that came while the list was fetched from its beginning was left out of it", async () => {
  const all = await flood(150);
  await show({});
  const overtaken = answerLate("/messages?");
  deleteWithUndo(all.slice(0, 100));
  showRange(0, 30);
  await overtaken.asked;
  const fresh = await hearOfMail("Fresh");
  overtaken.answer();
  await until(() => ids.peek().at(-1) === all.at(-1));
  expect(ids.peek()).toEqual([fresh, ...all.slice(100)]);
  toasts.peek().at(-1)?.action?.run();
});

test("mail that was deleted just before the list was fetched was taken from its length twice", async () => {
  const all = await flood(150);
  await ask("DELETE", `/${all[120]}`);
  await show({});
  applyEvents([{ type: "message:delete", data: { id: all[120] ?? "" } }]);
  await until(() => ids.peek().length === 149);
});

test("mail that was deleted below while a place far down was fetched moved that place", async () => {
  const all = await flood(400);
  await show({});
  const overtaken = answerLate("offset=");
  showRange(200, 230);
  await overtaken.asked;
  const gone = all.slice(350, 380);
  for (const id of gone) await ask("DELETE", `/${id}`);
  applyEvents(gone.map((id) => ({ type: "message:delete", data: { id } })));
  overtaken.answer();
  await until(() => ids.peek()[200] === all[200] && ids.peek().length === 370);
});

test("a place far down was moved by mail that was deleted here while another came", async () => {
  const all = await flood(400);
  await show({});
  const overtaken = answerLate("offset=");
  showRange(200, 230);
  await overtaken.asked;
  const fresh = await hearOfMail("Fresh");
  deleteWithUndo(all.slice(5, 6));
  overtaken.answer();
  await until(() => ids.peek()[230] !== undefined);
  expect([ids.peek()[0], ids.peek()[200]]).toEqual([fresh, all[200]]);
  toasts.peek().at(-1)?.action?.run();
});

test("a list ended with a row too many when its end was deleted while what stands before that was fetched", async () => {
  const all = await flood(250);
  await show({});
  const { now } = performance;
  // So late that the list is not thought to have heard of it already.
  const later = spyOn(performance, "now").mockImplementation(() => now.call(performance) + 2000);
  const overtaken = answerLate("before=");
  showRange(90, 110);
  await overtaken.asked;
  const gone = all.slice(180);
  await ask("DELETE", "", { ids: gone });
  applyEvents(gone.map((id) => ({ type: "message:delete", data: { id } })));
  overtaken.answer();
  await until(() => ids.peek()[110] !== undefined);
  await until(() => ids.peek().length === 180);
  later.mockRestore();
});

test("opened mail that was read by that left the list when what stands above was fetched", async () => {
  const all = await flood(400);
  await show({ unread: true });
  showRange(220, 240);
  await until(() => ids.peek()[180] !== undefined);
  navigate({ id: all[230] ?? "" });
  await markRead(all.slice(230, 231), true);
  showRange(260, 280);
  await reloadView();
  showRange(160, 180);
  await until(() => ids.peek()[160] !== undefined);
  expect(ids.peek()).toContain(all[230]);
});

test("the newest mail was covered when the one before a gap was deleted while the gap was fetched", async () => {
  const all = await flood(250);
  await show({});
  const overtaken = answerLate("before=");
  showRange(90, 110);
  await overtaken.asked;
  const last = all[99] ?? "";
  await ask("DELETE", `/${last}`);
  applyEvents([{ type: "message:delete", data: { id: last } }]);
  overtaken.answer();
  await until(() => ids.peek()[120] === all[121]);
  expect(ids.peek().slice(0, 99)).toEqual(all.slice(0, 99));
});

test("mail that was heard of only after a list that has newer mail was counted twice", async () => {
  const all = await flood(250);
  await show({});
  await hearOfId(all[180] ?? "");
  expect(ids.peek()).toHaveLength(250);
});

test("a place far down was taken for that of other mail until what the server has deleted was heard of", async () => {
  const all = await flood(400);
  await show({});
  await ask("DELETE", "", { ids: all.slice(0, 5) });
  showRange(200, 220);
  await until(() => ids.peek().length === 395 && ids.peek()[210] === all[215]);
});

test("a list stayed too long that was fetched on without what was not heard of yet", async () => {
  const all = await flood(250);
  await show({});
  await ask("DELETE", `/${all[150]}`);
  showRange(90, 110);
  await until(() => ids.peek().length === 249);
});

test("a list stayed too long that was fetched on without mail that went as another came", async () => {
  const all = await flood(250);
  await show({});
  await ask("DELETE", `/${all[150]}`);
  await mailkeep.send({ subject: "Came" });
  showRange(90, 110);
  await until(() => ids.peek()[110] !== undefined);
  await hearOf("Came");
  applyEvents([{ type: "message:delete", data: { id: all[150] ?? "" } }]);
  await until(() => ids.peek().length === 250);
});

test("a place below mail that is listed still was taken for that of the next", async () => {
  const all = await flood(400);
  await show({ unread: true });
  navigate({ id: all[3] ?? "" });
  await markRead(all.slice(3, 4), true);
  showRange(200, 220);
  await until(() => ids.peek()[210] !== undefined);
  expect(ids.peek()[210]).toBe(all[210]);
});

test("mail that was starred while the list of starred mail was under way, but heard of after it, was missing", async () => {
  const [, second = ""] = await receive(3);
  await show({});
  const overtaken = answerLate("starred=");
  const listed = show({ starred: true });
  await overtaken.asked;
  await star([second], true);
  overtaken.answer();
  await listed;
  applyEvents(changed(second, { is_starred: true }));
  await until(() => ids.peek().length === 1);
});

test("a list that was asked for before mail was read here did not tell of its star", async () => {
  const [first = ""] = await receive(1);
  await show({});
  await ask("PATCH", `/${first}`, { is_starred: true });
  const overtaken = answerLate("/messages?");
  const listed = reloadView();
  await overtaken.asked;
  await markRead([first], true);
  overtaken.answer();
  await listed;
  expect(rowOf(first)?.peek()).toMatchObject({ is_read: true, is_starred: true });
});

test("mail that a list told to be read before the event did stayed counted as unread", async () => {
  const [first = ""] = await receive(2);
  await Promise.all([show({}), loadService()]);
  await until(() => unreadCount.peek() === 2);
  await ask("PATCH", `/${first}`, { is_read: true });
  await reloadView();
  applyEvents(changed(first, { is_read: true }));
  await until(() => unreadCount.peek() === 1);
});

test("mail that came after all was deleted and was opened before that was heard of was said to be gone", async () => {
  await receive(1);
  await mailkeep.send({ subject: "Since" });
  const since = await mailkeep.idOf("Since");
  navigate({ id: since });
  const response = await fetch(`${mailkeep.http}/api/v1/messages/${since}?include=preview`);
  applyEvents([{ type: "messages:clear" }, { type: "message:new", data: await response.json() }]);
  expect(vanished.peek().has(since)).toBe(false);
});

test("mail that came after all was deleted, of which both was heard one after the other, was said to be gone", async () => {
  await receive(1);
  await mailkeep.send({ subject: "Since" });
  const since = await mailkeep.idOf("Since");
  navigate({ id: since });
  applyEvents([{ type: "messages:clear" }]);
  await hearOfId(since);
  expect(vanished.peek().has(since)).toBe(false);
});

test("mail that was deleted here is not listed again by what was heard late of its arrival", async () => {
  const all = await receive(3);
  await show({});
  deleteWithUndo(all.slice(0, 1));
  await hearOfId(all[0] ?? "");
  expect(ids.peek()).toEqual(all.slice(1));
  toasts.peek().at(-1)?.action?.run();
});

test("mail that was starred here and deleted elsewhere was listed with the starred", async () => {
  const [, second = ""] = await receive(3);
  await show({});
  await show({ starred: true });
  const overtaken = answerLate("PATCH");
  const starred = star([second], true);
  await overtaken.asked;
  await ask("DELETE", `/${second}`);
  applyEvents([{ type: "message:delete", data: { id: second } }]);
  overtaken.answer();
  await starred;
  expect(ids.peek()).toEqual([]);
});

test("the list was asked for over and over once all mail was deleted below the top", async () => {
  await flood(60);
  await show({});
  showRange(40, 60);
  await ask("DELETE", "");
  await reloadView();
  requests.length = 0;
  for (let times = 1; times <= 10; times++) await mailkeep.ids();
  expect(requests.filter((asked) => asked.includes("/messages"))).toEqual([]);
});

test("counts and tags that were overtaken by newer ones took their place", async () => {
  const [id = ""] = await receive(1);
  for (const [part, load] of [
    ["/info", loadService],
    ["/tags", loadTags],
  ] as const) {
    await ask("PATCH", `/${id}`, { is_read: false, tags: ["gone"] });
    const overtaken = answerLate(part);
    const older = load();
    await overtaken.asked;
    await ask("PATCH", `/${id}`, { is_read: true, tags: [] });
    await load();
    overtaken.answer();
    await older;
  }
  expect(unreadCount.peek()).toBe(0);
  expect(knownTags.peek()).toEqual([]);
});

test("mail that was deleted during a look at the newest hits was put back by it", async () => {
  const [third = "", second = "", first = ""] = await receive(3);
  await show({ q: "mail" });
  const overtaken = answerLate("/messages?");
  const looked = refreshHead();
  await overtaken.asked;
  await ask("DELETE", `/${second}`);
  applyEvents([{ type: "message:delete", data: { id: second } }]);
  overtaken.answer();
  await looked;
  expect(ids.peek()).toEqual([third, first]);
});

test("hits stayed too many when the newest were looked at after others had gone of which was heard later", async () => {
  const all = await flood(250);
  await show({ q: "mail" });
  const gone = [...all.slice(0, 10), ...all.slice(100, 105)];
  await ask("DELETE", "", { ids: gone });
  await refreshHead();
  applyEvents(gone.map((id) => ({ type: "message:delete", data: { id } })));
  await until(() => ids.peek().length === 235);
});

test("a list that changed between its pages was shorter or longer than it is", async () => {
  const all = await flood(400);
  await show({ unread: true });
  showRange(360, 380);
  await until(() => ids.peek()[380] !== undefined);
  const overtaken = answerLate("offset=");
  const listed = reloadView();
  await overtaken.asked;
  const read = all.slice(370, 375);
  await ask("PATCH", "", { ids: read, is_read: true });
  applyEvents(read.flatMap((id) => changed(id, { is_read: true })));
  overtaken.answer();
  await listed;
  await until(() => ids.peek().length === 395);
});

test("mail that a search does not find was listed with its hits when it was changed here", async () => {
  await receive(0);
  for (const subject of ["Order 1", "Invoice", "Order 2"]) await mailkeep.send({ subject });
  const [order2 = "", invoice = "", order1 = ""] = await mailkeep.ids();
  await ask("PATCH", `/${invoice}`, { is_read: true });
  await show({});
  navigate({ id: invoice });
  await show({ q: "order", unread: true });
  // Not heard of: it shows that the server was asked again.
  await mailkeep.send({ subject: "Order 3" });
  await markRead([invoice], false);
  await until(() => ids.peek().length > 2);
  expect(ids.peek()).toEqual([await mailkeep.idOf("Order 3"), order2, order1]);
});

test("opened mail that was read by that left the list when it was fetched again", async () => {
  const all = await receive(3);
  await show({ unread: true });
  navigate({ id: all[1] ?? "" });
  await markRead(all.slice(1, 2), true);
  await reloadView();
  expect(ids.peek()).toEqual(all);
});

test("hits were counted twice when one more came after the list was fetched again further down", async () => {
  const all = await flood(95);
  await show({});
  showRange(80, 94);
  await reloadView();
  expect(ids.peek()).toEqual(all);
  await mailkeep.send({ subject: "One more" });
  await refreshHead();
  expect(ids.peek()).toHaveLength(96);
});

for (const first of [0, 200]) {
  test(`mail brought back after the list was fetched again at ${first} was counted twice`, async () => {
    const all = await flood(400);
    await show({ unread: true });
    deleteWithUndo(all.slice(0, 5));
    showRange(first, first + 20);
    await until(() => ids.peek()[first + 20] !== undefined);
    await reloadView();
    expect(ids.peek()).toHaveLength(395);
    expect(ids.peek()[first]).toBe(all[first + 5]);
    toasts.peek().at(-1)?.action?.run();
    expect(ids.peek()).toHaveLength(400);
    expect(ids.peek().slice(0, 100)).toEqual(all.slice(0, 100));
    emptyView();
  });
}
