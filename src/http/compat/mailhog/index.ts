// MailHog's interface, versions 1 and 2, below /compat/mailhog, over our own parts.
import { Type } from "@sinclair/typebox";
import { decodePart } from "../../../mime/index.ts";
import { type MessageFilter, ReleaseRequest, type TlsMode } from "../../../model/index.ts";
import { attachmentNamed } from "../../content-disposition.ts";
import { UNTRUSTED_HEADERS } from "../../mail-content.ts";
import { choice, integer, query, text, withDefault } from "../../parameters.ts";
import { badRequest, known, Problem, unknownMessage } from "../../problem.ts";
import * as route from "../route.ts";
import { JIM } from "./jim.ts";
import { itemsOf } from "./shapes.ts";

const { asking, checked, done, fields, notTranslated, phraseOf, routesBelow, serveRaw } = route;

/** Version 1 knows no pages. */
const MAX_LISTED = 1000;
const page = {
  start: withDefault(0, integer("", { from: 0 })),
  limit: withDefault(50, integer("", { from: 1, to: 250 })),
};
const search = { kind: choice(["from", "to", "containing"], ""), query: withDefault("", text("")) };

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

async function pageOf(
  call: route.Call,
  filter: MessageFilter,
  { start, limit }: { start: number; limit: number },
) {
  const { messages, total } = await call.mail.list({ filter, offset: start, limit });
  const items = await itemsOf(call, messages);
  return { total, count: items.length, start, items };
}

function filterOf({ kind, query }: { kind?: string; query: string }): MessageFilter {
  const q = phraseOf(query);
  if (kind === undefined || q === undefined)
    throw badRequest("invalid_parameter", "Parameters kind and query say what to search for.");
  if (kind === "containing") return { q };
  return kind === "from" ? { sender: query } : { recipient: query };
}

async function servePart({ mail, reader, params }: route.Call): Promise<Response> {
  const { message: id = "", part: number = "" } = params;
  const raw = await known(id, mail.raw(id));
  const { root } = await known(id, reader.structure(id));
  const part = /^\d+$/.test(number) ? root.children[Number(number)] : undefined;
  if (!part) throw new Problem(404, "unknown_attachment", "The message has no part with this number.");
  return new Response(decodePart(part.encoding, raw.stream(part.start, part.end)), {
    headers: {
      ...UNTRUSTED_HEADERS,
      "content-type": part.type,
      "content-disposition": attachmentNamed(part.filename || `${id}-part-${number}`),
    },
  });
}

/** As MailHog, a password goes in the clear to this machine alone. */
function tlsFor(host: string, port: number): TlsMode {
  if (/^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/i.test(host)) return "none";
  return port === 465 ? "implicit" : "starttls";
}

async function sendOn({ mail, release, keepOpen, request, params, sent }: route.Call): Promise<Response> {
  const { host = "", port = 25, email = "", username, password } = sent(Target);
  const { id } = await known(params.message ?? "", mail.get(params.message ?? ""));
  const login = username && password ? { username, password, tls: tlsFor(host, Number(port)) } : {};
  keepOpen(request);
  await release.send(id, checked(ReleaseRequest, { host, port: Number(port), to: [email], ...login }));
  return done();
}

function noEvents(): never {
  throw notTranslated("Mailkeep has no events of MailHog's; its own WebSocket is at /api/v1/ws.");
}

const ROUTES: route.Routes = {
  "GET /v1/messages": async (call) => (await pageOf(call, {}, { start: 0, limit: MAX_LISTED })).items,
  "DELETE /v1/messages": async ({ mail }) => {
    await mail.clear();
    return done();
  },
  "GET /v1/messages/:message": async (call) => {
    const { message: id = "" } = call.params;
    const [item] = await itemsOf(call, [await known(id, call.mail.get(id))]);
    if (!item) throw unknownMessage(id);
    return item;
  },
  "DELETE /v1/messages/:message": async ({ mail, params: { message: id = "" } }) => {
    const [deleted] = await mail.delete([id]);
    if (deleted === undefined) throw unknownMessage(id);
    return done();
  },
  "GET /v1/messages/:message/download": (call) =>
    serveRaw(call, call.params.message ?? "", "message/rfc822", true),
  "GET /v1/messages/:message/mime/part/:part/download": servePart,
  "POST /v1/messages/:message/release": sendOn,
  "GET /v2/messages": asking(query(page), (call) => pageOf(call, {}, call.asked)),
  "GET /v2/search": asking(query({ ...search, ...page }), (call) => {
    call.keepOpen(call.request);
    return pageOf(call, filterOf(call.asked), call.asked);
  }),
  "GET /v2/outgoing-smtp": () => ({}),
  "GET /v2/websocket": noEvents,
  "GET /v1/events": noEvents,
};

export const mailhog = (options: route.CompatOptions) =>
  routesBelow("/compat/mailhog/api", options, { ...ROUTES, ...JIM });
