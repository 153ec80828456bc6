// Signing in to the page with OpenID Connect, at a real provider.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ClaimRule, Oidc } from "../../src/http/modules/sign-in.ts";
import type { Role } from "../../src/model/index.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { Browser, CLIENT, startProvider } from "./support/provider.ts";

const PAGE = {
  path: "/index.html",
  type: "text/html",
  load: async () => new TextEncoder().encode("the page"),
};
const rule = (claim: string, value: string, role: Role, inbox: string | null = null): ClaimRule => ({
  claim,
  value,
  role,
  inbox,
});
const ALLOW = [
  rule("groups", "qa", "write"),
  rule("groups", "team-*", "read", "inbox-t"),
  rule("email", "*@example.com", "read", "inbox-e"),
];

let provider: Awaited<ReturnType<typeof startProvider>>;
let mailkeep: Mailkeep;
beforeAll(async () => {
  provider = await startProvider({
    ann: { groups: ["qa", "team-a"], email: "ann@example.com" },
    bob: { groups: ["team-a"], email: "bob@example.com", email_verified: true },
    eve: { email: "eve@example.com", email_verified: false },
  });
  const oidc = { ...CLIENT, issuer: provider.issuer, scope: "openid email groups", allow: ALLOW };
  mailkeep = await startMailkeep({
    http: { access: { allowedHosts: [], corsOrigins: [], oidc }, pages: [PAGE] },
  });
  provider.serve(`${mailkeep.url}/auth/callback`);
});
afterAll(async () => {
  await mailkeep.stop();
  provider.stop();
});

const meOf = async (browser: Browser) => (await browser.ask(`${mailkeep.url}/api/v1/me`)).json();

describe("the page", () => {
  test("sends a person who opens a link to the provider, and back to the link", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const browser = new Browser();
    const link = `${mailkeep.url}/messages/${id}?q=a%20b`;
    const { url, response } = await browser.signIn(link, "ann");
    expect([url, response.status, await response.text()]).toEqual([link, 200, "the page"]);
    expect(await meOf(browser)).toEqual({
      name: expect.any(String),
      role: "write",
      inboxes: null,
      sign_in: { basic: false, oidc: true },
    });
  });

  test("keeps the session in a cookie that no script reads and no foreign page sends", async () => {
    const browser = new Browser();
    await browser.signIn(`${mailkeep.url}/`, "ann");
    const own = browser.setCookies.filter((line) => line.startsWith("mailkeep_"));
    expect(own.length).toBe(3);
    for (const line of own) expect(line).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const stored = JSON.stringify(await mailkeep.store.settings(""));
    const session = /^mailkeep_session=(ms_[^;]+)/.exec(own.join("\n").split("\n")[1] ?? "")?.[1] ?? "";
    expect(session).not.toBe("");
    expect(stored).not.toContain(session);
    const asToken = { headers: { authorization: `Bearer ${session}` } };
    expect((await fetch(`${mailkeep.url}/api/v1/me`, asToken)).status).toBe(401);
    expect(mailkeep.tokens.list()).toEqual([]);
  });

  test("stays signed in through a proxy that adds its own password", async () => {
    const browser = new Browser();
    await browser.signIn(`${mailkeep.url}/`, "bob");
    const headers = { authorization: `Basic ${btoa("proxy:secret")}` };
    expect((await browser.ask(`${mailkeep.url}/api/v1/me`, { headers })).status).toBe(200);
  });

  test("opens the WebSocket with the session, only from its own origin", async () => {
    const browser = new Browser();
    await browser.signIn(`${mailkeep.url}/`, "bob");
    const [cookie = ""] = browser.setCookies.join("\n").match(/mailkeep_session=ms_[^;]+/) ?? [];
    const opens = (headers: Record<string, string>) => {
      const socket = new WebSocket(`${mailkeep.url.replace("http", "ws")}/api/v1/ws`, { headers });
      return new Promise<boolean>((resolve) => {
        socket.addEventListener("open", () => {
          socket.close();
          resolve(true);
        });
        socket.addEventListener("error", () => resolve(false));
      });
    };
    expect(await opens({ cookie, origin: mailkeep.url })).toBe(true);
    expect(await opens({ cookie, origin: "http://evil.example" })).toBe(false);
    expect(await opens({ origin: mailkeep.url })).toBe(false);
  });

  test("signs out", async () => {
    const browser = new Browser();
    await browser.signIn(`${mailkeep.url}/`, "ann");
    const session = browser.setCookies.join("\n").match(/mailkeep_session=ms_[^;]+/)?.[0] ?? "";
    expect((await browser.ask(`${mailkeep.url}/api/v1/me`)).status).toBe(200);
    const answer = await browser.ask(`${mailkeep.url}/auth/sign-out`, { method: "POST" });
    expect(answer.status).toBe(204);
    const again = await fetch(`${mailkeep.url}/api/v1/me`, { headers: { cookie: session } });
    expect(again.status).toBe(401);
    expect((await browser.ask(`${mailkeep.url}/api/v1/me`)).status).toBe(401);
  });
});

