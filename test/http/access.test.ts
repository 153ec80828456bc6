// Who may come in: origins, host names, credentials, CORS, and the headers that protect a browser.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hostnameOf, isTrustedHost } from "../../src/http/trusted-host.ts";
import type { CallOptions } from "./support/client.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
let host: string;
beforeAll(async () => {
  mailkeep = await startMailkeep({
    http: {
      access: {
        allowedHosts: ["mail.example.com", "*.dev.example.com"],
        corsOrigins: ["https://app.example.com"],
      },
    },
  });
  host = new URL(mailkeep.url).host;
});
afterAll(() => mailkeep.stop());

describe("a foreign origin may not change anything", () => {
  const changes: [string, string][] = [
    ["DELETE", "/api/v1/messages"],
    ["DELETE", "/api/v1/messages/x"],
    ["PATCH", "/api/v1/messages/x"],
    ["PATCH", "/api/v1/messages"],
    ["POST", "/api/v1/messages/x/release"],
  ];
  const foreign = [
    "http://evil.example",
    "null",
    "http://localhost:3000",
    "https://app.example.com.evil.test",
  ];
  for (const origin of foreign) {
    test.each(changes)(`%s %s from ${origin} is 403`, async (method, path) => {
      await mailkeep.receive(mail("kept"));
      const answer = await mailkeep.call(path, { method, headers: { origin }, rawBody: "{}" });
      expect(answer).toMatchObject({ status: 403, json: { code: "origin_not_allowed" } });
      expect(answer.headers.has("access-control-allow-origin")).toBe(false);
      expect(await mailkeep.store.count({})).toBeGreaterThan(0);
    });
  }

  test("a cross-site request that hides its origin is 403, too", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await mailkeep.call("/api/v1/messages", { method: "DELETE", headers })).status).toBe(403);
  });

  test("our own page may, also behind a proxy that ends TLS", async () => {
    for (const origin of [`http://${host}`, `https://${host}`, "https://mail.example.com"]) {
      const answer = await mailkeep.call("/api/v1/messages", { method: "DELETE", headers: { origin } });
      expect(answer.status).toBe(200);
    }
  });

  test("it may not open the WebSocket", async () => {
    const response = await fetch(`${mailkeep.url}/api/v1/ws`, {
      headers: {
        origin: "http://evil.example",
        upgrade: "websocket",
        connection: "upgrade",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-version": "13",
      },
    });
    expect(response.status).toBe(403);
  });

  test("it gets no CORS header when it reads", async () => {
    const answer = await mailkeep.call("/api/v1/messages", { headers: { origin: "http://evil.example" } });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("against DNS rebinding a browser must come under a name of ours", () => {
  const trusted = [
    "127.0.0.1",
    "127.0.0.1:8025",
    "[::1]:8025",
    "192.168.1.5",
    "localhost",
    "LOCALHOST:80",
    "localhost.",
    "mailkeep",
    "app.localhost",
    "nas.local",
    "shop.test:8025",
    "mail.internal",
    "box.lan",
    "x.home.arpa",
    "mail.example.com",
    "a.dev.example.com",
  ];
  const refused = [
    "evil.example",
    "example.com:8025",
    "mail.example.com.evil.net",
    "dev.example.com",
    "127.0.0.1.nip.io",
    "1.2.3",
    "",
  ];
  const allowed = ["mail.example.com", "*.dev.example.com"];
  test.each(trusted)("%s is", (name) => expect(isTrustedHost(hostnameOf(name), allowed)).toBe(true));
  test.each(refused)("%s is not", (name) => expect(isTrustedHost(hostnameOf(name), allowed)).toBe(false));

  const browsers: Record<string, string>[] = [
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-mode": "navigate" },
    { origin: "http://evil.example" },
    { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" },
  ];
  test.each(browsers)("%o is a browser: 403 under a foreign name, 200 under ours", async (headers) => {
    const refusal = await mailkeep.call("/api/v1/messages", {
      headers: { ...headers, host: "evil.example" },
    });
    expect(refusal).toMatchObject({ status: 403, json: { code: "host_not_allowed" } });
    expect(
      (await mailkeep.call("/api/v1/messages", { headers: { ...headers, host: "mail.example.com" } })).status,
    ).toBe(200);
  });

  test("other clients may come under any name", async () => {
    const headers = { host: "mail.prod.svc.cluster.example", "user-agent": "curl/8" };
    expect((await mailkeep.call("/api/v1/messages", { headers })).status).toBe(200);
  });
});

describe("CORS for the origins named", () => {
  const origin = "https://app.example.com";

  test("their pages may read and change", async () => {
    const answer = await mailkeep.call("/api/v1/messages", { method: "DELETE", headers: { origin } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("vary")).toContain("origin");
    expect(answer.headers.get("access-control-expose-headers")).toContain("mailkeep-parsed");
  });

  test("their errors are readable, too", async () => {
    const answer = await mailkeep.call("/api/v1/messages?limit=x", { headers: { origin } });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
  });

  test("their preflight is answered", async () => {
    const headers = {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "content-type",
    };
    const answer = await mailkeep.call("/api/v1/messages/x", { method: "OPTIONS", headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(answer.headers.get("access-control-allow-headers")).toContain("content-type");
  });

  test("a foreign preflight is 403", async () => {
    const headers = { origin: "http://evil.example", "access-control-request-method": "DELETE" };
    const answer = await mailkeep.call("/api/v1/messages", { method: "OPTIONS", headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("--http-auth asks for credentials on everything but health", () => {
  let locked: Mailkeep;
  const credentials = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });
  beforeAll(async () => {
    locked = await startMailkeep({
      http: { access: { allowedHosts: [], corsOrigins: [], httpAuth: "me:pass:wörd" } },
    });
  });
  afterAll(() => locked.stop());

  const ask = (path: string, headers: Record<string, string> = {}) => fetch(locked.url + path, { headers });

  test.each([
    "/api/v1/messages",
    "/api/v1/info",
    "/api/v1/openapi.yaml",
    "/docs",
    "/",
    "/api/v1/ws",
    "/nothing",
  ])("%s without or with wrong ones is 401", async (path) => {
    for (const headers of [{}, credentials("me:wrong"), credentials("me"), { authorization: "Bearer x" }]) {
      const response = await ask(path, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toStartWith("Basic ");
      expect(await response.json()).toMatchObject({ code: "unauthorized" });
    }
  });

  test("the right ones are let in", async () => {
    expect((await ask("/api/v1/messages", credentials("me:pass:wörd"))).status).toBe(200);
  });

  test("health needs none", async () => {
    expect((await ask("/api/v1/health")).status).toBe(200);
    expect((await ask("/api/v1/health/../messages")).status).toBe(401);
  });
});

test("security headers stand on every answer", async () => {
  const { id } = await mailkeep.receive(mail("Hi"));
  const paths = [
    "/api/v1/messages",
    `/api/v1/messages/${id}/raw`,
    "/api/v1/none",
    "/docs",
    "/",
    "/api/v1/messages/%",
  ];
  const requests: [string, CallOptions][] = [
    ...paths.map((path): [string, CallOptions] => [path, {}]),
    ["/api/v1/messages", { method: "DELETE", headers: { origin: "http://evil.example" } }],
    ["/", { headers: { host: "evil.example", origin: "http://evil.example" } }],
    ["/api/v1/messages", { method: "OPTIONS" }],
    ["/api/v1/messages", { method: "HEAD" }],
  ];
  for (const [path, options] of requests) {
    const { headers } = await mailkeep.call(path, options);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("content-security-policy")).toStartWith("default-src 'none'");
    expect(headers.has("x-frame-options")).toBe(true);
    expect(headers.has("server")).toBe(false);
  }
});
