// Users, tokens and roles: how each signs in, and what each role may do on every route.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokens } from "../../src/app/index.ts";
import { httpUsers } from "../../src/cli/server/users.ts";
import { connect } from "../../src/client/index.ts";
import { type ApplicationOptions, application } from "../../src/http/application.ts";
import { operationOf } from "../../src/http/openapi/operation.ts";
import type { CreatedToken, Role } from "../../src/model/index.ts";
import { openFiles } from "../store/open.ts";
import { useFolders } from "../support/folders.ts";
import { listen } from "./support/events.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { operationsOf } from "./support/openapi.ts";

const freshFolder = useFolders();
interface Operation {
  readonly operationId: string;
}

const ROLES: readonly Role[] = ["read", "write", "admin"];

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function usersFile(text: string): string {
  const path = join(freshFolder(), "users");
  writeFileSync(path, text);
  return path;
}

const hashed = (password: string) => Bun.password.hash(password, { algorithm: "bcrypt", cost: 4 });

const usersOf = (settings: Partial<Parameters<typeof httpUsers>[0]>) =>
  httpUsers({ httpAuth: [], httpAuthFile: undefined, requireAuth: false, ...settings });

const startWith = (users: ReturnType<typeof usersOf>) =>
  startMailkeep({ http: { access: { allowedHosts: [], corsOrigins: [], users } } });

async function startGuarded(httpAuthFile?: string): Promise<Mailkeep> {
  const httpAuth = ROLES.map((role) => ({ role, pair: `ann-${role}:p:${role}` }));
  return startWith(usersOf({ httpAuth, httpAuthFile }));
}

let guarded: Mailkeep;
let open: Mailkeep;
beforeAll(async () => {
  [guarded, open] = await Promise.all([startGuarded(), startMailkeep()]);
});
afterAll(() => Promise.all([guarded.stop(), open.stop()]));

const ask = (path: string, headers: Record<string, string> = {}, { url } = guarded) =>
  fetch(`${url}/api/v1${path}`, { headers });

const me = async (headers: Record<string, string>, at?: Mailkeep) =>
  (await ask("/me", headers, at)).json() as Promise<object>;

