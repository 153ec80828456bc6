// The interfaces of other catchers keep to the same rules as ours, below /compat and at ports of their own.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import mailhogClient from "mailhog";
import { MailpitClient } from "mailpit-api";
import { type ApplicationOptions, application } from "../../../src/http/application.ts";
import { type Mailkeep, mail, startMailkeep } from "../support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  const users = async (user: string, password: string) =>
    password === "secret" && (user === "read" || user === "write" || user === "admin") ? user : null;
  mailkeep = await startMailkeep({
    http: { access: { allowedHosts: [], corsOrigins: [], users }, compatPorts: { mailpit: 0, mailhog: 0 } },
  });
});
afterAll(() => mailkeep.stop());

const authorization = (user: string) => ({ authorization: `Basic ${btoa(`${user}:secret`)}` });
const below = (name: string) => `${mailkeep.url}/compat/${name}`;
const at = (name: string) => mailkeep.server.compatUrls[name] ?? "";
const mailpitFor = (user: string, url = at("mailpit")) =>
  new MailpitClient(url, { auth: { username: user, password: "secret" } });

test("each is at the root of its own port", async () => {
  const { id } = await mailkeep.receive(mail("At the root"));
  expect(await mailpitFor("read").listMessages()).toMatchObject({ messages: [{ ID: id }] });
  const { hostname: host, port } = new URL(at("mailhog"));
  const mailhog = mailhogClient({ host, port: Number(port), auth: "read:secret" });
  expect((await mailhog.messages())?.items[0]?.ID).toBe(id);
  expect((await fetch(`${at("mailpit")}/api/v1/ws`, { headers: authorization("read") })).status).toBe(404);
});

test("Mailpit's WebSocket opens at its port", async () => {
  const socket = new WebSocket(`${at("mailpit").replace("http", "ws")}/api/events`, {
    headers: authorization("read"),
  } as never);
  const { promise: told, resolve, reject } = Promise.withResolvers<unknown>();
  socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data))));
  socket.addEventListener("error", reject);
  expect(await told).toMatchObject({ Type: "stats", Data: { Total: 1 } });
  socket.close();
});

test("Mailpit's probes are answered without credentials, everything else is not", async () => {
  expect((await fetch(`${at("mailpit")}/livez`)).status).toBe(200);
  expect((await fetch(`${at("mailpit")}/readyz`)).status).toBe(200);
  for (const url of [at("mailpit"), below("mailpit")])
    await expect(new MailpitClient(url).listMessages()).rejects.toThrow("401");
  for (const url of [at("mailhog"), below("mailhog")])
    expect((await fetch(`${url}/api/v2/messages`)).status).toBe(401);
});

test("a page from elsewhere cannot delete", async () => {
  const headers = { ...authorization("write"), origin: "https://evil.example" };
  const answer = await fetch(`${at("mailpit")}/api/v1/messages`, { method: "DELETE", headers });
  expect(answer.status).toBe(403);
});

test("reading does not mark as read what the caller may not change", async () => {
  const { id } = await mailkeep.receive(mail("Looked at"));
  const isRead = async () => (await mailkeep.store.get(id))?.is_read;
  await mailpitFor("read").getMessageSummary(id);
  expect(await isRead()).toBe(false);
  await mailpitFor("write").getMessageSummary(id);
  expect(await isRead()).toBe(true);
});

describe("every route asks for a role", () => {
  const routes = application({
    facts: { version: "" },
    limits: {},
    access: { allowedHosts: [], corsOrigins: [] },
    pages: [],
    basePath: "",
    bus: { subscribe: () => {} },
  } as unknown as ApplicationOptions).routes.filter(({ path }) => path.startsWith("/compat/"));

  test.each(routes.map(({ method, path }) => `${method} ${path}`))("%s", async (route) => {
    const [method = "", path = ""] = route.split(" ");
    const isChaos = /chaos|jim/.test(path);
    const needed = method === "GET" ? "read" : isChaos ? "admin" : "write";
    for (const [rank, role] of ["read", "write", "admin"].entries()) {
      // A change of nothing: what is let in is refused for its query.
      const url = `${mailkeep.url}${path.replaceAll(/:\w+/g, "x")}?nothing=1`;
      const { status } = await fetch(url, { method, headers: authorization(role) });
      const isForbidden = rank < ["read", "write", "admin"].indexOf(needed);
      expect([role, status]).toEqual([role, isForbidden ? 403 : 400]);
    }
  });
});
