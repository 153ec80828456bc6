// The filters in JavaScript and in the store's SQL agree on every message.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { matchesFilter, missedFilters } from "../../src/app/expectations.ts";
import type { MessageFilter, MessageSummary } from "../../src/model/index.ts";
import { type Mailkeep, mail, startMailkeep } from "../http/support/mailkeep.ts";

const SUBJECTS = [
  "",
  "Welcome",
  "WELCOME back",
  "Straße",
  "STRASSE",
  "STRAẞE",
  "ΣΊΣΥΦΟΣ",
  "σίσυφος",
  "100% _off_",
  "İstanbul",
  "e\u0301te\u0301",
];
const ADDRESSES = ["", "a@x.test", "A@X.test", "ba@x.test", "ä@x.test", 'q"uo\\te@x.test', "Ä@x.test"];
const TAGS: string[][] = [[], ["a"], ["A"], ["a", "b"]];

let mailkeep: Mailkeep;
let messages: MessageSummary[];
beforeAll(async () => {
  let clock = Date.parse("2026-01-01T00:00:00Z");
  mailkeep = await startMailkeep({ now: () => new Date(clock) });
  const attached =
    'MIME-Version: 1.0\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"';
  for (let n = 0; n < 200; n++) {
    clock += n % 3 === 0 ? 0 : 1000;
    const pick = <Item>(items: readonly Item[], step: number) => items[(n * step) % items.length] as Item;
    const stored = await mailkeep.receive(
      mail(
        `=?utf-8?B?${Buffer.from(pick(SUBJECTS, 1)).toString("base64")}?=`,
        "x",
        n % 5 === 0 ? [attached] : [],
      ),
      {
        sender: pick(ADDRESSES, 3),
        recipients: [pick(ADDRESSES.slice(1), 5), pick(ADDRESSES.slice(1), 7)],
      },
    );
    await mailkeep.store.update([stored.id], {
      is_read: n % 2 === 0,
      is_starred: n % 7 === 0,
      tags: pick(TAGS, 11),
    });
  }
  messages = [];
  for (let before: string | undefined; ; ) {
    const page = await mailkeep.store.list({
      filter: {},
      limit: 200,
      ...(before !== undefined && { before }),
    });
    messages.push(...page.messages);
    if (page.next_cursor === null) break;
    before = page.next_cursor;
  }
});
afterAll(() => mailkeep.stop());

function filters(): MessageFilter[] {
  const texts = [
    "welcome",
    "WELCOME",
    "straße",
    "strasse",
    "istanbul",
    "σίσυφος",
    "ΣΊΣΥΦΟΣ",
    "%",
    "_",
    "i",
    "İ",
    "é",
    "nothing",
  ];
  const addresses = [...ADDRESSES, "X.TEST", "@", '"', "\\", "nobody"];
  const times = messages.filter((_, n) => n % 40 === 0);
  return [
    {},
    { starred: true },
    { unread: true },
    { has_attachments: true },
    { tags: ["a"] },
    { tags: ["b", "A"] },
    { tags: ["none"] },
    ...texts.map((subject) => ({ subject })),
    ...addresses.filter(Boolean).flatMap((one) => [{ sender: one }, { recipient: one }]),
    ...addresses.flatMap((one) => [{ from: one }, { to: one }]),
    ...times.flatMap(({ id, created_at }) => [{ since: { id } }, { since: { time: new Date(created_at) } }]),
    { unread: true, tags: ["a"], sender: "a" },
    { starred: true, has_attachments: true },
    { starred: true, unread: true, subject: "w", to: "a@x.test" },
  ];
}

test("JavaScript and SQL find the same messages for every filter", async () => {
  expect(messages).toHaveLength(200);
  for (const filter of filters()) {
    const inStore = new Set(await mailkeep.store.walk(filter, { limit: 1000 }));
    const here = messages.filter((message) => matchesFilter(message, filter)).map(({ id }) => id);
    expect({ filter, ids: here.toSorted() }).toEqual({ filter, ids: [...inStore].toSorted() });
  }
});

test("a message that does not match names the filters that it misses", () => {
  const [message] = messages;
  if (!message) throw new Error("no message");
  expect(
    missedFilters(message, {
      subject: "nothing",
      to: "nobody",
      ...(!message.is_starred && { starred: true }),
    }),
  ).toContain("to");
  expect(missedFilters(message, {})).toEqual([]);
});
