// One failed request is no reason to reload the page: it is made again by itself, as long as it is wanted.
import "./support/page.ts";

import { afterEach, beforeEach, expect, test } from "bun:test";
import { NO_FILTER } from "../../../src/web/state/address.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { placeOpened, refreshHead, reloadView, showRange } from "../../../src/web/state/load-view.ts";
import { fullMessage, headersOf, recheckOpened, vanished } from "../../../src/web/state/opened.ts";
import { navigate } from "../../../src/web/state/route.ts";
import {
  loadService,
  service,
  smtpAddress,
  totalCount,
  unreadCount,
} from "../../../src/web/state/service.ts";
import { knownTags, loadTags } from "../../../src/web/state/tags.ts";
import { failing, renewable, tryNow, untilAnswered } from "../../../src/web/state/until-answered.ts";
import { emptyView, ids, viewFailure, viewState } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { ask, failNext, flood, inPage, mailkeep, receive, requests } from "./support/page.ts";

inPage();

const DEADLINE_MS = 15_000;

beforeEach(forgetAnswers);

afterEach(async () => {
  failNext("", 0);
  navigate({ id: undefined, filter: NO_FILTER });
  showRange(0, 30);
  await reloadView();
  await until(() => failing.peek() === 0);
});

/** As before the server has said anything. */
function forgetAnswers(): void {
  service.value = undefined;
  totalCount.value = undefined;
  unreadCount.value = 0;
}

/** New mail, and the event of it. */
async function hearOfMail(subject: string): Promise<string> {
  await mailkeep.send({ subject });
  const id = await mailkeep.idOf(subject);
  const response = await fetch(`${mailkeep.http}/api/v1/messages/${id}?include=preview`);
  applyEvents([{ type: "message:new", data: await response.json() }]);
  return id;
}

const never = new AbortController().signal;
const lists = () => requests.filter((request) => request.startsWith("GET /api/v1/messages?"));

test("a page of the list that failed once left holes for good", async () => {
  const all = await flood(400);
  await reloadView();
  failNext("/messages?");
  showRange(200, 220);
  await until(() => failing.peek() === 1);
  await until(() => ids.peek()[220] !== undefined);
  expect(ids.peek().slice(200, 220)).toEqual(all.slice(200, 220));
  await until(() => failing.peek() === 0);
});

test("what is scrolled to while a page fails is fetched instead of what was in sight before", async () => {
  const all = await flood(600);
  await reloadView();
  failNext("/messages?");
  showRange(200, 220);
  await until(() => failing.peek() === 1);
  showRange(450, 470);
  await until(() => ids.peek()[470] !== undefined);
  expect(ids.peek().slice(450, 470)).toEqual(all.slice(450, 470));
  expect(ids.peek()[210]).toBeUndefined();
});

for (const status of [0, 503, 429]) {
  test(`a filter whose first request failed with ${status} showed the next mail as its only hit`, async () => {
    const all = await flood(150);
    await reloadView();
    navigate({ filter: { ...NO_FILTER, unread: true } });
    failNext("/messages?", Number.POSITIVE_INFINITY, status);
    void reloadView();
    await until(() => viewState.peek() === "failed");
    expect(viewFailure.peek()?.status).toBe(status);
    const fresh = await hearOfMail(`Fresh ${status}`);
    expect(ids.peek()).toEqual([]);
    failNext("", 0);
    tryNow();
    await until(() => viewState.peek() === "ready");
    expect(ids.peek()).toHaveLength(151);
    expect(ids.peek().slice(0, 100)).toEqual([fresh, ...all.slice(0, 99)]);
    expect(viewFailure.peek()).toBeUndefined();
  });
}

test("what the server refuses is not asked for again", async () => {
  navigate({ filter: { ...NO_FILTER, unread: true } });
  failNext("/messages?", 1, 400);
  await reloadView();
  expect(viewState.peek()).toBe("failed");
  expect(failing.peek()).toBe(0);
});

test("another view ends the tries of the one before", async () => {
  const all = await receive(1);
  navigate({ filter: { ...NO_FILTER, q: "nowhere" } });
  failNext("q=nowhere", 100);
  const tries = reloadView();
  await until(() => failing.peek() === 1);
  navigate({ filter: NO_FILTER });
  await reloadView();
  await tries;
  expect(failing.peek()).toBe(0);
  expect(ids.peek()).toEqual(all);
  tryNow();
  expect(lists().filter((path) => path.includes("nowhere"))).toHaveLength(1);
});