test("the API answers 401 without asking the browser for a password, and takes tokens", async () => {
  const refused = await fetch(`${mailkeep.url}/api/v1/messages`);
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toStartWith("Bearer ");
  const { token } = await mailkeep.tokens.create({
    name: null,
    role: "read",
    inboxes: null,
    expiresAt: null,
  });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${mailkeep.url}/api/v1/messages`, { headers })).status).toBe(200);
});

test("through a proxy with TLS and its own path, the provider and the cookie get both", async () => {
  const oidc = { ...CLIENT, issuer: provider.issuer, scope: "openid", allow: ALLOW };
  const below = await startMailkeep({
    http: {
      access: { allowedHosts: [], corsOrigins: [], oidc },
      basePath: "/mail",
      trustedProxies: ["127.0.0.1"],
    },
  });
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "tools.test", accept: "text/html" };
  const opened = await fetch(`${below.url}/mail/messages/x`, { headers, redirect: "manual" });
  expect(opened.headers.get("location")).toBe("/mail/auth/sign-in?to=%2Fmail%2Fmessages%2Fx");
  const begun = await fetch(`${below.url}/auth/sign-in`, { headers, redirect: "manual" });
  const asked = new URL(begun.headers.get("location") ?? "").searchParams;
  expect(asked.get("redirect_uri")).toBe("https://tools.test/mail/auth/callback");
  expect(begun.headers.get("set-cookie")).toMatch(/; Path=\/mail\/; .*Secure\b/);
  await below.stop();
});

describe("nobody is let in", () => {
  test("if no rule matches the person", async () => {
    const { response } = await new Browser().signIn(`${mailkeep.url}/`, "eve");
    expect([response.status, await response.json()]).toEqual([
      403,
      { code: "forbidden", error: expect.stringContaining("--oidc-allow") },
    ]);
  });

  test("with an answer of the provider that was meant for another browser", async () => {
    const browser = new Browser();
    const begun = await browser.ask(`${mailkeep.url}/auth/sign-in`);
    const { searchParams } = new URL(begun.headers.get("location") ?? "");
    const state = searchParams.get("state");
    const callback = `${mailkeep.url}/auth/callback?code=stolen&iss=${provider.issuer}&state=`;
    expect((await new Browser().ask(callback + state)).status).toBe(400);
    expect((await browser.ask(`${callback}other`)).status).toBe(502);
    expect((await browser.ask(callback + state)).status).toBe(502);
  });

  test("with an ID token that is signed by no key of the provider", async () => {
    const oidc = new Oidc({ ...CLIENT, issuer: provider.issuer, scope: "openid", allow: ALLOW });
    const redirectUri = `${mailkeep.url}/auth/callback`;
    const { url, pending } = await oidc.begin(redirectUri);
    const { url: back } = await new Browser().signIn(url, "ann");
    provider.withdrawKeys();
    const finished = oidc.finish(new URL(back).searchParams, pending, redirectUri);
    expect(await finished.catch(String)).toContain("verification key");
  });

  test("while the provider does not answer", async () => {
    const oidc = { ...CLIENT, issuer: `http://${CLOSED_ADDRESS}`, scope: "openid", allow: ALLOW };
    const alone = await startMailkeep({ http: { access: { allowedHosts: [], corsOrigins: [], oidc } } });
    const answer = await fetch(`${alone.url}/auth/sign-in`);
    expect([answer.status, await answer.json()]).toMatchObject([502, { code: "sign_in_failed" }]);
    await alone.stop();
  });
});

test("the way back from the provider never leads to another site", async () => {
  for (const to of ["https://evil.example/", "//evil.example", "/.//evil.example", "/\\evil.example"]) {
    const begin = `${mailkeep.url}/auth/sign-in?to=${encodeURIComponent(to)}`;
    const { url } = await new Browser().signIn(begin, "ann");
    expect(new URL(url).origin).toBe(mailkeep.url);
  }
});

test.each<[claims: object, role: Role | null, inboxes: string[] | null]>([
  [{ groups: ["qa", "team-a"] }, "write", null],
  [{ groups: ["team-a", "other"] }, "read", ["inbox-t"]],
  [{ groups: "team-b", email: "x@example.com" }, "read", ["inbox-t", "inbox-e"]],
  [{ email: "x@example.com", email_verified: false }, null, null],
  [{ email: "x@example.com", email_verified: "false" }, null, null],
  [{ email: "x@example.community" }, null, null],
  [{ groups: [{ qa: true }] }, null, null],
])("claims %j give the role %p", (claims, role, inboxes) => {
  const oidc = new Oidc({ ...CLIENT, issuer: "https://id.example.com", scope: "openid", allow: ALLOW });
  const caller = oidc.callerOf({ sub: "x", ...claims });
  expect([caller?.role ?? null, caller?.inboxes ?? null]).toEqual([role, inboxes]);
});
