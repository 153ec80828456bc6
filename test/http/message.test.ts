// One message: GET, PATCH, DELETE; and the mailbox's bulk routes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { onEvent } from "../../src/app/index.ts";
import type { InboxEvent } from "../../src/model/index.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep();
});
afterAll(() => mailkeep.stop());

const UNKNOWN_ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";
const path = (id: string) => `/api/v1/messages/${id}`;

async function eventsOf(act: () => Promise<unknown>): Promise<InboxEvent[]> {
  const events: InboxEvent[] = [];
  const unsubscribe = onEvent(mailkeep.store, (event) => events.push(event));
  await act();
  unsubscribe();
  return events;
}

describe("GET", () => {
  test("a message is its summary with both bodies, not to be stored", async () => {
    const stored = await mailkeep.receive(mail("Hi", "Plain words."), { sender: "" });
    const answer = await mailkeep.call(path(stored.id));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(answer.json)).toEqual([...Object.keys(stored), "text_body", "html_body"]);
    expect(answer.json).toMatchObject({ ...stored, sender: "" });
  });

  test("body_chars cuts the bodies between characters, here and in a wait", async () => {
    const utf8 = ["Content-Type: text/html; charset=utf-8"];
    const { id } = await mailkeep.receive(mail("Cut", "<b>Hi 🎉</b>", utf8));
    const bodies = async (asked: string) => {
      const { text_body, html_body } = (await mailkeep.call(asked)).json;
      return [text_body, html_body];
    };
    expect(await bodies(`${path(id)}?body_chars=4`)).toEqual(["Hi ", "<b>H"]);
    expect(await bodies("/api/v1/messages/wait?subject=Cut&body_chars=0")).toEqual(["", ""]);
    expect((await mailkeep.call(`${path(id)}?body_chars=-1`)).status).toBe(400);
  });

  test.each([UNKNOWN_ID, "x", "%20", "..%2F..%2Fetc%2Fpasswd", UNKNOWN_ID.toLowerCase()])(
    "%s is 404",
    async (id) => {
      expect(await mailkeep.call(path(id))).toMatchObject({ status: 404, json: { code: "unknown_message" } });
    },
  );
});

