// A mail that exceeds the parser's limits: incomplete answers are marked, the others are not.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MessageReader } from "../../src/app/index.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep();
});
afterAll(() => mailkeep.stop());

const BODIES = ["", "/text", "/html", "/links", "/codes", "/export?format=json"];
const ROUTES = [...BODIES, "/attachments", "/headers", "/auth", "/raw", "/export"];
const MARK = "mailkeep-parsed";

const parts = (count: number) =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(count)}--b--\r\n`;
const fields = (count: number, field: string) => `${`${field}\r\n`.repeat(count)}\r\nbody\r\n`;
const text = (bytes: number) => mail("long", "word ".repeat(bytes / 5));
const html = (tag: string, count: number) => `Content-Type: text/html\r\n\r\n${tag.repeat(count)}\r\n`;

const cases: [what: string, raw: () => string, marked: readonly string[]][] = [
  ["nothing that is too much", () => mail("Hi"), []],
  ["more parts than are looked at", () => parts(10_001), [...BODIES, "/attachments"]],
  ["more text parts than are shown", () => parts(501), BODIES],
  ["more text than is searched for codes", () => text(201_000), ["/codes"]],
  ["more numbers than are looked at", () => mail("many", "48291 ".repeat(501)), ["/codes"]],
  ["HTML that becomes more than is shown", () => html(`<img src="cid:${"{".repeat(700)}">`, 6000), ["/html"]],
  [
    "more header than is read",
    () => fields(1100, `X: ${"y".repeat(1000)}`),
    [...BODIES, "/attachments", "/headers", "/auth"],
  ],
  ["more fields than are read", () => fields(10_001, "X: y"), [...BODIES, "/attachments", "/headers"]],
  ["more results than are read", () => fields(1001, "Authentication-Results: x; spf=pass"), ["/auth"]],
  [
    "more results in a field",
    () => fields(1, `Authentication-Results: x${"; spf=pass".repeat(1001)}`),
    ["/auth"],
  ],
  ["as many parts, fields and results as are read", () => fields(1000, "Received-SPF: pass"), []],
];

test.each(cases)("%s", async (_what, raw, marked) => {
  const { id } = await mailkeep.receive(raw());
  const found: string[] = [];
  for (const route of ROUTES) {
    const { status, headers } = await mailkeep.call(`/api/v1/messages/${id}${route}`);
    expect(status).toBe(200);
    if (headers.get(MARK) === "false") found.push(route);
    else expect(headers.has(MARK)).toBe(false);
  }
  expect(found.toSorted()).toEqual(marked.toSorted());
  for (const path of ["/api/v1/messages/latest", "/api/v1/messages/wait"]) {
    const { headers } = await mailkeep.call(path);
    expect(headers.get(MARK)).toBe(marked.includes("") ? "false" : null);
  }
  await mailkeep.store.clear();
});

test("the document lists the mark on every route that has it", async () => {
  const { paths } = (await mailkeep.call("/api/v1/openapi.json")).json;
  const routes = [...ROUTES.filter((route) => !/raw|export$/.test(route)), "/../latest", "/../wait"];
  for (const route of routes) {
    const path = `/api/v1/messages/{id}${route.replace(/\?.*/, "")}`.replace("/{id}/..", "");
    expect({ path, headers: Object.keys(paths[path].get.responses["200"].headers) }).toEqual({
      path,
      headers: expect.arrayContaining(["Mailkeep-Parsed"]),
    });
  }
});

describe("an answer that is incomplete because the parser ran out of time is not cached", () => {
  const outcome = { parsed: false, mayImprove: true };
  const reader = {
    headers: async () => ({ found: [], ...outcome }),
    authResults: async () => ({ found: { dkim: [], spf: [], dmarc: [], arc: [] }, ...outcome }),
  } as unknown as MessageReader;

  test.each(["headers", "auth"])("%s", async (route) => {
    const slow = await startMailkeep({ http: { reader } });
    const { headers } = await slow.call(`/api/v1/messages/01JCMZ5T0GQ3V4W5X6Y7Z8A9BC/${route}`);
    expect(headers.get(MARK)).toBe("false");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("etag")).toBe(false);
    await slow.stop();
  });
});
