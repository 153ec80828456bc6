// All errors have the same JSON shape. Requests that Bun's HTTP parser refuses get no body.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { INTERNAL_ERROR } from "../../src/http/problem.ts";
import { StoreError, type StoreErrorCode } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { operationsOf } from "./support/openapi.ts";

let mailkeep: Mailkeep;
let id: string;
beforeAll(async () => {
  mailkeep = await startMailkeep({ http: { limits: { maxWebsockets: 10, maxBodyBytes: 1000 } } });
  ({ id } = await mailkeep.receive(mail("Hi")));
});
afterAll(() => mailkeep.stop());

const isProblem = (answer: { headers: Headers; json: Record<string, unknown> }) => {
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.json).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[a-z_]+$/) });
  expect(answer.json.error).not.toMatch(/\n\s+at /);
};

const fail = () => {
  throw new Error("not asked for");
};

const unknown = [
  "/api/",
  "/api/v1",
  "/api/v1/nothing",
  "/api/v2/messages",
  "/api/v1/messages/x/y/z",
  "/api/v1/assert",
];
test.each(unknown)("GET %s: an unknown path is 404", async (path) => {
  const answer = await mailkeep.call(path);
  expect(answer).toMatchObject({ status: 404, json: { code: "unknown_path" } });
  isProblem(answer);
});

const wrongMethods: [string, string, string][] = [
  ["PUT", "/api/v1/messages", "GET, HEAD, PATCH, DELETE, OPTIONS"],
  ["POST", "/api/v1/messages/x", "GET, HEAD, PATCH, DELETE, OPTIONS"],
  ["DELETE", "/api/v1/messages/x/raw", "GET, HEAD, OPTIONS"],
  ["GET", "/api/v1/messages/x/release", "POST, OPTIONS"],
  ["PATCH", "/api/v1/messages/wait", "GET, HEAD, OPTIONS"],
  ["DELETE", "/api/v1/messages/latest", "GET, HEAD, OPTIONS"],
  ["PROPFIND", "/api/v1/messages", "GET, HEAD, PATCH, DELETE, OPTIONS"],
];
test.each(wrongMethods)("%s %s: a wrong method is 405 with Allow", async (method, path, allow) => {
  const answer = await mailkeep.call(path, { method });
  expect(answer).toMatchObject({ status: 405, json: { code: "method_not_allowed" } });
  expect(answer.headers.get("allow")).toBe(allow);
  isProblem(answer);
});

test("OPTIONS tells the methods", async () => {
  const answer = await mailkeep.call("/api/v1/messages", { method: "OPTIONS" });
  expect(answer.status).toBe(204);
  expect(answer.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE, OPTIONS");
});

const malformed = [
  "/api/v1/messages/%",
  "/api/v1/messages/%zz/raw",
  "/api/v1/messages/%ff",
  "/api/v1/messages?subject=%",
  "/api/v1/messages?q=word&tag=%ff",
  "/api/v1/messages?%zz=1",
  "/api/v1/%c3%28",
];
test.each(malformed)("%s: malformed percent-encoding is 400", async (path) => {
  const answer = await mailkeep.call(path);
  expect(answer).toMatchObject({ status: 400, json: { code: "malformed_url" } });
  isProblem(answer);
});

test("every route refuses a parameter that it does not know, before anything is done", async () => {
  const { json: document } = await mailkeep.call("/api/v1/openapi.json");
  const routes = operationsOf<object>(document).map(
    ({ method, path }) => [method.toUpperCase(), path] as const,
  );
  expect(routes.length).toBeGreaterThan(25);
  for (const [method, path] of [...routes, ["GET", "/api/v1/messages/{id}/inline/a/b"]] as const) {
    const answer = await mailkeep.call(
      `${path.replace("{inbox}", "default").replace("{id}", id)}?nonsense=1`,
      {
        method,
        ...(method !== "GET" && { body: { ids: [id], host: "127.0.0.1", is_read: true } }),
      },
    );
    expect([method, path, answer.status, answer.json.code]).toEqual([method, path, 400, "unknown_parameter"]);
    isProblem(answer);
  }
  expect(await mailkeep.store.get(id)).toMatchObject({ is_read: false });
});

test("pages, their files and /mcp refuse a parameter that they do not know", async () => {
  const load = async () => new TextEncoder().encode("<!doctype html>");
  const withPage = await startMailkeep({
    http: { pages: ["/index.html", "/app.js"].map((path) => ({ path, type: "text/html", load })) },
  });
  const own =
    "q=a&unread=true&starred=true&has_attachments=true&tag=a&tag=b&to=ann@example.com&tab=text&inbox=shop";
  for (const path of [`/?${own}`, `/messages/${id}?${own}`])
    expect((await withPage.call(path)).status).toBe(200);
  for (const path of [
    "/?ibox=a",
    `/messages/${id}?tba=text`,
    "/app.js?q=1",
    "/docs?q=1",
    "/docs/start.js?q=1",
  ])
    expect([path, (await withPage.call(path)).json.code]).toEqual([path, "unknown_parameter"]);
  const mcp = await withPage.call("/mcp?inbox=a", { method: "POST", body: {} });
  expect(mcp.json).toEqual({
    error: 'There is no parameter "inbox" here; none is allowed.',
    code: "unknown_parameter",
  });
  await withPage.stop();
});

test("the error for an unknown parameter names the nearest known one", async () => {
  const { json } = await mailkeep.call("/api/v1/messages/wait?recipent=ann@example.com");
  expect(json.error).toBe('There is no parameter "recipent" here; did you mean recipient?');
});

describe("every route that needs a body says that it must be an object", () => {
  const routes = [
    ["PATCH", "/api/v1/messages"],
    ["PATCH", "/api/v1/messages/:id"],
    ["POST", "/api/v1/messages/:id/release"],
  ] as const;
  const bodies = ["", " ", "null", '"x"', "1", "true", "[]", '[{"host":"h"}]'];
  const cases = routes.flatMap(([method, path]) => bodies.map((body) => [method, path, body] as const));
  test.each(cases)("%s %s with %j", async (method, path, rawBody) => {
    const answer = await mailkeep.call(path.replace(":id", id), { method, rawBody });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: "The request body must be a JSON object.", code: "invalid_body" },
    });
  });
});

