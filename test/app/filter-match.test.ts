// `mayMatch` says which waiting requests a mail wakes. It must compare texts like the store's SQL.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mayMatch } from "../../src/app/expectations.ts";
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

let mailkeep: Mailkeep;
let messages: MessageSummary[];
beforeAll(async () => {
  mailkeep = await startMailkeep();
  for (let n = 0; n < 200; n++) {
    const pick = <Item>(items: readonly Item[], step: number) => items[(n * step) % items.length] as Item;
    await mailkeep.receive(mail(`=?utf-8?B?${Buffer.from(pick(SUBJECTS, 1)).toString("base64")}?=`), {
      sender: pick(ADDRESSES, 3),
      recipients: [pick(ADDRESSES.slice(1), 5), pick(ADDRESSES.slice(1), 7)],
    });
  }
  ({ messages } = await mailkeep.store.list({ filter: {}, limit: 200 }));
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
  return [
    {},
    ...texts.map((subject) => ({ subject })),
    ...addresses.filter(Boolean).flatMap((one) => [{ sender: one }, { recipient: one }]),
    ...addresses.flatMap((one) => [{ from: one }, { to: one }]),
    { sender: "a", subject: "w" },
    { subject: "w", to: "a@x.test" },
  ];
}

test("JavaScript and SQL find the same messages for every filter", async () => {
  expect(messages).toHaveLength(200);
  for (const filter of filters()) {
    const inStore = new Set(await mailkeep.store.walk(filter, { limit: 1000 }));
    const here = messages.filter((message) => mayMatch(message, filter)).map(({ id }) => id);
    expect({ filter, ids: here.toSorted() }).toEqual({ filter, ids: [...inStore].toSorted() });
  }
});