test("a list that had never been there was begun with its newest hundred, and ended with them", async () => {
  await flood(300);
  navigate({ filter: { ...NO_FILTER, unread: true } });
  failNext("/messages?", 1, 503);
  const loaded = reloadView();
  await until(() => viewState.peek() === "failed");
  await refreshHead();
  expect(ids.peek()).toEqual([]);
  await loaded;
  expect(ids.peek()).toHaveLength(300);
});

test("a look at the newest hits that fails is repeated, and many looks are one request", async () => {
  await receive(1);
  navigate({ filter: { ...NO_FILTER, q: "mail" } });
  await reloadView();
  await mailkeep.send({ subject: "Mail too" });
  failNext("/messages?", 3);
  for (let look = 1; look <= 3; look++) {
    void refreshHead();
    await until(() => lists().length === 1 + look && failing.peek() === 1);
  }
  await until(() => ids.peek().length === 2);
  expect(lists()).toHaveLength(5);
});

test("the neighbours of a message opened by its address stayed unknown after one failed request", async () => {
  const all = await flood(400);
  navigate({ id: all[300] ?? "" });
  await reloadView();
  failNext("since=");
  await placeOpened();
  expect(ids.peek()[301]).toBe(all[301]);
});

test("while the server has not said how much it holds, new mail was counted from zero", async () => {
  await receive(3);
  await reloadView();
  failNext("/info", 2);
  const loaded = loadService();
  await until(() => failing.peek() === 1);
  expect(smtpAddress()).toBeUndefined();
  await hearOfMail("One more");
  expect([totalCount.peek(), unreadCount.peek()]).toEqual([undefined, 0]);
  await until(() => totalCount.peek() !== undefined);
  expect([totalCount.peek(), unreadCount.peek()]).toEqual([4, 4]);
  expect(smtpAddress()?.port).toBe(mailkeep.smtp.port);
  await loaded;
});

test("tags were missing from the filters after one failed request", async () => {
  const [id = ""] = await receive(1);
  await ask("PATCH", `/${id}`, { tags: ["billing"] });
  knownTags.value = [];
  failNext("/tags");
  await loadTags();
  expect(knownTags.peek()).toEqual(["billing"]);
});

test("of an opened message, what could not be had is there as soon as the server gives it", async () => {
  const [id = ""] = await receive(1);
  navigate({ id });
  failNext("/headers", 2);
  const headers = headersOf.of(id);
  await until(() => headers.peek().state === "failed");
  await until(() => headers.peek().state === "ready");
  expect(failing.peek()).toBe(0);
});

test("a message that is left is not asked for any more, and anew when it is opened again", async () => {
  const [first = "", second = ""] = await receive(2);
  navigate({ id: first });
  failNext(`/messages/${first}`, 1);
  const entry = fullMessage.of(first);
  await until(() => failing.peek() === 1);
  navigate({ id: second });
  await until(() => failing.peek() === 0);
  expect(entry.peek().state).toBe("failed");
  expect(requests.filter((path) => path.includes(first))).toHaveLength(1);
  navigate({ id: first });
  const again = fullMessage.of(first);
  await until(() => again.peek().state === "ready");
});

test("a message that was deleted while the server did not answer stayed open after one failed look", async () => {
  const [id = ""] = await receive(1);
  navigate({ id });
  await until(() => fullMessage.of(id).peek().state === "ready");
  await ask("DELETE", `/${id}`);
  failNext(`/messages/${id}`);
  recheckOpened();
  await until(() => vanished.peek().has(id));
  emptyView();
});

test("pauses grow, and end when somebody does not want to wait", async () => {
  let tries = 0;
  const started = performance.now();
  const answer = untilAnswered(async () => {
    if (++tries < 20) throw new Error("not yet");
    return tries;
  }, never);
  while (tries < 20) {
    await until(() => failing.peek() === 1);
    tryNow();
    await Promise.resolve();
  }
  expect(await answer).toBe(20);
  expect(performance.now() - started).toBeLessThan(DEADLINE_MS);
});

test("what is wanted anew while it pauses is tried at once, and by nobody else", async () => {
  let isDown = true;
  let tries = 0;
  const want = renewable(async () => {
    tries++;
    if (isDown) throw new Error("down");
  });
  const first = want();
  await until(() => failing.peek() === 1);
  isDown = false;
  await want();
  await first;
  expect([tries, failing.peek()]).toEqual([2, 0]);
});