async function createToken(body: object, at = guarded): Promise<CreatedToken> {
  const response = await fetch(`${at.url}/api/v1/tokens`, {
    method: "POST",
    headers: basic("ann-admin:p:admin"),
    body: JSON.stringify({ name: "test", ...body }),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedToken;
}

describe("every route asks for a role", () => {
  const routes = application({
    facts: { version: "" },
    limits: {},
    access: { allowedHosts: [], corsOrigins: [] },
    pages: [{ path: "/index.html", type: "text/html", load: async () => new Uint8Array() }],
    basePath: "",
    store: { onChange: () => {} },
    servesMcp: true,
  } as unknown as ApplicationOptions).routes;

  const operations = routes.flatMap(({ hooks }) => operationOf(hooks) ?? []);

  test("paths that are not operations of the API only show pages", () => {
    const others = routes.filter(
      ({ hooks, path }) => operationOf(hooks) === undefined && !path.startsWith("/compat/"),
    );
    const atApi = others.filter(({ method, path }) => method !== "GET" || path.startsWith("/api"));
    // The tools at this path call routes of the API, which check the caller's role.
    expect(atApi.map(({ path }) => path)).toEqual(["/mcp"]);
  });

  test("a role may do what the operation says, and without credentials only health is answered", async () => {
    const answer = await ask("/openapi.json", basic("ann-read:p:read"));
    const document = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
    for (const { path, method, operation } of operationsOf(document)) {
      const needs = { read: 0, all: 0, write: 1, admin: 2, inbox: path.includes("{inbox}/") ? 1 : 2 };
      const url = guarded.url + path.replace("{inbox}", "default").replaceAll(/\{\w+\}/g, "x");
      const id = operation.operationId.replace(/InInbox$/, "");
      const need = operations.find(({ operationId }) => operationId === id)?.needs ?? "admin";
      const send = (headers: Record<string, string>) =>
        // The unknown parameter makes an allowed request fail, so that it changes nothing.
        fetch(`${url}?nothing=1`, { method: method.toUpperCase(), headers });
      const nobody = await send({});
      expect([path, nobody.status === 401]).toEqual([path, operation.operationId !== "getHealth"]);
      for (const [rank, role] of ROLES.entries()) {
        const response = await send(basic(`ann-${role}:p:${role}`));
        const isForbidden = response.status === 403;
        expect([method, path, role, isForbidden]).toEqual([method, path, role, rank < needs[need]]);
        if (isForbidden) expect(await response.json()).toMatchObject({ code: "forbidden" });
        else expect(response.status).not.toBe(401);
      }
    }
  });

  test("a writer sets faults for one inbox, but not for all mail", async () => {
    const send = (method: string, path: string, user: string, body: object) =>
      fetch(`${guarded.url}/api/v1${path}`, { method, headers: basic(user), body: JSON.stringify(body) });
    const fault = { name: "busy", at: "rcpt", reply: { code: 450 } };
    expect((await send("PUT", "/inboxes/shop", "ann-admin:p:admin", {})).status).toBe(201);
    expect((await send("POST", "/inboxes/shop/faults", "ann-write:p:write", fault)).status).toBe(201);
    expect((await send("POST", "/faults", "ann-write:p:write", fault)).status).toBe(403);
    expect((await send("POST", "/inboxes/shop/faults", "ann-read:p:read", fault)).status).toBe(403);
  });

  test("a refusal names the role that is needed", async () => {
    const response = await ask("/tokens", basic("ann-write:p:write"));
    expect(await response.json()).toEqual({
      code: "forbidden",
      error: "This needs the role admin; these credentials have the role write.",
    });
  });
});

describe("a user comes in with a password", () => {
  test("of the command line, and is told who they are", async () => {
    expect(await me(basic("ann-read:p:read"))).toEqual({
      name: "ann-read",
      role: "read",
      inboxes: null,
      sign_in: { basic: true, oidc: false },
    });
  });

  test("of a file, which may name a role", async () => {
    const path = usersFile(`ann:${await hashed("secret")}:write\nbob:plain\n`);
    const mailkeep = await startGuarded(path);
    try {
      expect(await me(basic("ann:secret"), mailkeep)).toMatchObject({ name: "ann", role: "write" });
      expect(await me(basic("bob:plain"), mailkeep)).toMatchObject({ name: "bob", role: "admin" });
      expect((await ask("/me", basic("ann:wrong"), mailkeep)).status).toBe(401);
    } finally {
      await mailkeep.stop();
    }
  });

  test.each(["\n", "\r\n"])(
    "of a file with blank lines and comments, which ends its lines with %j",
    async (end) => {
      const hash = await hashed("secret");
      const lines = ["# team", `bob:${hash}:read`, "", `eve:${hash}:write`, "\t", `#old:${hash}:admin`, ""];
      const users = usersOf({ httpAuthFile: usersFile(lines.join(end)) });
      const found = await Promise.all(["bob", "eve", "old"].map((user) => users?.(user, "secret")));
      expect(found).toEqual(["read", "write", null]);
    },
  );

  test("a role after a plain password is refused with the number of the line", () => {
    const httpAuthFile = usersFile("# team\nbob:plain:read\n");
    expect(() => usersOf({ httpAuthFile })).toThrow("line 2: a role");
  });

  test("a user given twice ends the start", () => {
    const httpAuth = [{ role: "read", pair: "ann:x" }] as const;
    const twice = () => usersOf({ httpAuth: [...httpAuth, ...httpAuth] });
    expect(twice).toThrow("given twice");
  });
});

test("--require-auth without users lets nobody in but programs with a token", async () => {
  const closed = await startWith(usersOf({ requireAuth: true }));
  const { token } = await closed.tokens.create({ name: null, role: "read", inboxes: null, expiresAt: null });
  expect((await ask("/messages", {}, closed)).status).toBe(401);
  expect((await ask("/messages", basic("ann:"), closed)).status).toBe(401);
  expect((await ask("/messages", bearer(token), closed)).status).toBe(200);
  expect((await ask("/messages", basic(`:${token}`), closed)).status).toBe(200);
  expect((await ask("/health", {}, closed)).status).toBe(200);
  await closed.stop();
});

describe("a program comes in with a token", () => {
  test("as Bearer and as a password, also on a server without users, where others see all mail", async () => {
    for (const at of [guarded, open]) {
      await at.inboxes.put("ci-42", {}, null);
      const { token } = await createToken({ name: "ci", role: "write", inbox: "ci-42" }, at);
      const caller = { name: "ci", role: "write", inboxes: ["ci-42"] };
      expect(await me(bearer(token), at)).toMatchObject(caller);
      expect(await me(basic(`anybody:${token}`), at)).toMatchObject(caller);
    }
    expect(await me({}, open)).toMatchObject({ name: null, role: "admin", inboxes: null });
  });

  test("and is refused with invalid credentials, even on a server without users", async () => {
    for (const authorization of ["Bearer x", "Bearer", "Bearer ", "Token mk_x", "mk_x", "Basic x"])
      expect((await ask("/me", { authorization }, open)).status).toBe(401);
    expect(await me(basic("proxy:secret"), open)).toMatchObject({ name: null });
  });

  test("of which only the hash is kept", async () => {
    const { token, id } = await createToken({ role: "read" });
    const stored = JSON.stringify(await guarded.store.settings("token/"));
    expect(stored).toContain(id);
    expect(stored).not.toContain(token.slice(3));
    expect(await (await ask("/tokens", basic("ann-admin:p:admin"))).text()).not.toContain(token.slice(3));
  });

  test("until it is revoked", async () => {
    const { tokens } = connect({ url: guarded.url.replace("://", "://ann-admin:p%3Aadmin@") });
    const { token, id } = await tokens.create({ role: "read", name: "short" });
    expect((await tokens.list()).find((one) => one.id === id)).toMatchObject({ name: "short", role: "read" });
    expect((await ask("/me", bearer(token))).status).toBe(200);
    await tokens.revoke(id);
    expect((await ask("/me", bearer(token))).status).toBe(401);
    expect(await tokens.revoke(id).catch(({ code }) => code)).toBe("unknown_token");
  });

  test("until it expires", async () => {
    let now = new Date("2026-11-18T10:00:00Z");
    const mailkeep = await startMailkeep({ now: () => now });
    const { token, expires_at } = await createToken({ role: "read", expires: "7d" }, mailkeep);
    expect(expires_at).toBe("2026-11-25T10:00:00.000Z");
    expect((await ask("/me", bearer(token), mailkeep)).status).toBe(200);
    now = new Date("2026-11-25T10:00:00Z");
    expect((await ask("/me", bearer(token), mailkeep)).status).toBe(401);
    expect(mailkeep.tokens.list()).toEqual([]);
    await mailkeep.stop();
  });

  test("through the client, and its WebSocket", async () => {
    const { token } = await createToken({ role: "write" });
    const inbox = connect({ url: guarded.url, token, since: "all" });
    const heard = Promise.withResolvers<string>();
    const subscription = await inbox.subscribe(({ type }) => heard.resolve(type));
    await guarded.receive(mail("Hi"));
    expect(await heard.promise).toBe("message:new");
    subscription.close();
    const refused = connect({ url: guarded.url, token: "mk_wrong" }).subscribe(() => {});
    expect(await refused.catch(({ status }) => status)).toBe(401);
  });

  test.each([
    [{ role: "owner" }, "role"],
    [{ role: "admin", inbox: "a" }, "role"],
    [{ role: "read", inboxes: [] }, "inboxes"],
    [{ role: "read", inbox: "No Name" }, "inbox"],
    [{ role: "read", expires: "soon" }, "expires"],
    [{ role: "read", expires: "2020-01-01T00:00:00Z" }, "expires"],
    [{ role: "read", expires: "2099-02-30T00:00:00Z" }, "expires"],
    [{ role: "read", inbx: "a" }, "inbx"],
  ])("%j makes no token", async (given, field) => {
    const body = { name: "test", ...given };
    const answer = await open.call("/api/v1/tokens", { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(`Field ${field} `);
  });

  test("a request without a name makes no token: nobody could tell it from others in the list", async () => {
    const { status, json } = await open.call("/api/v1/tokens", { method: "POST", body: { role: "read" } });
    expect([status, json.error]).toEqual([400, "Field name of the request body is missing."]);
  });
});

const listenWith = (headers: Record<string, string>, { url }: Mailkeep) =>
  listen(`${url}/api/v1/ws`, headers);

describe("a wait ends with its token", () => {
  test("when it is revoked", async () => {
    const { token, id } = await createToken({ role: "read" }, open);
    const waiting = ask("/messages/wait?timeout=20s", bearer(token), open);
    await me({}, open);
    await open.call(`/api/v1/tokens/${id}`, { method: "DELETE" });
    expect((await waiting).status).toBe(401);
  });

  test("when it expires", async () => {
    const { token } = await createToken({ role: "read", expires: "300ms" }, open);
    expect((await ask("/assert/count?min=1&timeout=20s", bearer(token), open)).status).toBe(401);
  });
});

describe("the WebSockets of a token are closed", () => {
  const listen = (token: string, at = open) => listenWith(bearer(token), at);

  test("when it is revoked, and no others", async () => {
    const [ended, other] = [
      await createToken({ role: "read" }, open),
      await createToken({ role: "read" }, open),
    ];
    const [{ closed }, staying] = [await listen(ended.token), await listen(other.token)];
    await open.call(`/api/v1/tokens/${ended.id}`, { method: "DELETE" });
    expect((await closed).code).toBe(4003);
    expect(await Promise.race([staying.closed, "open"])).toBe("open");
  });

  test("when it expires", async () => {
    const now = new Date();
    const mailkeep = await startMailkeep({ now: () => now });
    const { token } = await createToken({ role: "read", expires: "50ms" }, mailkeep);
    const { closed } = await listen(token, mailkeep);
    expect((await closed).code).toBe(4003);
    await mailkeep.stop();
  });

  test("when one of its inboxes is removed, and the token does not see a later inbox of that name", async () => {
    for (const inbox of ["gone", "kept"]) await open.inboxes.put(inbox, {}, null);
    const { token } = await createToken({ role: "read", inboxes: ["gone", "kept"] }, open);
    const { closed } = await listen(token);
    await open.inboxes.remove("gone");
    expect((await closed).code).toBe(4003);
    await open.inboxes.put("gone", {}, null);
    expect(await me(bearer(token), open)).toMatchObject({ inboxes: ["kept"] });
    await listen(token);
  });
});

test("a token for an inbox that does not exist is refused", async () => {
  const body = { name: "test", role: "read", inboxes: ["default", "nothing"] };
  const { status, json } = await open.call("/api/v1/tokens", { method: "POST", body });
  expect([status, json.code]).toEqual([404, "unknown_inbox"]);
});

test("tokens survive a clear of the mail and a restart of the server", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir);
  const tokens = await Tokens.open(store, () => new Date());
  const { token } = await tokens.create({ name: "ci", role: "read", inboxes: null, expiresAt: null });
  await store.clear();
  await store.close();
  const again = await openFiles(dir);
  expect((await Tokens.open(again, () => new Date())).callerOf(token)).toMatchObject({ name: "ci" });
  await again.close();
});
