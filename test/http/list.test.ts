// GET /api/v1/messages, rule by rule.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MessageSummary } from "../../src/model/index.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
const stored: MessageSummary[] = [];
const ATTACHED = [
  "Subject: with file",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  "--b",
  "Content-Type: text/plain",
  "",
  "see file",
  "--b",
  'Content-Type: text/csv; name="a.csv"',
  'Content-Disposition: attachment; filename="a.csv"',
  "",
  "1,2",
  "--b--",
  "",
].join("\r\n");

beforeAll(async () => {
  mailkeep = await startMailkeep();
  for (let n = 0; n < 5; n++) stored.push(await mailkeep.receive(mail(`mail ${n}`, `body number ${n}`)));
  stored.push(
    await mailkeep.receive(ATTACHED, { sender: "Bob@Example.com", recipients: ["x@y.test", "z@y.test"] }),
  );
  await mailkeep.store.update([at(0), at(1)], { is_starred: true });
  await mailkeep.store.update([at(1), at(2)], { is_read: true });
  await mailkeep.store.update([at(0)], { tags: ["Red", "blue"] });
  await mailkeep.store.update([at(3)], { tags: ["blue"] });
});
afterAll(() => mailkeep.stop());

const at = (index: number) => stored[index]?.id ?? "";
const list = (query: string) => mailkeep.call(`/api/v1/messages${query}`);
const indexes = (answer: { json: { messages: MessageSummary[] } }) =>
  answer.json.messages.map(({ id }) => stored.findIndex((one) => one.id === id));

test("the list is newest first, complete, and not to be stored", async () => {
  const answer = await list("");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(indexes(answer)).toEqual([5, 4, 3, 2, 1, 0]);
  expect(Object.keys(answer.json)).toEqual(["messages", "total", "next_cursor", "limit"]);
  expect(answer.json).toMatchObject({ total: 6, next_cursor: null, limit: 50 });
});

test("a summary carries exactly the specified fields, in order", async () => {
  const [first] = (await list("?limit=1")).json.messages;
  expect(first).toEqual({
    id: at(5),
    sender: "Bob@Example.com",
    recipients: ["x@y.test", "z@y.test"],
    subject: "with file",
    size: ATTACHED.length,
    has_attachments: true,
    is_read: false,
    is_starred: false,
    tags: [],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  expect(Object.keys(first).join()).toBe(
    "id,sender,recipients,subject,size,has_attachments,is_read,is_starred,tags,created_at",
  );
});

describe("limit is clamped into 1..200", () => {
  const cases: [string, number][] = [
    ["?limit=3", 3],
    ["?limit=0", 1],
    ["?limit=201", 200],
  ];
  test.each(cases)("%s → %d", async (query, limit) => {
    const answer = await list(query);
    expect(answer.json.limit).toBe(limit);
    expect(answer.json.messages).toHaveLength(Math.min(limit, 6));
  });
});

describe("a malformed parameter is 400 and names it, what was given and what is accepted", () => {
  const cases: [string, string, string][] = [
    ["?limit=", "limit", '""'],
    ["?limit=abc", "limit", '"abc"'],
    ["?limit=1.5", "limit", '"1.5"'],
    ["?limit=1e2", "limit", '"1e2"'],
    ["?limit=0x10", "limit", '"0x10"'],
    ["?limit=%201", "limit", '" 1"'],
    ["?limit=%D9%A3", "limit", '"٣"'],
    ["?offset=a", "offset", '"a"'],
    ["?starred=1", "starred", '"1"'],
    ["?starred=TRUE", "starred", '"TRUE"'],
    ["?starred", "starred", '""'],
    ["?since=yesterday", "since", '"yesterday"'],
    ["?since=2026-02-30", "since", '"2026-02-30"'],
    ["?include=all", "include", '"all"'],
  ];
  test.each(cases)("%s", async (query, name, given) => {
    const { status, json } = await list(query);
    expect(status).toBe(400);
    expect(json.code).toBe("invalid_parameter");
    expect(json.error).toContain(`Parameter ${name} must be `);
    expect(json.error).toContain(given);
  });
});

describe("filters", () => {
  const cases: [string, number[]][] = [
    ["?starred=true", [1, 0]],
    ["?starred=false", [5, 4, 3, 2, 1, 0]],
    ["?unread=true", [5, 4, 3, 0]],
    ["?unread=false", [5, 4, 3, 2, 1, 0]],
    ["?has_attachments=true", [5]],
    ["?tag=blue", [3, 0]],
    ["?tag=Red&tag=blue", [3, 0]],
    ["?starred=true&unread=true", [0]],
    ["?q=number", [4, 3, 2, 1, 0]],
    ["?subject=MAIL", [4, 3, 2, 1, 0]],
    ["?sender=bob", [5]],
    ["?recipient=Z@", [5]],
    ["?from=bob@example.COM", [5]],
    ["?to=X@y.test", [5]],
  ];
  test.each(cases)("%s", async (query, expected) => {
    const answer = await list(query);
    expect(answer.status).toBe(200);
    expect(indexes(answer)).toEqual(expected);
    expect(answer.json.total).toBe(expected.length);
  });

  test("an unescaped + in an address filter matches, for a whole address and for a part with @", async () => {
    const plus = await startMailkeep();
    await plus.receive(mail("plus"), { sender: "app+a+b@x.test", recipients: ["ann+1@x.test"] });
    await plus.receive(mail("quoted"), { sender: '"a b"@x.test', recipients: ['"ann 1"@x.test'] });
    const found = async (query: string) => {
      const { json } = await plus.call(`/api/v1/messages?${query}`);
      return json.messages.map(({ subject }: MessageSummary) => subject);
    };
    expect(await found("to=ann+1@x.test")).toEqual(["plus"]);
    expect(await found("to=ann%2B1%40x.test")).toEqual(["plus"]);
    expect(await found("from=app+a+b@x.test")).toEqual(["plus"]);
    expect(await found("recipient=n+1@x")).toEqual(["plus"]);
    expect(await found("sender=+b@x")).toEqual(["plus"]);
    expect(await found("to=%22ann+1%22@x.test")).toEqual(["quoted"]);
    expect(await found("recipient=ann+1")).toEqual(["quoted"]);
    expect(await found("recipient=ann%2B1")).toEqual(["plus"]);
    await plus.stop();
  });

  test("since takes a message id or a time and keeps only what is newer", async () => {
    expect(indexes(await list(`?since=${at(3)}`))).toEqual([5, 4]);
    expect(indexes(await list("?since=2020-01-01"))).toHaveLength(6);
    expect(indexes(await list("?since=2999-01-01T00:00:00Z"))).toEqual([]);
    expect(indexes(await list("?since=2999-01-01T00:00:00+02:00"))).toEqual([]);
  });

  test("twenty tags are accepted, twenty-one are 400", async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, n) => `tag=t${n}`).join("&");
    expect((await list(`?${tags(20)}`)).status).toBe(200);
    expect(await list(`?${tags(21)}`)).toMatchObject({ status: 400, json: { code: "too_many_tags" } });
  });
});

