// Inboxes over HTTP: created, listed, used and removed.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { listen } from "./support/events.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeEach(async () => {
  mailkeep = await startMailkeep({ declared: [{ name: "shop" }] });
});
afterEach(() => mailkeep.stop());

const create = (name: string, body = {}) => mailkeep.call(`/api/v1/inboxes/${name}`, { method: "PUT", body });
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const subjects = ({ json }: Awaited<ReturnType<Mailkeep["call"]>>) =>
  json.messages.map(({ subject }: { subject: string }) => subject);

test("a new inbox comes with a token that is shown once, an address, and how to send to it", async () => {
  const created = await create("ci-42", { expires: "2h", max_messages: 10 });
  const { token, created_at, expires_at } = created.json;
  expect(created.status).toBe(201);
  expect(created.json).toEqual({
    name: "ci-42",
    created_at,
    expires_at,
    address: "inbox+ci-42@mailkeep.test",
    smtp: { host: "127.0.0.1", port: 1025, username: "ci-42", password: token },
    token,
  });
  expect((Date.parse(expires_at) - Date.parse(created_at)) / 3_600_000).toBeCloseTo(2, 1);
  const again = await create("ci-42", { max_messages: 20 });
  expect(again.status).toBe(200);
  expect(again.json).toEqual({
    name: "ci-42",
    created_at,
    expires_at: null,
    address: "inbox+ci-42@mailkeep.test",
    smtp: { host: "127.0.0.1", port: 1025, username: "ci-42" },
  });
  const { json } = await mailkeep.call("/api/v1/inboxes");
  expect(json.inboxes).toMatchObject([
    { name: "default", is_declared: true, keep: {} },
    { name: "ci-42", is_declared: false, messages: 0, unread: 0, keep: { max_messages: 20 } },
    { name: "shop", is_declared: true, created_at: null, port: 2525 },
  ]);
});

test("with If-None-Match: * an inbox that is there is refused and left as it is", async () => {
  await create("ci-42", { max_messages: 10 });
  const headers = { "if-none-match": "*" };
  const again = await mailkeep.call("/api/v1/inboxes/ci-42", { method: "PUT", body: {}, headers });
  expect([again.status, again.json.code]).toEqual([412, "inbox_exists"]);
  expect((await mailkeep.call("/api/v1/inboxes")).json.inboxes[1].keep).toEqual({ max_messages: 10 });
});

test("if several clients create an inbox at once, one gets a token", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => create("ci-42")));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
  expect(mailkeep.tokens.list()).toHaveLength(1);
});

test("removing an inbox removes its mail, its token and its faults, and nothing else", async () => {
  const { token } = (await create("ci-42")).json;
  await mailkeep.receive(mail("mine"), { inbox: "ci-42" });
  await mailkeep.receive(mail("other"));
  const rule = { name: "busy", at: "rcpt", reply: { code: 450 } };
  await mailkeep.call("/api/v1/inboxes/ci-42/faults", { method: "POST", body: rule });
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toMatchObject([{ inbox: "ci-42" }]);
  const removed = await mailkeep.call("/api/v1/inboxes/ci-42", { method: "DELETE" });
  expect(removed.status).toBe(204);
  expect(subjects(await mailkeep.call("/api/v1/messages"))).toEqual(["other"]);
  expect((await mailkeep.call("/api/v1/faults")).json.rules).toEqual([]);
  expect((await mailkeep.call("/api/v1/messages", as(token))).status).toBe(401);
  for (const path of ["/api/v1/inboxes/ci-42/messages", "/api/v1/inboxes/nothing/messages"]) {
    const gone = await mailkeep.call(path);
    expect([gone.status, gone.json.code]).toEqual([404, "unknown_inbox"]);
  }
});

test("removing an inbox ends its waits and its WebSockets", async () => {
  await create("ci-42");
  const at = "/api/v1/inboxes/ci-42";
  const { closed } = await listen(`${mailkeep.url}${at}/ws`);
  const waiting = mailkeep.call(`${at}/messages/wait?subject=next&timeout=20s`);
  await mailkeep.call("/api/v1/inboxes/ci-42", { method: "DELETE" });
  expect((await closed).code).toBe(4004);
  expect((await waiting).json.code).toBe("unknown_inbox");
});

