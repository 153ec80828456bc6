import { expect, test } from "bun:test";
import { describeMail } from "../../src/client/index.ts";

const mail = {
  id: "01JAAAAAAAAAAAAAAAAAAAAAAA",
  sender: "shop@x.test",
  recipients: ["ann@x.test"],
  subject: "Your order",
  size: 1,
  has_attachments: false,
  is_read: false,
  is_starred: false,
  tags: [],
  created_at: "2026-11-14T10:00:00.000Z",
};

test.each([
  ["is one line", {}, '"Your order" from shop@x.test to ann@x.test'],
  ["without a sender says so", { sender: "" }, '"Your order" from <> to ann@x.test'],
  [
    "to a crowd names three",
    { recipients: ["a@x", "b@x", "c@x", "d@x", "e@x"] },
    '"Your order" from shop@x.test to a@x, b@x, c@x and 2 more',
  ],
  [
    "is cut between characters, never within one",
    { subject: `${"a".repeat(59)}🎉🎉` },
    `"${"a".repeat(59)}🎉…" from shop@x.test to ann@x.test`,
  ],
  [
    "cannot break the line, colour it or change its direction",
    { subject: "a\n\u001b[31m\u009b1m\u202eb", sender: "\u2066\u061cx@x.test" },
    '"a\\n\\u001b[31m\\u009b1m\\u202eb" from \\u2066\\u061cx@x.test to ann@x.test',
  ],
])("a mail in words %s", (_rule, given, words) => {
  expect(describeMail({ ...mail, ...given })).toBe(words);
});
