import { describe, expect, test } from "bun:test";
import { describeBounds } from "../../src/client/errors.ts";
import { describeFilter, filterParameters, type MailFilter, narrow } from "../../src/client/filter.ts";

describe("a filter", () => {
  const cases: [filter: MailFilter, query: string, words: string][] = [
    [{}, "", ""],
    [{ to: "a+b@x.test" }, "to=a%2Bb%40x.test", "to a+b@x.test"],
    [{ from: "" }, "from=", "from <>"],
    [{ to: '"<a> "@x' }, "to=%22%3Ca%3E+%22%40x", 'to "<a> "@x'],
    [{ headerTo: "Ann <a@x>" }, "header_to=Ann+%3Ca%40x%3E", "with Ann <a@x> in the To header"],
    [{ subject: 'Say "hi"' }, "subject=Say+%22hi%22", 'with a subject containing "Say \\"hi\\""'],
    [{ tag: "a" }, "tag=a", "tagged a"],
    [{ tag: ["a", "b"] }, "tag=a&tag=b", "tagged a or b"],
    [{ tag: "false" }, "tag=false", "tagged false"],
    [{ starred: true, unread: true }, "starred=true&unread=true", "that is starred that is unread"],
    [{ has_attachments: true }, "has_attachments=true", "with attachments"],
    [
      { since: new Date("2026-11-14T10:00:00Z") },
      "since=2026-11-14T10%3A00%3A00.000Z",
      "newer than 2026-11-14T10:00:00.000Z",
    ],
    [{ since: "10m" }, "since=10m", "of the last 10m"],
    [
      { headerFrom: "a@x", headerTo: "b@x" },
      "header_from=a%40x&header_to=b%40x",
      "with a@x in the From header with b@x in the To header",
    ],
    [
      { q: "hello", recipient: "x.test", sender: "shop" },
      "q=hello&recipient=x.test&sender=shop",
      'with a recipient containing "x.test" with a sender containing "shop" with text matching "hello"',
    ],
  ];
  test.each(cases)("%p is the query %p and the words %p", (filter, query, words) => {
    expect(new URLSearchParams(filterParameters(filter)).toString()).toBe(query);
    expect(describeFilter(filter)).toBe(words);
  });

  test("with a misspelt name throws, because it would match too much", () => {
    expect(() => filterParameters({ recipent: "a" } as MailFilter)).toThrow(
      "unknown filter 'recipent'; known: to,",
    );
  });

  test("with an undefined value throws", () => {
    expect(() => filterParameters({ to: undefined } as unknown as MailFilter)).toThrow(
      "the filter's 'to' is undefined: give a value or leave it out",
    );
  });
});

describe("a value that the API does not filter by throws, because clear() would remove everything", () => {
  test.each([
    [{ tag: [] }, "the filter's 'tag' is an empty list: name a tag or leave it out"],
    [{ tag: ["a", undefined] }, "the filter's 'tag' is undefined: give a value or leave it out"],
    [{ to: ["a@x", "b@x"] }, "the filter's 'to' is a list: only tag accepts several values"],
    [{ to: { address: "a@x" } }, "the filter's 'to' is an object: give a string"],
    [{ since: new Date("soon") }, "the filter's 'since' is not a time: give a valid date"],
    ["a@x", 'a filter is a plain object such as { to: "ann@example.com" }'],
    [null, "a filter is a plain object"],
    [new Map([["to", "a@x"]]), "a filter is a plain object"],
    [new URLSearchParams("to=a@x"), "a filter is a plain object"],
    [Object.create({ to: "a@x" }), "a filter is a plain object"],
    [{ subject: /Welcome/ }, "the filter's 'subject' is /Welcome/: give a string"],
    [{ unread: false }, "the filter's 'unread' is false, which does not filter: give true or leave it out"],
    [{ starred: false }, "the filter's 'starred' is false"],
    [{ has_attachments: false }, "the filter's 'has_attachments' is false"],
    [{ subject: "" }, "the filter's 'subject' is empty, which matches every mail"],
    [{ sender: "" }, "the filter's 'sender' is empty"],
    [{ recipient: "" }, "the filter's 'recipient' is empty"],
    [{ q: " " }, "the filter's 'q' is empty"],
    [{ to: "" }, "the filter's 'to' is empty, which matches no mail"],
    [
      { to: "Ann <a@x>" },
      `the filter's 'to' is "Ann <a@x>", which matches no mail: give only the address, without name, spaces and angle brackets`,
    ],
    [{ from: "<>" }, "give only the address"],
    [{ recipient: " a@x" }, "give only the address"],
    [{ sender: "a@x\n" }, "give only the address"],
    [{ to: ["a@x"] }, "the filter's 'to' is a list"],
    [{ subject: [] }, "the filter's 'subject' is a list"],
    [{ tag: ["a", /b/] }, "the filter's 'tag' is /b/: give a string"],
    [{ unread: "false" }, "the filter's 'unread' is false"],
  ])("%p", (filter, problem) => {
    expect(() => filterParameters(filter as MailFilter)).toThrow(problem);
    expect(() => narrow({ to: "a@x" }, filter as MailFilter)).toThrow(problem);
  });
});

const NEW_YEAR = new Date("2026-01-01T00:00:00Z");

describe("a narrowed filter", () => {
  const cases: [scope: MailFilter, filter: MailFilter, both: MailFilter][] = [
    [{}, { to: "a@x" }, { to: "a@x" }],
    [{ to: "a@x" }, {}, { to: "a@x" }],
    [{ to: "a@x" }, { to: "a@x" }, { to: "a@x" }],
    [{ to: "a@x" }, { to: "A@X" }, { to: "a@x" }],
    [{ to: "a@x" }, { subject: "hi" }, { to: "a@x", subject: "hi" }],
    [{ unread: true }, { unread: true }, { unread: true }],
    [{ sender: "shop@x" }, { sender: "Shop@x" }, { sender: "shop@x" }],
    [{ tag: ["a", "b"] }, { tag: ["a", "b"] }, { tag: ["a", "b"] }],
    [{ since: "all" }, { since: "10m" }, { since: "10m" }],
    [{ since: NEW_YEAR }, { since: "all" }, { since: NEW_YEAR }],
    [{ since: NEW_YEAR }, { since: new Date(NEW_YEAR) }, { since: NEW_YEAR }],
  ];
  test.each(cases)("%p by %p is %p", (scope, filter, both) => {
    expect(narrow(scope, filter)).toEqual(both);
  });

  test.each([
    [{ to: "a@x" }, { to: "b@x" }],
    [{ from: "a@x" }, { from: "" }],
    [{ subject: "code" }, { subject: "your code" }],
    [{ tag: "a" }, { tag: "A" }],
    [{ q: "one" }, { q: "two" }],
    [{ since: "10m" }, { since: NEW_YEAR }],
  ] as [MailFilter, MailFilter][])("%p does not let %p replace it", (scope, filter) => {
    expect(() => narrow(scope, filter)).toThrow("this inbox is limited to '");
  });
});

test.each([
  [null, null, "any number of mails"],
  [1, null, "at least 1 mail"],
  [null, 2, "at most 2 mails"],
  [1, 1, "exactly 1 mail"],
  [1, 3, "1 to 3 mails"],
  [null, 0, "no mail"],
  [0, 0, "no mail"],
])("min %p and max %p are %p", (min, max, words) => {
  expect(describeBounds(min, max)).toBe(words);
});
