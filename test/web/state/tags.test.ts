// The tags in use, as the filters show them.
import "./support/page.ts";

import { beforeEach, expect, test } from "bun:test";
import type { InboxEvent } from "../../../src/model/index.ts";
import { applyEvents } from "../../../src/web/state/apply-events.ts";
import { knownTags, loadTags, noteTags } from "../../../src/web/state/tags.ts";
import { ask, inPage, receive } from "./support/page.ts";

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
    while (knownTags.peek().length > left.length) await Bun.sleep(5);
    expect(knownTags.peek()).toEqual(left);
  });
}

test("a tag that is heard of while the tags are fetched stays", async () => {
  const loading = loadTags();
  noteTags(["just now"]);
  await loading;
  expect(knownTags.peek()).toEqual(["just now", "once", "twice"]);
});