test("a failure inside is 500 without a stack", async () => {
  const broken = await startMailkeep();
  broken.store.list = () => Promise.reject(new Error("secret inner detail"));
  const answer = await broken.call("/api/v1/messages");
  expect(answer).toMatchObject({ status: 500, json: { code: "internal_error" } });
  expect(answer.text).not.toContain("secret");
  await broken.stop();
});

test("a file that cannot be opened while sending is a 500 with a line in the log", async () => {
  const { logger, seen } = collectingLogger("error");
  const broken = await startMailkeep({ http: { logger } });
  const { id: large } = await broken.receive(mail("Large"));
  const content = () => Bun.file(join(import.meta.dir, "gone.eml")).slice(0, 10);
  broken.store.raw = async () => ({ size: 10, bytes: fail, stream: fail, content });
  const answer = await broken.call(`/api/v1/messages/${large}/raw`);
  expect(answer).toMatchObject({ status: 500, json: { code: "internal_error" } });
  isProblem(answer);
  expect((await seen("request failed")).error).toContain("gone.eml");
  await broken.stop();
});

const storeErrors: [StoreErrorCode, number, told: string][] = [
  ["disk_full", 507, "It failed."],
  ["read_only", 503, "It failed."],
  ["disk_failing", 503, "It failed."],
  ["closed", 503, "It failed."],
  // The system's message contains file names, so it is logged, but not sent.
  ["io_error", 500, INTERNAL_ERROR.message],
];
test.each(storeErrors)(
  "a store that fails with %s is %d, with the sentence %j",
  async (code, status, told) => {
    const broken = await startMailkeep();
    broken.store.count = () => Promise.reject(new StoreError(code, "it failed"));
    const answer = await broken.call("/api/v1/assert/count");
    expect([answer.status, answer.json.error]).toEqual([status, told]);
    await broken.stop();
  },
);

