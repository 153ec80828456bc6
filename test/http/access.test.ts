// Who has access: origins, host names, credentials, CORS, and the headers that protect a browser.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { httpUsers } from "../../src/cli/server/users.ts";
import { hostnameOf, isTrustedHost } from "../../src/http/origin.ts";
import type { CallOptions } from "./support/client.ts";
import { HANDSHAKE, type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

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

  test("a cross-site request that hides its origin is also 403", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await mailkeep.call("/api/v1/messages", { method: "DELETE", headers })).status).toBe(403);
  });

  test("our own page may change mail, also through a proxy that ends TLS", async () => {
    for (const origin of [`http://${host}`, `https://${host}`, "https://mail.example.com"]) {
      const answer = await mailkeep.call("/api/v1/messages", { method: "DELETE", headers: { origin } });
      expect(answer.status).toBe(200);
    }
  });

  test("it may not open the WebSocket", async () => {
    const headers = { ...HANDSHAKE, origin: "http://evil.example" };
    expect((await mailkeep.call("/api/v1/ws", { headers })).status).toBe(403);
  });

  test.each(["/%61pi/v1/ws", "/api/v1/%77s", "//api/v1/ws", "/api/v1/ws/", "/api/v1/./ws"])(
    "it may not open the WebSocket by %s, another spelling of its path",
    async (path) => {
      const headers = { ...HANDSHAKE, origin: "http://evil.example" };
      expect([403, 404]).toContain((await mailkeep.call(path, { headers })).status);
    },
  );

  test("it gets no CORS header when it reads", async () => {
    const answer = await mailkeep.call("/api/v1/messages", { headers: { origin: "http://evil.example" } });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("against DNS rebinding, browsers may use only host names that no stranger can point here", () => {
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
    "mailkeep.default.svc.cluster.local:8025",
    "shop.test:8025",
    "mail.internal",
    "host.docker.internal:8025",
    "box.lan",
    "nas.home",
    "build.corp",
    "x.home.arpa",
    "ghcr.io-mailkeep-mailkeep",
    "ghcr.io__mailkeep__mailkeep:8025",
    "mail.example.com",
    "a.dev.example.com",
  ];
  const refused = [
    "evil.example",
    "EVIL.COM",
    "evil.com.",
    "example.com:8025",
    "mail.example.com.evil.net",
    "dev.example.com",
    "evil-local.com",
    "home.arpa.evil.com",
    "evil.xn--p1ai",
    "127.0.0.1.nip.io",
    "1.2.3",
    "localhost, evil.com",
    "localhost/evil.com",
    "",
    ".",
    "..",
  ];
  const allowed = ["mail.example.com", "*.dev.example.com"];
  test.each(trusted)("%s is accepted", (name) => expect(isTrustedHost(hostnameOf(name), allowed)).toBe(true));
  test.each(refused)("%s is refused", (name) => expect(isTrustedHost(hostnameOf(name), allowed)).toBe(false));

  const evil = "evil.example:8025";
  const browser = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" };
  const sent: Record<string, string>[] = [
    browser,
    { "user-agent": "curl/8", "accept-language": "en" },
    { "user-agent": "", "accept-language": "" },
    { "user-agent": "curl/8", origin: `http://${evil}` },
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-mode": "cors" },
    { "sec-fetch-dest": "empty" },
    { ...browser, "x-forwarded-host": "localhost", forwarded: "host=localhost", "x-real-ip": "127.0.0.1" },
    { ...browser, authorization: `Basic ${btoa("me:pass")}` },
  ];
  test.each(sent)("a page that sends %o can neither read, change nor listen", async (headers) => {
    const { id } = await mailkeep.receive(mail("secret"));
    const attempts: [string, CallOptions][] = [
      ["/api/v1/messages", {}],
      [`/api/v1/messages/${id}/raw`, {}],
      [`/api/v1/messages/${id}`, { method: "PATCH", rawBody: '{"is_read":true}' }],
      ["/api/v1/messages", { method: "DELETE" }],
      ["/api/v1/ws", { headers: HANDSHAKE }],
      ["/", {}],
    ];
    for (const [path, options] of attempts) {
      const answer = await mailkeep.call(path, {
        ...options,
        headers: { ...headers, ...options.headers, host: evil },
      });
      expect(answer).toMatchObject({ status: 403, json: { code: "host_not_allowed" } });
      expect(answer.text).not.toContain("secret");
    }
    expect(await mailkeep.store.get(id)).toMatchObject({ is_read: false });
    const ours = { headers: { "user-agent": headers["user-agent"] ?? "curl/8", host: "mail.example.com" } };
    expect((await mailkeep.call("/api/v1/messages", ours)).status).toBe(200);
  });

  test.each([
    { "user-agent": "curl/8", accept: "*/*" },
    { "user-agent": "python-requests/2.32", "accept-encoding": "gzip, deflate", connection: "keep-alive" },
    { "user-agent": "kube-probe/1.31" },
    { "user-agent": "" },
  ])("a client that is not a browser may use any name: %o", async (headers: Record<string, string>) => {
    const { id } = await mailkeep.receive(mail("found"));
    const as = { ...headers, host: evil };
    expect((await mailkeep.call(`/api/v1/messages/${id}`, { headers: as })).status).toBe(200);
    expect((await mailkeep.call(`/api/v1/messages/${id}`, { method: "DELETE", headers: as })).status).toBe(
      204,
    );
  });

  test("the refusal names the host, the reason and the way out, and no cache keeps it", async () => {
    const { json, headers } = await mailkeep.call("/api/v1/messages", {
      headers: { ...browser, host: evil },
    });
    for (const word of [JSON.stringify(evil), "DNS rebinding", "--allowed-host", "MAILKEEP_ALLOWED_HOST"]) {
      expect(json.error).toContain(word);
    }
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test.each(["", "Host:\r\n"])(
    "a client of HTTP/1.0 that names no host (%j) is not a browser, and is served",
    async (line) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const data = (_socket: unknown, bytes: Buffer) => resolve(bytes.toString("latin1"));
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: Number(new URL(mailkeep.url).port),
        socket: { data },
      });
      socket.write(`GET /api/v1/messages HTTP/1.0\r\n${line}\r\n`);
      expect(await promise).toStartWith("HTTP/1.1 200 ");
      socket.end();
    },
  );

  test("the name given to --bind is allowed as a host, but its other ports are foreign origins", async () => {
    const access = { allowedHosts: [], corsOrigins: [], boundHost: "Mail.Example.org." };
    const bound = await startMailkeep({ http: { access } });
    const ask = (method: string, headers: Record<string, string>) =>
      bound.call("/api/v1/messages", {
        method,
        headers: { ...browser, ...headers, host: "mail.example.org:8025" },
      });
    expect((await ask("GET", {})).status).toBe(200);
    expect((await ask("DELETE", { origin: "http://mail.example.org:8025" })).status).toBe(200);
    expect((await ask("DELETE", { origin: "http://mail.example.org:3000" })).status).toBe(403);
    await bound.stop();
  });
});