describe("PATCH", () => {
  const accepted: [string, unknown, object][] = [
    ["nothing", {}, {}],
    ["is_read", { is_read: true }, { is_read: true }],
    ["is_starred", { is_starred: true }, { is_starred: true }],
    ["tags", { tags: ["a", "B", "ü"] }, { tags: ["a", "B", "ü"] }],
    ["tags with duplicates, collapsed to the first", { tags: ["b", "a", "b"] }, { tags: ["b", "a"] }],
    ["no tags", { tags: [] }, { tags: [] }],
    ["fifty characters outside the basic plane", { tags: ["😀".repeat(50)] }, { tags: ["😀".repeat(50)] }],
    ["twenty tags", { tags: tags(20) }, { tags: tags(20) }],
    [
      "all three",
      { is_read: true, is_starred: true, tags: ["x"] },
      { is_read: true, is_starred: true, tags: ["x"] },
    ],
    ["unknown fields, ignored", { subject: "no", foo: null }, { subject: "Hi" }],
  ];
  test.each(accepted)("%s", async (_, change, expected) => {
    const stored = await mailkeep.receive(mail("Hi"));
    const answer = await mailkeep.call(path(stored.id), { method: "PATCH", body: change as never });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.json).toEqual({ ...stored, ...expected });
    expect(await mailkeep.store.get(stored.id)).toEqual(answer.json);
  });

  const refused: [string, string][] = [
    ["is_read as a word", '{"is_read":"true"}'],
    ["is_read null", '{"is_read":null}'],
    ["tags null", '{"tags":null}'],
    ["tags as a string", '{"tags":"a"}'],
    ["a tag as a number", '{"tags":[1]}'],
    ["an empty tag", '{"tags":[""]}'],
    ["fifty-one characters", JSON.stringify({ tags: ["x".repeat(51)] })],
    ["twenty-one tags", JSON.stringify({ tags: tags(21) })],
    ["a control character", '{"tags":["a\\u0000b"]}'],
    ["a line break", '{"tags":["a\\nb"]}'],
    ["a C1 control", '{"tags":["a\\u0085"]}'],
    ["half a character", '{"tags":["\\ud83d"]}'],
    ["no JSON", "is_read=true"],
    ["cut JSON", '{"is_read":tr'],
  ];
  test.each(refused)("%s is 400 and changes nothing", async (_, rawBody) => {
    const stored = await mailkeep.receive(mail("Hi"));
    const events = await eventsOf(async () => {
      const answer = await mailkeep.call(path(stored.id), { method: "PATCH", rawBody });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.json)).toEqual(["error", "code"]);
    });
    expect(events).toEqual([]);
    expect(await mailkeep.store.get(stored.id)).toEqual(stored);
  });

  test("the error names the field and what is accepted", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const sentence = async (body: object) =>
      (await mailkeep.call(path(id), { method: "PATCH", body: body as never })).json.error;
    const field = async (body: object) =>
      (await sentence(body)).replace(" of the request body", "").replace(/^Field /, "");
    expect(await sentence({ is_read: "yes" })).toBe(
      "Field is_read of the request body must be true or false.",
    );
    expect(await field({ tags: ["ok", ""] })).toBe(
      "tags.1 must be 1 to 50 characters without control characters.",
    );
    expect(await field({ tags: [1] })).toBe("tags.0 must be a string.");
    expect(await field({ tags: "ok" })).toBe("tags must be an array of at most 20 values.");
    expect(await field({ tags: Array(21).fill("ok") })).toBe("tags must be an array of at most 20 values.");
  });

  test("JSON is understood with any content type", async () => {
    const stored = await mailkeep.receive(mail("Hi"));
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await mailkeep.call(path(stored.id), {
      method: "PATCH",
      rawBody: '{"is_read":true}',
      headers,
    });
    expect(answer.json.is_read).toBe(true);
  });

  test("an unknown message is 404", async () => {
    expect((await mailkeep.call(path(UNKNOWN_ID), { method: "PATCH", body: {} })).status).toBe(404);
  });

  test("each field sent makes one event, in the order read, starred, tags, even if nothing changed", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const body = { tags: ["t"], is_starred: false, is_read: false };
    const events = await eventsOf(() => mailkeep.call(path(id), { method: "PATCH", body }));
    expect(events).toEqual([
      { type: "message:read", data: { id, is_read: false } },
      { type: "message:starred", data: { id, is_starred: false } },
      { type: "message:tags", data: { id, tags: ["t"] } },
    ]);
  });
});

