// The token of one inbox reveals nothing of another inbox: ids of the other inbox get the same answers as unknown ids,
// in the same time. This holds for every operation, the interfaces of other catchers and the tools of agents.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SessionTranscript } from "../../src/app/index.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { listen } from "./support/events.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { operationsOf } from "./support/openapi.ts";

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
}
type Ids = Readonly<Record<string, string>>;

const UNKNOWN: Ids = {
  id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  aid: "01ARZ3NDEKTSV4RRFFQ69G5FAW",
  rid: "01ARZ3NDEKTSV4RRFFQ69G5FAX",
  cid: "missing-cid",
  name: "missing-rule",
  inbox: "missing-inbox",
  tid: "0000000000000000",
};
/** A word in the mails, tags, faults and rejections of the other inbox. */
const SECRET = "zebra";
const B = "quokka";

let mailkeep: Mailkeep;
let token: string;
let others: Ids;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
let document: any;
let before: Map<string, string>;

const asA = () => ({ authorization: `Bearer ${token}` });

async function answerTo(method: string, path: string, ids: Ids, body?: unknown) {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? name);
  const query = path.endsWith("/wait") ? "?timeout=1ms" : "";
  const response = await fetch(`${mailkeep.url}${at}${query}`, {
    method: method.toUpperCase(),
    headers: { ...asA(), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** The operation's example of a body, with this message id instead of the example's. */
function bodyOf({ requestBody }: Operation, ids: Ids): unknown {
  const schema = requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return undefined;
  const name = schema.$ref?.split("/").at(-1) ?? "";
  const example = (schema.$ref ? document.components.schemas[name] : schema).examples?.[0] ?? {};
  const exampleId = document.components.schemas.MessageSummary.examples[0].id;
  return JSON.parse(JSON.stringify(example).replaceAll(exampleId, ids.id ?? ""));
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly bodyFor: (ids: Ids) => unknown;
}

/** The operations that answer differently for existing and unknown ids. */
async function differing(operations: readonly Asked[]): Promise<string[]> {
  const found: string[] = [];
  for (const { method, path, bodyFor } of operations) {
    const there = await answerTo(method, path, others, bodyFor(others));
    const missing = await answerTo(method, path, UNKNOWN, bodyFor(UNKNOWN));
    const isSame =
      there.status === missing.status && comparable(there.text, others) === comparable(missing.text, UNKNOWN);
    // If both requests create a mail, the answers contain different new ids.
    const isOwn = there.status === 201 && missing.status === 201;
    if (!isSame && !isOwn) found.push(`${method} ${path}: ${there.status} ${there.text}`);
    expect([path, comparable(there.text, others).includes(SECRET)]).toEqual([path, false]);
  }
  return found;
}

/** Replaces these ids by their names and removes times, so that answers can be compared. */
const comparable = (text: string, ids: Ids) =>
  Object.entries(ids)
    .reduce((shown, [name, value]) => shown.replaceAll(value, `<${name}>`), text)
    .replace(/"(time|uptime_seconds|waited_ms)":("[^"]*"|\d+)/g, "");

const parameterless = () =>
  operationsOf<Operation>(document).filter(({ method, path }) => method === "get" && !path.includes("{"));

async function overview(): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const { method, path } of parameterless()) {
    const { status, text } = await answerTo(method, path, {});
    seen.set(path, `${status} ${comparable(text, {})}`);
  }
  return seen;
}

/** The state of inbox B as an administrator sees it. Requests with A's token must not change it. */
async function stateOfB(): Promise<unknown> {
  const ask = async (path: string) => (await fetch(`${mailkeep.url}/api/v1/inboxes/${B}${path}`)).json();
  const paths = ["/messages", "/tags", "/faults", "/rejections", `/messages/${others.id}`];
  return [await Promise.all(paths.map(ask)), mailkeep.tokens.list(), await mailkeep.inboxes.list([B])];
}

beforeAll(async () => {
  mailkeep = await startMailkeep();
  document = (await mailkeep.call("/api/v1/openapi.json")).json;
  token = (await mailkeep.inboxes.put("a", {}, null)).token ?? "";
  await mailkeep.receive(mail("mine"), { inbox: "a" });
  before = await overview();

  await mailkeep.inboxes.put(B, {}, null);
  const parts = ["--b", "Content-Type: image/png", "Content-ID: <quokka-logo>", "", "PNG", "--b--"];
  const { id } = await mailkeep.receive(
    mail(SECRET, parts.join("\r\n"), ["Content-Type: multipart/mixed; boundary=b", `X-Secret: ${SECRET}`]),
    { inbox: B, sender: `${SECRET}@x.test`, recipients: [`${SECRET}@x.test`] },
  );
  await mailkeep.receive(mail(`${SECRET} two`), { inbox: B });
  await mailkeep.store.update([id], { tags: [SECRET], is_starred: true });
  mailkeep.faults.add({ name: SECRET, at: "rcpt", reply: { code: 450 } }, [B]);
  const refusal = { stage: "rcpt", sender: "", recipients: [] } as const;
  mailkeep.transcripts.refuse(new SessionTranscript("127.0.0.1"), `550 ${SECRET}`, refusal, B);
  const attachments = await mailkeep.reader.attachments(id);
  others = {
    id,
    aid: attachments?.found[0]?.attachment.id ?? "",
    rid: mailkeep.transcripts.rejections(1).rejections[0]?.id ?? "",
    cid: "quokka-logo",
    name: SECRET,
    inbox: B,
    tid: mailkeep.tokens.list().find(({ inboxes }) => inboxes?.includes(B))?.id ?? "",
  };
});
afterAll(() => mailkeep.stop());

test("lists and counts are the same as before there was any other mail", async () => {
  expect(parameterless().length).toBeGreaterThan(15);
  const now = await overview();
  for (const [path, answer] of before) expect([path, now.get(path)]).toEqual([path, answer]);
});

test("every operation answers for the other inbox as for unknown ids, and changes nothing there", async () => {
  const state = await stateOfB();
  const operations = operationsOf<Operation>(document);
  expect(operations.length).toBeGreaterThan(80);
  const asked = operations.map(({ method, path, operation }) => ({
    method,
    path,
    bodyFor: (ids: Ids) => bodyOf(operation, ids),
  }));
  expect(await differing(asked)).toEqual([]);
  expect(await stateOfB()).toEqual(state);
});

const MAILPIT = "/compat/mailpit/api/v1";
const MAILHOG = "/compat/mailhog/api";
const COMPAT: readonly (readonly [method: string, path: string, bodyFor?: (ids: Ids) => unknown])[] = [
  ["get", `${MAILPIT}/messages`],
  ["get", `${MAILPIT}/search?query=${SECRET}`],
  ["get", `${MAILPIT}/tags`],
  ["get", `${MAILPIT}/chaos`],
  ["get", `${MAILPIT}/message/{id}`],
  ["get", `${MAILPIT}/message/{id}/headers`],
  ["get", `${MAILPIT}/message/{id}/raw`],
  ["get", `${MAILPIT}/message/{id}/part/{aid}`],
  ["get", `${MAILPIT}/message/{id}/part/{aid}/thumb`],
  ["get", `${MAILPIT}/message/{id}/html-check`],
  ["get", `${MAILPIT}/message/{id}/link-check`],
  ["get", `${MAILPIT}/message/{id}/sa-check`],
  ["get", "/compat/mailpit/view/{id}.html"],
  ["get", "/compat/mailpit/view/{id}.txt"],
  ["post", `${MAILPIT}/message/{id}/release`, () => ({ To: ["a@b.example"] })],
  ["put", `${MAILPIT}/messages`, ({ id }) => ({ IDs: [id], Read: true })],
  ["put", `${MAILPIT}/messages`, () => ({ Read: true })],
  ["put", `${MAILPIT}/tags`, ({ id }) => ({ IDs: [id], Tags: ["stolen"] })],
  ["delete", `${MAILPIT}/tags/${SECRET}`],
  ["delete", `${MAILPIT}/messages`, ({ id }) => ({ IDs: [id] })],
  ["delete", `${MAILPIT}/search?query=${SECRET}`],
  ["get", `${MAILHOG}/v2/messages`],
  ["get", `${MAILHOG}/v2/search?kind=from&query=${SECRET}`],
  ["get", `${MAILHOG}/v1/messages/{id}`],
  ["get", `${MAILHOG}/v1/messages/{id}/download`],
  ["get", `${MAILHOG}/v1/messages/{id}/mime/part/0/download`],
  ["delete", `${MAILHOG}/v1/messages/{id}`],
  ["delete", `${MAILHOG}/v1/messages`],
];

test("the Mailpit and MailHog APIs are isolated, too", async () => {
  const state = await stateOfB();
  const asked = COMPAT.map(([method, path, bodyFor = () => undefined]) => ({ method, path, bodyFor }));
  expect(await differing(asked)).toEqual([]);
  expect(await stateOfB()).toEqual(state);
});

test("the tools of agents are isolated, too", async () => {
  const state = await stateOfB();
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: asA() };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${mailkeep.url}/mcp`), { requestInit }));
  const answer = async (name: string, given: Record<string, unknown>) =>
    JSON.stringify(await client.callTool({ name, arguments: given }));
  const tools: [string, (ids: Ids) => Record<string, unknown>][] = [
    ...["read_mail", "get_codes", "get_links", "check_mail"].flatMap((name): typeof tools => [
      [name, ({ id }) => ({ id })],
      [name, ({ inbox }) => ({ inbox })],
    ]),
    ["search_mails", () => ({ q: SECRET })],
    ["list_mails", ({ inbox }) => ({ inbox })],
    ["wait_for_mail", () => ({ q: SECRET, timeout: "1ms" })],
    ["clear_mails", ({ inbox }) => ({ inbox, all: true })],
    ["clear_mails", () => ({ all: true })],
  ];
  for (const [name, given] of tools) {
    const there = comparable(await answer(name, given(others)), others);
    expect([name, there]).toEqual([name, comparable(await answer(name, given(UNKNOWN)), UNKNOWN)]);
  }
  await client.close();
  expect(await stateOfB()).toEqual(state);
});

const TRIES = 15;
const ATTEMPTS = 4;
/** Differences up to this are noise. Reading one of the mails takes several times as long. */
const NOISE_MS = 3;
const LINE = `${SECRET} <a href="https://x.test/1">https://x.test/2</a>\r\n`;

/** Stores mails that take long to read. They must be new, because a second read is faster. */
async function unread(): Promise<string[]> {
  const raw = mail(SECRET, LINE.repeat(2000), ["Content-Type: text/html"]);
  const received = Array.from({ length: TRIES }, () => mailkeep.receive(raw, { inbox: B }));
  return (await Promise.all(received)).map(({ id }) => id);
}

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

/** Returns the median times for existing and for unknown ids, measured in turn. */
async function mediansOf(path: string, mails: readonly string[]): Promise<[number, number]> {
  const timed = async (ids: Ids) => {
    const began = cpuMs();
    await answerTo("get", path, ids);
    return cpuMs() - began;
  };
  const there: number[] = [];
  const missing: number[] = [];
  for (const id of mails) {
    there.push(await timed({ ...others, id }));
    missing.push(await timed(UNKNOWN));
  }
  return [median(there), median(missing)];
}

test("existing ids take as long as unknown ones", async () => {
  const paths = operationsOf<Operation>(document)
    .filter(({ method, path }) => method === "get" && path.includes("{id}") && !path.includes("{inbox}"))
    .map(({ path }) => path);
  const compat = COMPAT.flatMap(([method, path]) => (method === "get" && path.includes("{id}") ? path : []));
  expect(paths.length).toBeGreaterThan(10);
  let mails = await unread();
  for (const path of [...paths, ...compat]) {
    const tried: string[] = [];
    let isAlike = false;
    for (let attempt = 0; attempt < ATTEMPTS && !isAlike; attempt++) {
      if (attempt > 0) mails = await unread();
      const [there, missing] = await mediansOf(path, mails);
      tried.push(`${there.toFixed(2)} ms, unknown ${missing.toFixed(2)} ms`);
      isAlike = Math.abs(there - missing) < Math.max(NOISE_MS, Math.min(there, missing));
    }
    expect([path, isAlike ? [] : tried]).toEqual([path, []]);
  }
});

test("the routes of the other inbox do not exist for the token, and operations on all mail are refused", async () => {
  for (const path of ["/metrics", "/api/v1/webhooks", "/api/v1/tokens"])
    expect([path, (await answerTo("get", path, {})).status]).toEqual([path, 403]);
  expect((await answerTo("get", `/api/v1/inboxes/${B}/messages`, {})).status).toBe(404);
  expect((await answerTo("get", "/api/v1/inboxes/a/messages", {})).status).toBe(200);
  expect((await answerTo("delete", "/api/v1/inboxes/a", {})).status).toBe(403);
});

test("a WebSocket gets only its own events, with numbers without gaps", async () => {
  const { socket, until } = await listen(`${mailkeep.url}/api/v1/ws?resume=true`, asA());
  const first = await mailkeep.receive(mail("first"), { inbox: "a" });
  const { id } = await mailkeep.receive(mail(SECRET), { inbox: B });
  await mailkeep.store.update([id, first.id], { is_read: true });
  await mailkeep.store.delete([id]);
  await mailkeep.store.within([B]).clear();
  await mailkeep.store.within(["a"]).clear();
  const [added, read, cleared] = (await until(3)).map((frame) => JSON.parse(frame));
  const { seq } = added;
  expect([added, read, cleared]).toEqual([
    { type: "message:new", data: first, seq },
    { type: "message:read", data: { id: first.id, is_read: true }, seq: seq + 1 },
    { type: "messages:clear", seq: seq + 2 },
  ]);
  socket.close();
});