describe("CORS for the origins named", () => {
  const origin = "https://app.example.com";

  test("their pages may read and change", async () => {
    const answer = await mailkeep.call("/api/v1/messages", { method: "DELETE", headers: { origin } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("vary")).toContain("origin");
    const exposed = answer.headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["etag", "content-range", "retry-after"]));
    const { text } = await mailkeep.call("/api/v1/openapi.json");
    const own = new Set(text.match(/Mailkeep-[A-Za-z-]+(?=":\{)/g)?.map((name) => name.toLowerCase()));
    expect(own.size).toBeGreaterThan(0);
    expect(exposed).toEqual(expect.arrayContaining([...own]));
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
    const httpAuth = [{ role: "admin", pair: "me:pass:wörd" }] as const;
    const users = httpUsers({ httpAuth: [...httpAuth], httpAuthFile: undefined, requireAuth: false });
    locked = await startMailkeep({
      http: { access: { allowedHosts: [], corsOrigins: [], users } },
    });
  });
  afterAll(() => locked.stop());

  const ask = (path: string, headers: Record<string, string> = {}) => fetch(locked.url + path, { headers });

  const LOCKED_PATHS = [
    "/api/v1/messages",
    "/api/v1/info",
    "/api/v1/openapi.yaml",
    "/docs",
    "/",
    "/api/v1/ws",
    "/metrics",
    "/nothing",
  ];
  const WRONG = [credentials("me:wrong"), credentials("me"), { authorization: "Bearer x" }];

  test("without credentials or with wrong ones, every path is 401", async () => {
    const refused = LOCKED_PATHS.flatMap((path) =>
      [{}, ...WRONG].map(async (headers: Record<string, string>) => {
        const response = await ask(path, headers);
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toStartWith("Basic ");
        expect(await response.json()).toMatchObject({ code: "unauthorized" });
      }),
    );
    await Promise.all(refused);
  });

  test("a browser that opens a page gets the refusal as a page", async () => {
    for (const path of ["/", "/messages/1?tab=text", "/api/v1/messages"]) {
      const response = await ask(path, { accept: "text/html,*/*;q=0.8" });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toStartWith("Basic ");
      const isPage = (await response.text()).includes("<p>The credentials are missing or wrong.");
      expect(isPage).toBe(!path.startsWith("/api/"));
    }
  });

  test("after five wrong credentials, the next are answered only after a second", async () => {
    const wrong = () => ask("/api/v1/messages", credentials("me:wrong"));
    await Promise.all(Array.from({ length: 5 }, wrong));
    const begun = performance.now();
    expect((await wrong()).status).toBe(401);
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  test("the right credentials are accepted", async () => {
    expect((await ask("/api/v1/messages", credentials("me:pass:wörd"))).status).toBe(200);
  });

  test("a browser under a foreign host name is refused even with them, and not asked for them", async () => {
    for (const headers of [credentials("me:pass:wörd"), {}]) {
      const browser = { "user-agent": "Mozilla/5.0", host: "evil.example" };
      const response = await ask("/api/v1/messages", { ...headers, ...browser });
      expect(response.status).toBe(403);
      expect(response.headers.has("www-authenticate")).toBe(false);
    }
  });

  test("health needs no credentials", async () => {
    expect((await ask("/api/v1/health")).status).toBe(200);
    expect((await ask("/api/v1/health/../messages")).status).toBe(401);
  });
});

test("every answer has the security headers", async () => {
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