describe("DELETE", () => {
  test("one message: 204 without a body, then 404 everywhere", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const events = await eventsOf(async () => {
      const answer = await mailkeep.call(path(id), { method: "DELETE" });
      expect(answer).toMatchObject({ status: 204, text: "" });
    });
    expect(events).toEqual([{ type: "message:delete", data: { id } }]);
    const below = [
      "",
      "/raw",
      "/attachments",
      "/attachments/x",
      "/inline/x",
      "/export",
      "/export?format=json",
    ];
    for (const route of [...below, "/auth", "/headers", "/html", "/text", "/links", "/codes"]) {
      expect(await mailkeep.call(path(id) + route)).toMatchObject({
        status: 404,
        json: { code: "unknown_message" },
      });
    }
    expect((await mailkeep.call(path(id), { method: "DELETE" })).status).toBe(404);
  });

  test("all messages: their number, and one messages:clear, even if there were none", async () => {
    await mailkeep.call("/api/v1/messages", { method: "DELETE" });
    await mailkeep.receive(mail("one"));
    await mailkeep.receive(mail("two"));
    const events = await eventsOf(async () => {
      const answer = await mailkeep.call("/api/v1/messages", { method: "DELETE" });
      expect(answer).toMatchObject({ status: 200, json: { deleted: 2 } });
      expect(Object.keys(answer.json)).toEqual(["deleted"]);
      expect((await mailkeep.call("/api/v1/messages", { method: "DELETE" })).json).toEqual({ deleted: 0 });
    });
    expect(events).toEqual([{ type: "messages:clear" }, { type: "messages:clear" }]);
  });

  test("with filters only matching mail is deleted, with one message:delete each", async () => {
    await mailkeep.store.clear();
    const mine = await mailkeep.receive(mail("mine"), { recipients: ["worker-1@test"] });
    const other = await mailkeep.receive(mail("other"), { recipients: ["worker-11@test"] });
    const events = await eventsOf(async () => {
      const answer = await mailkeep.call("/api/v1/messages?to=WORKER-1@test", { method: "DELETE" });
      expect(answer.json).toEqual({ deleted: 1 });
    });
    expect(events).toEqual([{ type: "message:delete", data: { id: mine.id } }]);
    expect((await mailkeep.store.list({ filter: {}, limit: 9 })).messages).toEqual([other]);
  });

  const harmless = [
    "?too=a@b",
    "?q=",
    "?starred=false",
    "?starred=1",
    "?subject=",
    "?to=",
    "?q=-is:stared",
    "?limit=1",
    "?since=x",
    "?since=2026-02-30",
    "?%zz",
  ];
  test.each(harmless)("%s is 400 and removes nothing", async (query) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const answer = await mailkeep.call(`/api/v1/messages${query}`, { method: "DELETE" });
    expect(answer.status).toBe(400);
    expect(await mailkeep.store.get(id)).not.toBeNull();
  });
});

describe("many at once", () => {
  test("PATCH with ids changes those, says which were not found, and makes the events of single changes", async () => {
    const one = await mailkeep.receive(mail("one"));
    const two = await mailkeep.receive(mail("two"));
    const events = await eventsOf(async () => {
      const body = { ids: [two.id, UNKNOWN_ID, one.id, two.id], is_read: true };
      const answer = await mailkeep.call("/api/v1/messages", { method: "PATCH", body });
      expect(answer.status).toBe(200);
      expect(answer.json.not_found).toEqual([UNKNOWN_ID]);
      expect(answer.json.messages.map(({ id }: { id: string }) => id)).toEqual([two.id, one.id]);
    });
    expect(events).toEqual([
      { type: "message:read", data: { id: two.id, is_read: true } },
      { type: "message:read", data: { id: one.id, is_read: true } },
    ]);
  });

  test.each(["?subject=other", "?to=", "?starred=false", "?tag=a&tag=b"])(
    "PATCH with ids and %s is 400 and changes nothing",
    async (query) => {
      const { id } = await mailkeep.receive(mail("one"));
      const body = { ids: [id], is_read: true };
      const answer = await mailkeep.call(`/api/v1/messages${query}`, { method: "PATCH", body });
      expect(answer).toMatchObject({ status: 400, json: { code: "unknown_parameter" } });
      expect(await mailkeep.store.get(id)).toMatchObject({ is_read: false });
    },
  );

  test("DELETE with ids removes those and says which were not found", async () => {
    const one = await mailkeep.receive(mail("one"));
    const events = await eventsOf(async () => {
      const answer = await mailkeep.call("/api/v1/messages", {
        method: "DELETE",
        body: { ids: [UNKNOWN_ID, one.id] },
      });
      expect(answer.json).toEqual({ deleted: 1, not_found: [UNKNOWN_ID] });
    });
    expect(events).toEqual([{ type: "message:delete", data: { id: one.id } }]);
  });

  test("a thousand ids are accepted, one more is 400", async () => {
    const ids = Array.from({ length: 1001 }, (_, n) => `id-${n}`);
    const call = (method: string, some: string[]) =>
      mailkeep.call("/api/v1/messages", { method, body: { ids: some } });
    expect((await call("DELETE", ids.slice(1))).json.not_found).toHaveLength(1000);
    expect((await call("PATCH", ids.slice(1))).json.not_found).toHaveLength(1000);
    expect((await call("DELETE", ids)).status).toBe(400);
    expect((await call("PATCH", ids)).status).toBe(400);
  });

  test("a body of very many values is refused quickly", async () => {
    const many = Array.from({ length: 200_000 }, () => "x");
    const refusal = async (body: object) => {
      const begun = cpuMs();
      const { json } = await mailkeep.call("/api/v1/messages", { method: "PATCH", body: body as never });
      // This refusal once took several seconds.
      expect(cpuMs() - begun).toBeLessThan(2000);
      return json.error;
    };
    expect(await refusal({ ids: many, is_read: true })).toBe(
      "Field ids of the request body must be an array of at most 1000 values.",
    );
    expect(await refusal({ ids: [], is_read: "no", unknown: { deep: many } })).toBe(
      "Field unknown of the request body is not known here; known: ids, is_read, is_starred, tags.",
    );
  });

  test.each([
    ["in a string full of escaped quotes", `{"a":"${'\\"'.repeat(500_000)}`],
    ["after quotes that begin no string", '\\"'.repeat(500_000)],
  ])("a body that breaks off %s is refused quickly", async (_, rawBody) => {
    const begun = cpuMs();
    const { status, json } = await mailkeep.call("/api/v1/messages", { method: "PATCH", rawBody });
    expect({ status, code: json.code }).toEqual({ status: 400, code: "invalid_json" });
    // These two refusals once took 17 s and 7 s.
    expect(cpuMs() - begun).toBeLessThan(2000);
  });

  test.each(['{"ids":"x"}', "{}", "[]", "null", '{"ids":[1]}', "nonsense", " \n", "\ufeff"])(
    "DELETE with %s removes nothing",
    async (rawBody) => {
      const { id } = await mailkeep.receive(mail("Hi"));
      expect((await mailkeep.call("/api/v1/messages", { method: "DELETE", rawBody })).status).toBe(400);
      expect(await mailkeep.store.get(id)).not.toBeNull();
    },
  );
});