describe("an operator that is not understood is searched for as text, and the answer has a hint", () => {
  const HINT = /^form: is not a search operator, so it was searched for as text; did you mean from:\?$/;
  const routes: [string, number, string?][] = [
    ["messages?q=form:bob", 200],
    ["messages/latest?q=form:bob", 404],
    ["messages/wait?q=form:bob&timeout=1ms", 417],
    ["assert/count?q=form:bob", 200],
    ["assert/count?q=form:bob&min=1", 417],
    ["export?q=form:bob", 200],
    ["messages?q=form:bob", 200, "DELETE"],
  ];
  test.each(routes)("%s is %i", async (path, status, method = "GET") => {
    const answer = await mailkeep.call(`/api/v1/${path}`, { method });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("mailkeep-hint")).toMatch(HINT);
  });

  test.each([
    "messages?q=from:bob",
    "messages?q=https://example.com",
    "messages",
    "assert/count?subject=form:x",
  ])("%s has none", async (path) => {
    expect((await mailkeep.call(`/api/v1/${path}`)).headers.has("mailkeep-hint")).toBe(false);
  });
});

describe("pagination", () => {
  test("a cursor page continues strictly below the cursor until next_cursor is null", async () => {
    const first = await list("?limit=2");
    expect(first.json.next_cursor).toBe(at(4));
    const second = await list(`?limit=2&before=${first.json.next_cursor}`);
    expect(indexes(second)).toEqual([3, 2]);
    const third = await list(`?limit=2&before=${second.json.next_cursor}`);
    expect(indexes(third)).toEqual([1, 0]);
    expect(third.json.next_cursor).toBeNull();
    expect(third.json.total).toBe(6);
  });

  const offsets: [string, number[]][] = [
    ["?offset=-3&limit=1", [5]],
    ["?offset=1&limit=2", [4, 3]],
  ];
  test.each(offsets)("%s", async (query, expected) => {
    const answer = await list(query);
    expect(indexes(answer)).toEqual(expected);
    expect(answer.json.total).toBe(6);
  });

  const unknown = ["", "nothing", "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"];
  test.each(unknown)("before=%p names no stored message: 400 unknown_cursor", async (before) => {
    const { status, json } = await list(`?before=${before}`);
    expect({ status, json }).toEqual({
      status: 400,
      json: { error: "The parameter before must be the id of a stored message.", code: "unknown_cursor" },
    });
  });

  const both = ["?offset=0&before=x", "?offset=x&before=", `?before=01JCMZ5T0GQ3V4W5X6Y7Z8A9BC&offset=3`];
  test.each(both)("%s: offset and before together are 400 conflicting_pagination", async (query) => {
    expect(await list(query)).toMatchObject({ status: 400, json: { code: "conflicting_pagination" } });
  });
});

test("include=preview adds the preview to each summary, and only then", async () => {
  const [first] = (await list("?include=preview&limit=1")).json.messages;
  expect(first.preview).toEqual({ from_name: "", from_address: "", snippet: "see file", run: "" });
  expect((await list("?limit=1")).json.messages[0]).not.toHaveProperty("preview");
});
