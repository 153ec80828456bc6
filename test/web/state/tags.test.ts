// The tags in use, as the filters show them.
import "./support/page.ts";

import { beforeEach, expect, test } from "bun:test";
import type { InboxEvent } from "../../../src/model/index.ts";
import { retag } from "../../../src/web/state/actions.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { reloadView } from "../../../src/web/state/load-view.ts";
import { knownTags, loadTags, noteTags } from "../../../src/web/state/tags.ts";
import { until } from "../../support/until.ts";
import { answerLate, ask, failNext, inPage, receive } from "./support/page.ts";

inPage();

let id = "";

beforeEach(async () => {
  [id = ""] = await receive(1);
  await ask("PATCH", `/${id}`, { tags: ["once", "twice"] });
  await loadTags();
  expect(knownTags.peek()).toEqual(["once", "twice"]);
});

const GOES: [string, string[], () => Promise<void>, () => InboxEvent][] = [
  [
    "was taken off its last message",
    ["twice"],
    () => ask("PATCH", `/${id}`, { tags: ["twice"] }),
    () => ({ type: "message:tags", data: { id, tags: ["twice"] } }),
  ],
  [
    "went with its last message",
    [],
    () => ask("DELETE", `/${id}`),
    () => ({ type: "message:delete", data: { id } }),
  ],
  ["went with all messages", [], () => ask("DELETE", ""), () => ({ type: "messages:clear" })],
];

for (const [how, left, change, event] of GOES) {
  test(`a tag that ${how} stayed until the page was loaded again`, async () => {
    await change();
    applyEvents([event()]);
    await until(() => knownTags.peek().length <= left.length);
    expect(knownTags.peek()).toEqual(left);
  });
}

test("a tag that could not be saved stayed among the filters", async () => {
  await reloadView();
  failNext("PATCH");
  expect(await retag([id], ["in vain"], [])).toBe(false);
  await until(() => !knownTags.peek().includes("in vain"));
  expect(knownTags.peek()).toEqual(["once", "twice"]);
});

async function loseAllTags(): Promise<void> {
  await ask("PATCH", `/${id}`, { tags: [] });
  await loadTags();
}

test("tags of an older answer were taken for some heard of while a newer one was under way", async () => {
  await loseAllTags();
  await ask("PATCH", `/${id}`, { tags: ["older"] });
  const older = answerLate("/tags");
  const first = loadTags();
  await older.asked;
  await ask("PATCH", `/${id}`, { tags: [] });
  const newer = answerLate("/tags");
  const second = loadTags();
  await newer.asked;
  older.answer();
  await first;
  newer.answer();
  await second;
  expect(knownTags.peek()).toEqual([]);
});

test("a tag that went with its message while the first tags were fetched stayed", async () => {
  await loseAllTags();
  await ask("PATCH", `/${id}`, { tags: ["first"] });
  const overtaken = answerLate("/tags");
  const loading = loadTags();
  await overtaken.asked;
  await ask("DELETE", `/${id}`);
  applyEvents([{ type: "message:delete", data: { id } }]);
  overtaken.answer();
  await loading;
  expect(knownTags.peek()).toEqual(["first"]);
  await until(() => knownTags.peek().length === 0);
});

test("tags of mail that was deleted while its list was under way stayed", async () => {
  await loseAllTags();
  await ask("PATCH", `/${id}`, { tags: ["listed"] });
  const overtaken = answerLate("/messages?");
  const listed = reloadView();
  await overtaken.asked;
  await ask("DELETE", `/${id}`);
  applyEvents([{ type: "message:delete", data: { id } }]);
  overtaken.answer();
  await listed;
  expect(knownTags.peek()).toEqual([]);
});

test("a tag that was taken off while its list and the tags were under way stayed", async () => {
  await loseAllTags();
  await ask("PATCH", `/${id}`, { tags: ["listed"] });
  const overtaken = answerLate("/messages?");
  const listed = reloadView();
  await overtaken.asked;
  await ask("PATCH", `/${id}`, { tags: [] });
  const tags = answerLate("/tags");
  const loading = loadTags();
  await tags.asked;
  applyEvents([{ type: "message:tags", data: { id, tags: [] } }]);
  overtaken.answer();
  await listed;
  tags.answer();
  await loading;
  expect(knownTags.peek()).toEqual([]);
});

test("a tag that is heard of while the tags are fetched stays", async () => {
  const loading = loadTags();
  noteTags(["just now"]);
  await loading;
  expect(knownTags.peek()).toEqual(["just now", "once", "twice"]);
});