test.each([
  ["PATCH", "", { is_raed: true }, "did you mean is_read?"],
  ["DELETE", "", { id: "x" }, "did you mean ids?"],
  ["POST", "/release", { host: "127.0.0.1", port: 1, too: "b@y.test" }, "did you mean to?"],
  ["POST", "/checks", { dns: {}, only: "auth" }, "known: dns."],
] as const)(
  "a misspelt field in the body of %s /messages%s is refused",
  async (method, route, given, hint) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const body = route === "" ? { ids: [id], ...given } : given;
    const answer = await mailkeep.call(route === "" ? "/api/v1/messages" : `${path(id)}${route}`, {
      method,
      body,
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe(
      `Field ${Object.keys(given).at(-1)} of the request body is not known here; ${hint}`,
    );
    expect(await mailkeep.store.get(id)).not.toBeNull();
  },
);

function tags(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `tag ${n}`);
}

test.each([
  ["PATCH of one", "PATCH", (id: string) => path(id), () => '{"__proto__":{"is_read":true}}', 200],
  [
    "PATCH of many",
    "PATCH",
    () => "/api/v1/messages",
    (id: string) => `{"ids":["${id}"],"__proto__":{"is_read":true}}`,
    400,
  ],
  [
    "DELETE by ids",
    "DELETE",
    () => "/api/v1/messages",
    (id: string) => `{"__proto__":{"ids":["${id}"]}}`,
    400,
  ],
] as const)("%s takes no field from a __proto__ in the body", async (_, method, pathOf, bodyOf, status) => {
  const stored = await mailkeep.receive(mail("Hi"));
  const answer = await mailkeep.call(pathOf(stored.id), { method, rawBody: bodyOf(stored.id) });
  expect(answer.status).toBe(status);
  expect(await mailkeep.store.get(stored.id)).toEqual(stored);
});
