// MailHog's interface, versions 1 and 2, below /compat/mailhog, over our own parts. Headers and bodies are as they were
// sent, still encoded.
import { Type } from "@sinclair/typebox";
import { decodePart, type MimePart } from "../../../mime/index.ts";
import type { MessageFilter, MessageSummary, TlsMode } from "../../../model/index.ts";
import { serveRaw } from "../../mail-content.ts";
import { choice, query, text, withDefault } from "../../parameters.ts";
import { badRequest, known, Problem, unknownMessage } from "../../problem.ts";
import * as route from "../route.ts";
import { JIM } from "./jim.ts";

const { asking, done, fields, notTranslated, routesBelow, valuesOf } = route;

/** Version 1 knows no pages. */
const MAX_LISTED = 1000;
/** Each mail is in the answer whole, more than once. */
const MAX_BYTES = 16 * 1024 ** 2;
const MAX_SEARCHED = 10_000;
const PAGE = query(route.pages(1, 250));
const SEARCH = query({
  ...route.pages(1, 250),
  kind: choice(["from", "to", "containing"], ""),
  query: withDefault("", text("")),
});
type Page = route.AskedOf<typeof PAGE>;

const word = Type.String();
const Target = fields({
  host: word,
  port: Type.Union([word, Type.Integer()]),
  email: word,
  name: word,
  save: Type.Boolean(),
  username: word,
  password: word,
  mechanism: word,
});

async function listed(call: route.Call, { start, limit }: Page, filter: MessageFilter = {}) {
  const { messages, total } = await call.mail.list({ filter, offset: start, limit });
  const items = await itemsOf(call, messages);
  return { total, count: items.length, start, items };
}

/** In the envelope or in the header, as MailHog finds people. */
async function withPeople(call: route.Call, { start, limit }: Page, ways: readonly MessageFilter[]) {
  if (start > MAX_SEARCHED)
    throw badRequest("invalid_parameter", `A search by people shows the newest ${MAX_SEARCHED}.`);
  const asked = ways.map((filter) => call.mail.list({ filter, offset: 0, limit: start + limit }));
  const found = await Promise.all(asked);
  const both = await call.mail.count(Object.assign({}, ...ways));
  const byId = new Map(found.flatMap(({ messages }) => messages).map((message) => [message.id, message]));
  const newest = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = await itemsOf(call, newest.slice(start, start + limit));
  return { total: found.reduce((sum, { total }) => sum + total, -both), count: items.length, start, items };
}

function find(call: route.Call<route.AskedOf<typeof SEARCH>>) {
  const { kind, query } = call.asked;
  const q = route.phraseOf(query);
  if (kind === undefined || q === undefined)
    throw badRequest("invalid_parameter", "Parameters kind and query say what to search for.");
  call.keepOpen(call.request);
  if (kind === "containing") return listed(call, call.asked, { q });
  const isFrom = kind === "from";
  const envelope = isFrom ? { sender: query } : { recipient: query };
  return withPeople(call, call.asked, [envelope, isFrom ? { header_from: query } : { header_to: query }]);
}

async function itemsOf(call: route.Call, messages: readonly MessageSummary[]) {
  const bytes = messages.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) {
    const sentence = `These messages have more than ${MAX_BYTES} bytes together: ask for fewer with limit, or for their /download.`;
    throw new Problem(413, "message_too_large", sentence);
  }
  const items = await Promise.all(messages.map((message) => itemOf(call, message)));
  return items.filter((item) => item !== null);
}

/** Null when it was deleted in the meantime. */
async function itemOf({ mail, reader }: route.Call, { id, sender, recipients, created_at }: MessageSummary) {
  const [raw, structure] = await Promise.all([mail.raw(id), reader.structure(id)]);
  if (!raw || !structure) return null;
  const bytes = Buffer.from(await raw.bytes());
  const content = contentOf(structure.root, bytes);
  return {
    ID: id,
    From: pathOf(sender),
    To: recipients.map(pathOf),
    Content: { ...content, Size: raw.size, MIME: null },
    Created: created_at,
    MIME: content.MIME,
    Raw: { From: sender, To: recipients, Data: bytes.toString(), Helo: "" },
  };
}

function pathOf(address: string) {
  const [, Mailbox = address, Domain = ""] = /^(.*)@(.*)$/s.exec(address) ?? [];
  return { Relays: null, Mailbox, Domain, Params: "" };
}

interface Content {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  readonly Size: number;
  readonly MIME: { readonly Parts: readonly Content[] } | null;
}

function contentOf({ fields, start, end, children }: MimePart, bytes: Buffer): Content {
  return {
    Headers: valuesOf(fields, ({ name }) => name),
    Body: bytes.toString("utf8", start, end),
    Size: end - start,
    MIME: children.length === 0 ? null : { Parts: children.map((part) => contentOf(part, bytes)) },
  };
}

async function servePart({ mail, reader, params }: route.Call): Promise<Response> {
  const { message: id = "", part: number = "" } = params;
  const raw = await known(id, mail.raw(id));
  const { root } = await known(id, reader.structure(id));
  const part = /^\d+$/.test(number) ? root.children[Number(number)] : undefined;
  if (!part) throw new Problem(404, "unknown_attachment", "The message has no part with this number.");
  const content = decodePart(part.encoding, raw.stream(part.start, part.end));
  return route.serve(content, part.type, part.filename || `${id}-part-${number}`);
}

/** As MailHog, a password goes in the clear to this machine alone. */
function tlsFor(host: string, port: number): TlsMode {
  if (/^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/i.test(host)) return "none";
  return port === 465 ? "implicit" : "starttls";
}

async function release(call: route.Call): Promise<Response> {
  const { message: given = "" } = call.params;
  const { host = "", port = 25, email = "", username, password } = call.sent(Target);
  const { id } = await known(given, call.mail.get(given));
  const login = username && password ? { username, password, tls: tlsFor(host, Number(port)) } : {};
  await route.sendOn(call, id, { host, port: Number(port), to: [email], ...login });
  return done();
}

function noEvents(): never {
  throw notTranslated("Mailkeep has no events of MailHog's; its own WebSocket is at /api/v1/ws.");
}

const ROUTES: route.Routes = {
  "GET /v1/messages": async (call) => (await listed(call, { start: 0, limit: MAX_LISTED })).items,
  "DELETE /v1/messages": async ({ mail }) => {
    await mail.clear();
    return done();
  },
  "GET /v1/messages/:message": async (call) => {
    const { message: id = "" } = call.params;
    const [item = null] = await itemsOf(call, [await known(id, call.mail.get(id))]);
    return known(id, Promise.resolve(item));
  },
  "DELETE /v1/messages/:message": async ({ mail, params: { message: id = "" } }) => {
    const [deleted] = await mail.delete([id]);
    if (deleted === undefined) throw unknownMessage(id);
    return done();
  },
  "GET /v1/messages/:message/download": ({ request, mail, params: { message: id = "" } }) =>
    serveRaw(request, mail, id),
  "GET /v1/messages/:message/mime/part/:part/download": servePart,
  "POST /v1/messages/:message/release": release,
  "GET /v2/messages": asking(PAGE, (call) => listed(call, call.asked)),
  "GET /v2/search": asking(SEARCH, find),
  "GET /v2/outgoing-smtp": () => ({}),
  "GET /v2/websocket": noEvents,
  "GET /v1/events": noEvents,
  ...JIM,
};

export const mailhog = (options: route.CompatOptions) => routesBelow("/compat/mailhog/api", options, ROUTES);