describe("requests that no client library would send", () => {
  const crlf = (...lines: string[]) => `${lines.join("\r\n")}\r\n\r\n`;
  const status = (answer: string) => Number(answer.slice(9, 12));

  const badHosts = ["a b", "x/y", "x/api/v1/health?", "x#", "user@x", "[::1", "x\\y"];
  test.each(badHosts)("Host: %s is 400, whatever the path", async (host) => {
    for (const path of ["/api/v1/messages", "/docs"]) {
      const answer = await raw(crlf(`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close"));
      expect(status(answer)).toBe(400);
      expect(answer).toContain('"malformed_host"');
    }
  });

  const refusedByTheParser: [what: string, request: string, status: number][] = [
    ["a missing Host", crlf("GET /api/v1/health HTTP/1.1"), 400],
    ["a broken length", crlf("PATCH /api/v1/messages HTTP/1.1", "Host: x", "Content-Length: x"), 400],
    ["a NUL in the path", crlf("GET /api/v1/\0 HTTP/1.1", "Host: x"), 505],
    ["another version of HTTP", crlf("GET /api/v1/health HTTP/2.0", "Host: x"), 505],
  ];
  test.each(refusedByTheParser)("%s has no body, as docs/api.md says", async (_, request, expected) => {
    const answer = await raw(request);
    expect(status(answer)).toBe(expected);
    expect(answer).toEndWith("\r\n\r\n");
  });

  test("HTTP/1.0 needs no Host", async () => {
    expect(status(await raw(crlf("GET /api/v1/health HTTP/1.0")))).toBe(200);
    expect(status(await raw(crlf("HEAD /api/v1/messages HTTP/1.0")))).toBe(200);
    expect(status(await raw(crlf("GET /api/v1/none HTTP/1.0")))).toBe(404);
  });

  test("a huge Content-Length is 413 with our own body", async () => {
    const lengths = ["2000", "99999999999", "9007199254740991"];
    for (const length of lengths) {
      const head = crlf(
        `PATCH /api/v1/messages/${id} HTTP/1.1`,
        "Host: localhost",
        `Content-Length: ${length}`,
      );
      expect(status(await raw(`${head}{}`, '"body_too_large"'))).toBe(413);
    }
  });

  test.each(["announced", "in chunks"])(
    "a client that sends its whole body before reading gets the 413: %s",
    async (how) => {
      const body = "GET /api/v1/messages HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100_000);
      const length = how === "announced" ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked";
      const head = crlf(`PATCH /api/v1/messages/${id} HTTP/1.1`, "Host: localhost", length);
      const sent = how === "announced" ? body : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const next = crlf("GET /api/v1/health HTTP/1.1", "Host: localhost", "Connection: close");
      const answers = await raw(head + sent + next);
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    },
  );

  test("two lengths, or a length and chunks, are not two requests", async () => {
    for (const headers of [
      ["Content-Length: 2", "Content-Length: 40"],
      ["Content-Length: 4", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked, identity"],
      ["Transfer-Encoding : chunked"],
      ["Transfer-Encoding: xchunked", "Content-Length: 5"],
      ["X: a\r\rContent-Length: 5"],
    ]) {
      const smuggled = crlf("DELETE /api/v1/messages HTTP/1.1", "Host: localhost");
      const request = crlf(`PATCH /api/v1/messages/${id} HTTP/1.1`, "Host: localhost", ...headers);
      await raw(`${request}0\r\n\r\n${smuggled}`);
      expect(await mailkeep.store.get(id)).not.toBeNull();
    }
  });

  test("an endless query or header is refused, and the server keeps working", async () => {
    for (const request of [
      crlf(`GET /api/v1/messages?q=${"a".repeat(200_000)} HTTP/1.1`, "Host: localhost", "Connection: close"),
      crlf(
        "GET /api/v1/messages HTTP/1.1",
        "Host: localhost",
        `X-Long: ${"a".repeat(200_000)}`,
        "Connection: close",
      ),
      crlf(
        "GET /api/v1/messages HTTP/1.1",
        ...Array.from({ length: 5000 }, (_, n) => `X-${n}: 1`),
        "Connection: close",
      ),
    ]) {
      // If the client is still sending when the connection is closed, it may lose the answer.
      expect(["HTTP/1.1 431", ""]).toContain((await raw(request)).slice(0, "HTTP/1.1 431".length));
      expect((await mailkeep.call("/api/v1/health")).status).toBe(200);
    }
  });
});

const untellable = { toString: null };
test.each<[string, string, object]>([
  ["PATCH", "/api/v1/messages/:id", { tags: [untellable] }],
  ["PATCH", "/api/v1/messages", { ids: [untellable] }],
  ["DELETE", "/api/v1/messages", { ids: [untellable] }],
  ["POST", "/api/v1/messages/:id/release", { host: untellable }],
])("%s %s: an object with a toString that is no function is 400", async (method, path, body) => {
  const answer = await mailkeep.call(path.replace(":id", id), { method, body: body as never });
  expect(answer).toMatchObject({ status: 400, json: { code: "invalid_body" } });
  isProblem(answer);
});

test.each([70, 5000, 100_000])("a body nested %d levels deep is 400", async (levels) => {
  const deep = await startMailkeep();
  const { id: target } = await deep.receive(mail("Hi"));
  const rawBody = `{"tags":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const answer = await deep.call(`/api/v1/messages/${target}`, { method: "PATCH", rawBody });
  expect(answer).toMatchObject({ status: 400, json: { code: "invalid_body" } });
  await deep.stop();
});

describe("a path is taken literally", () => {
  const strays = ["/", "/.", "/x/..", "/%2e", "/?"];
  test.each(strays)("DELETE /api/v1/messages%s is not DELETE /api/v1/messages", async (stray) => {
    const { id } = await mailkeep.receive(mail("stays"));
    const answer = await raw(
      `DELETE /api/v1/messages${stray} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toStartWith("HTTP/1.1 404");
    expect((await mailkeep.call(`/api/v1/messages/${id}`)).status).toBe(200);
  });

  test.each(["x", "mk", "abc", "a:1"])("host %s may be short", async (host) => {
    expect(
      await raw(`GET /api/v1/messages HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    ).toStartWith("HTTP/1.1 200");
    expect(
      await raw(`GET /x/api/v1/messages HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    ).toStartWith("HTTP/1.1 404");
  });
});

/** Sends raw bytes and returns the answer, up to `lastWords` or until the server closes. */
function raw(bytes: string, lastWords?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(mailkeep.server.port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      answer += chunk;
      if (lastWords !== undefined && answer.includes(lastWords)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
    socket.write(bytes);
  });
}