test("an inbox that cannot be created or removed is refused with a reason", async () => {
  const refused = [
    ["PUT", "CI 42", {}, 400, "invalid_inbox_name"],
    ["PUT", "ci", { expire: "2h" }, 400, "invalid_body"],
    ["PUT", "ci", { expires: "yesterday" }, 400, "invalid_body"],
    ["PUT", "ci", { max_messages: 0 }, 400, "invalid_body"],
    ["PUT", "ci", { max_age: "0s" }, 400, "invalid_body"],
    ["PUT", "ci", { match: { recipient: "" } }, 400, "invalid_body"],
    ["PUT", "ci", { match: { header: "X Project: shop" } }, 400, "invalid_body"],
    ["PUT", "default", {}, 409, "inbox_declared"],
    ["PUT", "shop", {}, 409, "inbox_declared"],
    ["DELETE", "default", undefined, 409, "inbox_declared"],
    ["DELETE", "nothing", undefined, 404, "unknown_inbox"],
  ] as const;
  for (const [method, name, body, status, code] of refused) {
    const path = `/api/v1/inboxes/${encodeURIComponent(name)}`;
    const answer = await mailkeep.call(path, { method, body });
    expect([name, answer.status, answer.json.code]).toEqual([name, status, code]);
  }
});

test("the error says in a sentence what a field must be", async () => {
  const said = async (name: string, body: object) => (await create(name, body)).json.error;
  const field = (name: string) => `Field ${name} of the request body must be`;
  expect(await said("ci", { max_messages: 0 })).toBe(`${field("max_messages")} an integer of at least 1.`);
  for (const max_size of ["x", "0", "0.0MiB", "1.5", "1.5b"]) {
    expect(await said("ci", { max_size })).toStartWith(`${field("max_size")} a size such as 50MiB`);
  }
  expect(await said("ci", { max_age: "0s" })).toStartWith(`${field("max_age")} a span of time above 0`);
  expect(await said("_", {})).toContain("the first of them a letter or a digit, not");
});

describe("below an inbox, and with its token, the routes see only its mail", () => {
  const both = async (name: string) => {
    const { token } = (await create(name)).json;
    return [
      (path: string, options = {}) => mailkeep.call(`/api/v1/inboxes/${name}${path}`, options),
      (path: string, options = {}) => mailkeep.call(`/api/v1${path}`, { ...as(token), ...options }),
    ];
  };

  test("list, search, count, tags, info and wait", async () => {
    const ways = await both("ci");
    const other = await mailkeep.receive(mail("other needle"));
    await mailkeep.store.update([other.id], { tags: ["others"] });
    const mine = await mailkeep.receive(mail("mine needle"), { inbox: "ci" });
    for (const ask of ways) {
      expect(subjects(await ask("/messages"))).toEqual(["mine needle"]);
      expect((await ask("/messages?q=needle")).json.total).toBe(1);
      expect((await ask("/assert/count")).json).toEqual({ ok: true, count: 1 });
      expect((await ask("/tags")).json).toEqual({ tags: [] });
      expect((await ask("/info")).json.messages).toEqual({ total: 1, unread: 1 });
      expect((await ask("/messages/wait?q=needle&timeout=20s")).json.id).toBe(mine.id);
      expect((await ask("/messages/wait?subject=other&timeout=1ms")).json.near_misses).toMatchObject([
        { message: { id: mine.id } },
      ]);
      expect((await ask(`/messages/${other.id}`)).status).toBe(404);
      expect((await ask("/export")).text).not.toContain("other");
    }
  });

  test("a wait is woken by the mail of its inbox", async () => {
    const [ask] = await both("ci");
    const waiting = ask?.("/messages/wait?subject=awaited&timeout=20s");
    await mailkeep.receive(mail("awaited elsewhere"));
    const { id } = await mailkeep.receive(mail("awaited here"), { inbox: "ci" });
    expect((await waiting)?.json.id).toBe(id);
  });

  test("deleting all clears only this inbox", async () => {
    const [below, token] = await both("ci");
    await mailkeep.receive(mail("other"));
    await mailkeep.receive(mail("mine"), { inbox: "ci" });
    expect((await below?.("/messages", { method: "DELETE" }))?.json).toEqual({ deleted: 1 });
    expect((await token?.("/messages", { method: "DELETE" }))?.json).toEqual({ deleted: 0 });
    expect(subjects(await mailkeep.call("/api/v1/messages"))).toEqual(["other"]);
  });

  test("a mail that is sent by HTTP goes there", async () => {
    const ways = await both("ci");
    const body = { from: "a@x.test", to: ["b@x.test"], subject: "sent" };
    for (const ask of ways) expect((await ask("/send", { method: "POST", body })).status).toBe(201);
    const named = { ...body, inbox: "ci" };
    expect((await mailkeep.call("/api/v1/send", { method: "POST", body: named })).status).toBe(201);
    const unknown = { ...body, inbox: "nothing" };
    expect((await mailkeep.call("/api/v1/send", { method: "POST", body: unknown })).status).toBe(404);
    expect((await mailkeep.store.inboxes()).get("ci")?.messages).toBe(3);
  });
});
