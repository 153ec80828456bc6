// Tagging many mails at once: whatever the page knows of them, each keeps its other tags.
import "./support/page.ts";

import { expect, test } from "bun:test";
import { retag } from "../../../src/web/state/actions.ts";
import { forgetAllRows, putRow } from "../../../src/web/state/rows.ts";
import { toasts } from "../../../src/web/state/toasts.ts";
import { ask, inPage, receive, tagsOf } from "./support/page.ts";

inPage();

test("mails that were scrolled far away kept none of their other tags", async () => {
  const ids = await receive(3);
  await ask("PATCH", "", { ids, tags: ["keep"] });
  await retag(ids, ["extra"], []);
  for (const id of ids) expect(await tagsOf(id)).toEqual(["keep", "extra"]);
  await retag(ids, [], ["keep"]);
  for (const id of ids) expect(await tagsOf(id)).toEqual(["extra"]);
});

test("two changes made one right after the other are both kept, of mails with different tags too", async () => {
  const [near = "", other = "", far = ""] = await receive(3);
  await ask("PATCH", "", { ids: [other], tags: ["other"] });
  for (const id of [near, other]) putRow(await summaryOf(id));
  await Promise.all([retag([near, other, far], ["a"], []), retag([near, other, far], ["b"], [])]);
  expect(await tagsOf(near)).toEqual(["a", "b"]);
  expect(await tagsOf(other)).toEqual(["other", "a", "b"]);
  expect(await tagsOf(far)).toEqual(["a", "b"]);
});

test("a tag too many for a mail that is far away is refused in plain words", async () => {
  const [id = ""] = await receive(1);
  const full = Array.from({ length: 20 }, (_, number) => `tag ${number}`);
  await ask("PATCH", "", { ids: [id], tags: full });
  forgetAllRows();
  await retag([id], ["one more"], []);
  expect(await tagsOf(id)).toEqual(full);
  expect(toasts.peek().at(-1)?.text).toBe("Not saved: a message has at most 20 tags.");
});

test("tags for mail that was deleted elsewhere were lost without a word", async () => {
  const [near = "", far = "", kept = ""] = await receive(3);
  putRow(await summaryOf(near));
  for (const id of [near, far]) await ask("DELETE", `/${id}`);
  for (const gone of [near, far]) {
    toasts.value = [];
    await retag([gone, kept], ["mine"], []);
    expect(toasts.peek().map(({ text }) => text)).toEqual(["Not saved for mail that was deleted meanwhile."]);
  }
  expect(await tagsOf(kept)).toEqual(["mine"]);
});

async function summaryOf(id: string) {
  const response = await fetch(`/api/v1/messages/${id}`);
  const { text_body: _text, html_body: _html, ...summary } = await response.json();
  return summary;
}
