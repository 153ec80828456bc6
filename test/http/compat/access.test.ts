// The interfaces of other catchers follow the same access rules as ours, below /compat and on their own ports.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import mailhogClient from "mailhog";
import { MailpitClient } from "mailpit-api";
import { type ApplicationOptions, application } from "../../../src/http/application.ts";
import type { VerifyUser } from "../../../src/http/index.ts";
import { listen } from "../support/events.ts";
import { type Mailkeep, mail, startMailkeep } from "../support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  const users: VerifyUser = async (user, password) =>
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

test("each interface is at the root of its own port", async () => {
  const { id } = await mailkeep.receive(mail("At the root"));
  expect(await mailpitFor("read").listMessages()).toMatchObject({ messages: [{ ID: id }] });
  const { hostname: host, port } = new URL(at("mailhog"));
  const mailhog = mailhogClient({ host, port: Number(port), auth: "read:secret" });
  expect((await mailhog.messages())?.items[0]?.ID).toBe(id);
  const root = await fetch(at("mailpit"), { headers: authorization("read") });
  expect(await root.text()).toContain("--http-port");
  expect((await fetch(`${at("mailpit")}/api/v1/ws`, { headers: authorization("read") })).status).toBe(404);
});

test("Mailpit's WebSocket opens at its port", async () => {
  const { socket, until } = await listen(`${at("mailpit")}/api/events`, authorization("read"));
  const [told = ""] = await until(1);
  expect(JSON.parse(told)).toMatchObject({ Type: "stats", Data: { Total: 1 } });
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

test("reading does not mark mail as read for a caller who may not change it", async () => {
  const { id } = await mailkeep.receive(mail("Looked at"));
  const isRead = async () => (await mailkeep.store.get(id))?.is_read;
  await mailpitFor("read").getMessageSummary(id);
  expect(await isRead()).toBe(false);
  await mailpitFor("write").getMessageSummary(id);
  expect(await isRead()).toBe(true);
});

test("HEAD does not mark mail as read", async () => {
  const { id } = await mailkeep.receive(mail("Only its headers"));
  const headers = authorization("write");
  const answer = await fetch(`${at("mailpit")}/api/v1/message/${id}`, { method: "HEAD", headers });
  expect(answer.status).toBe(200);
  expect((await mailkeep.store.get(id))?.is_read).toBe(false);
});

describe("a token of one inbox", () => {
  let token: string;
  let own: string;
  let other: string;
  beforeAll(async () => {
    const answer = await fetch(`${mailkeep.url}/api/v1/inboxes/ours`, {
      method: "PUT",
      headers: authorization("admin"),
      body: "{}",
    });
    ({ token } = (await answer.json()) as { token: string });
    ({ id: own } = await mailkeep.receive(mail("Ours", "our code 482913"), { inbox: "ours" }));
    ({ id: other } = await mailkeep.receive(mail("Theirs", "their code 482913")));
    await mailkeep.store.update([own], { tags: ["ours"] });
    await mailkeep.store.update([other], { tags: ["theirs"] });
  });
  const mailpit = () => new MailpitClient(at("mailpit"), { auth: { username: "ours", password: token } });
  const mailhog = () => {
    const { hostname: host, port } = new URL(at("mailhog"));
    return mailhogClient({ host, port: Number(port), auth: `ours:${token}` });
  };

  test("sees only the mail of that inbox", async () => {
    const list = await mailpit().listMessages();
    expect([list.total, list.tags, list.messages.map(({ ID }) => ID)]).toEqual([1, ["ours"], [own]]);
    expect((await mailpit().searchMessages({ query: "482913" })).messages_count).toBe(1);
    expect((await mailpit().getInfo()).Messages).toBe(1);
    expect((await mailhog().messages())?.items.map(({ ID }) => ID)).toEqual([own]);
    expect((await mailhog().search("482913"))?.total).toBe(1);
  });

  test("sends into its own inbox", async () => {
    const people = { From: { Email: "a@b.example" }, To: [{ Email: "c@d.example" }] };
    const { ID } = await mailpit().sendMessage(people);
    expect((await mailkeep.store.within(["ours"]).get(ID))?.id).toBe(ID);
  });

  test("gets events only of its own mail, and its chaos applies only to that", async () => {
    const socket = new WebSocket(`${at("mailpit").replace("http", "ws")}/api/events`, {
      headers: { authorization: `Bearer ${token}` },
    } as never);
    const subjects: string[] = [];
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    const { promise: welcomed, resolve: welcome } = Promise.withResolvers<void>();
    socket.addEventListener("message", ({ data }) => {
      const { Type, Data } = JSON.parse(String(data));
      welcome();
      if (Type === "new") subjects.push(Data.Subject);
      if (Data.Subject === "Last") resolve();
    });
    await welcomed;
    await mailkeep.receive(mail("Not ours"));
    await mailkeep.receive(mail("Last"), { inbox: "ours" });
    await heard;
    socket.close();
    expect(subjects).toEqual(["Last"]);
    await mailpit().setChaosTriggers({ Sender: { ErrorCode: 451, Probability: 50 } });
    expect(mailkeep.faults.list()).toMatchObject([{ name: "mailpit-sender", inbox: "ours" }]);
    expect((await mailpitFor("admin").getChaosTriggers()).Sender.Probability).toBe(0);
    await mailpitFor("admin").setChaosTriggers({ Sender: { ErrorCode: 451, Probability: 20 } });
    expect((await mailpit().getChaosTriggers()).Sender.Probability).toBe(50);
    await mailpitFor("admin").setChaosTriggers();
    expect(mailkeep.faults.list()).toMatchObject([{ name: "mailpit-sender", inbox: "ours" }]);
    await mailpit().setChaosTriggers();
    expect(mailkeep.faults.list()).toEqual([]);
  });
});

test("chaos and Jim of a token for several inboxes are 501", async () => {
  const ask = (method: string, path: string, body: object) =>
    fetch(`${mailkeep.url}/api/v1/${path}`, {
      method,
      headers: authorization("admin"),
      body: JSON.stringify(body),
    });
  for (const inbox of ["one", "two"]) await ask("PUT", `inboxes/${inbox}`, {});
  const made = await ask("POST", "tokens", { name: "both", role: "write", inboxes: ["one", "two"] });
  const { token } = (await made.json()) as { token: string };
  for (const path of ["mailpit/api/v1/chaos", "mailhog/api/v2/jim"]) {
    for (const method of ["GET", "PUT"]) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${mailkeep.url}/compat/${path}`, { method, headers });
      expect([answer.status, await answer.json()]).toMatchObject([501, { code: "not_translated" }]);
    }
  }
});

describe("every route asks for a role", () => {
  const routes = application({
    facts: { version: "" },
    limits: {},
    access: { allowedHosts: [], corsOrigins: [] },
    pages: [],
    basePath: "",
    store: { onChange: () => {} },
  } as unknown as ApplicationOptions).routes.filter(({ path }) => path.startsWith("/compat/"));

  test.each(routes.map(({ method, path }) => `${method} ${path}`))("%s", async (route) => {
    const [method = "", path = ""] = route.split(" ");
    const isChaos = /chaos|jim/.test(path);
    const needed = method === "GET" ? "read" : isChaos ? "admin" : "write";
    for (const [rank, role] of ["read", "write", "admin"].entries()) {
      // The unknown parameter makes an allowed request fail with 400, so that it changes nothing.
      const url = `${mailkeep.url}${path.replaceAll(/:\w+/g, "x")}?nothing=1`;
      const { status } = await fetch(url, { method, headers: authorization(role) });
      const isForbidden = rank < ["read", "write", "admin"].indexOf(needed);
      expect([role, status]).toEqual([role, isForbidden ? 403 : 400]);
    }
  });
});
