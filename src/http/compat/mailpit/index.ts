// Mailpit's interface (its version 1.30) below /compat/mailpit, over our own parts: many messages, and one by its id or as
// `latest`.
import { Type } from "@sinclair/typebox";
import { MAX_TAGS, type MessageFilter, Tag } from "../../../model/index.ts";
import { callerOf } from "../../caller.ts";
import { serveRaw } from "../../mail-content.ts";
import { htmlPolicy } from "../../modules/messages/html.ts";
import { choice, query, text, withDefault } from "../../parameters.ts";
import { badRequest, invalidField, known, Problem, unknownMessage } from "../../problem.ts";
import * as route from "../route.ts";
import { htmlCheck, linkCheck, spamCheck } from "./checks.ts";
import { filterOf, tagsLike } from "./search.ts";
import { SERVICE } from "./service.ts";
import { headersOf, messageOf, summaryOf } from "./shapes.ts";

const { asking, done, fields, notTranslated } = route;

/** Mailpit has no limit; each of them is read for its header. */
const MAX_LISTED = 1000;
const MAX_PIXELS = 50_000_000;
const MAX_IMAGE_BYTES = 32 * 1024 ** 2;

const page = route.pages(0, MAX_LISTED);
const word = withDefault("", text(""));
const flag = choice(["1", "0", "true", "false"], "");
/** `query` and `tz` are for `latest`: the latest that a search finds. */
const OF_ONE = query({ query: word, tz: word, dl: flag, follow: flag, embed: flag });
type Wanted = route.AskedOf<typeof OF_ONE>;

const Ids = fields({ IDs: Type.Array(Type.String()) });
const ReadStatus = fields({ ...Ids.properties, Read: Type.Boolean(), Search: Type.String() });
const Tagged = fields({ ...Ids.properties, Tags: Type.Array(Tag, { maxItems: MAX_TAGS }) });
const Renamed = Type.Object({ Name: Tag }, { additionalProperties: false });
const Address = Type.String({ pattern: "@.", description: "an address" });
const Recipients = Type.Object({ To: Type.Array(Address) }, { additionalProperties: false });

const tagNames = async ({ mail }: route.Call) => (await mail.tags()).map(({ tag }) => tag);

async function listOf(call: route.Call<{ start: number; limit: number }>, filter: MessageFilter = {}) {
  const { mail, asked } = call;
  const { start, limit } = asked;
  const { messages, total } = await mail.list({ filter, offset: start, limit: limit || MAX_LISTED });
  const stats = await mail.stats();
  const shown = await Promise.all(messages.map((message) => summaryOf(call, message)));
  const found = shown.filter((message) => message !== null);
  return {
    total: stats.messages,
    unread: stats.unread,
    count: found.length,
    messages_count: total,
    messages_unread: await mail.count({ ...filter, unread: true }),
    start,
    tags: await tagNames(call),
    messages: found,
  };
}

async function wanted({ mail, keepOpen, request }: route.Call, typed: string, tz: string) {
  keepOpen(request);
  const filter = await filterOf(mail, typed, tz);
  if (Object.keys(filter).length > 0) return filter;
  throw badRequest("invalid_parameter", "There is nothing to search for: parameter query has no words.");
}

async function allIds({ mail }: route.Call, filter: MessageFilter): Promise<string[]> {
  const all: string[] = [];
  for (let ids = await mail.walk(filter); ids.length > 0; ) {
    all.push(...ids);
    ids = await mail.walk(filter, { after: all.at(-1) ?? "" });
  }
  return all;
}

/** One by one: each keeps its other tags. */
async function replaceTag(call: route.Call, others: readonly string[]): Promise<Response> {
  const { mail, params } = call;
  const replaced = await tagsLike(mail, params.tag ?? "");
  for (const id of replaced.length === 0 ? [] : await allIds(call, { tags: replaced })) {
    const { tags = [] } = (await mail.get(id)) ?? {};
    const kept = tags.flatMap((name) => (replaced.includes(name) ? others : [name]));
    await mail.update([id], { tags: [...new Set(kept)] });
  }
  return done("ok");
}

/** One that the caller may see. */
async function idOf({ mail, asked }: route.Call<Wanted>, given: string): Promise<string> {
  if (given !== "latest") return (await known(given, mail.get(given))).id;
  const filter = await filterOf(mail, asked.query, asked.tz);
  const [latest] = (await mail.list({ filter, offset: 0, limit: 1 })).messages;
  if (!latest) throw unknownMessage(given);
  return latest.id;
}

const byId = (does: (call: route.Call<Wanted>, id: string) => unknown) =>
  asking(OF_ONE, async (call) => does(call, await idOf(call, call.params.message ?? "")));

async function partOf({ reader, params }: route.Call, id: string) {
  const { found } = await known(id, reader.attachments(id));
  const file = found.find(({ attachment }) => attachment.id === params.part);
  if (!file) throw new Problem(404, "unknown_attachment", "The message has no part with this id.");
  return { ...file.attachment, content: await known(id, reader.open(id, file)) };
}

async function servePart(call: route.Call, id: string): Promise<Response> {
  const { content, content_type, filename } = await partOf(call, id);
  const answer = route.serve(content, content_type, filename);
  // Images of a page in a sandbox, whose origin is nobody's.
  answer.headers.set("cross-origin-resource-policy", "cross-origin");
  return answer;
}

async function serveThumbnail(call: route.Call, id: string): Promise<Response> {
  const { content, content_type, size } = await partOf(call, id);
  if (!content_type.startsWith("image/") || size > MAX_IMAGE_BYTES)
    throw notTranslated("Thumbnails are made of images of at most 32 MiB.");
  const image = new Bun.Image(await new Response(content).bytes(), { maxPixels: MAX_PIXELS });
  const small = image.resize(180, 120, { fit: "inside", withoutEnlargement: true });
  const jpeg = small.jpeg({ quality: 70 }).blob();
  return route.serve(
    await jpeg.catch(() => {
      throw notTranslated("This image cannot be read, or has too many pixels.");
    }),
    "image/jpeg",
  );
}

/** References to its own images lead to them, from below `/view` at any root. */
async function htmlOf({ reader }: route.Call, id: string): Promise<string> {
  const { found } = await known(id, reader.attachments(id));
  const { html_body: html } = await known(id, reader.bodies(id));
  if (html === "") throw new Problem(404, "no_html", "This message has no HTML.");
  const parts = new Map(found.map(({ contentId, attachment }) => [contentId, attachment.id]));
  return html.replace(/cid:([^\s"'<>)]+)/gi, (written, contentId: string) => {
    const part = parts.get(contentId);
    return part === undefined ? written : `../api/v1/message/${id}/part/${part}`;
  });
}

async function view(call: route.Call<Wanted>): Promise<Response> {
  const [, name = "", kind = "html"] = /^(.+?)(?:\.(html|txt))?$/.exec(call.params.file ?? "") ?? [];
  const id = await idOf(call, name);
  const isHtml = kind === "html";
  const shown = isHtml ? await htmlOf(call, id) : (await known(id, call.reader.bodies(id))).text_body;
  const type = `text/${isHtml ? "html" : "plain"}; charset=utf-8`;
  const headers = { "content-security-policy": htmlPolicy(true), "cache-control": "no-store" };
  return new Response(shown, { headers: { ...headers, "content-type": type } });
}

const ROUTES: route.Routes = {
  "GET /api/v1/messages": asking(query(page), (call) => listOf(call)),
  "GET /api/v1/search": asking(query({ query: word, tz: word, ...page }), async (call) =>
    listOf(call, await wanted(call, call.asked.query, call.asked.tz)),
  ),
  "PUT /api/v1/messages": asking(query({ tz: word }), async (call) => {
    const { IDs = [], Read = false, Search = "" } = call.sent(ReadStatus);
    if (IDs.length > 0 && Search !== "") throw invalidField("Search", "cannot stand beside IDs");
    const filter = Search === "" ? {} : await wanted(call, Search, call.asked.tz);
    await call.mail.update(IDs.length > 0 ? IDs : await allIds(call, filter), { is_read: Read });
    return done("ok");
  }),
  "DELETE /api/v1/messages": async ({ mail, sent }) => {
    const { IDs = [] } = sent(Ids);
    await (IDs.length > 0 ? mail.delete(IDs) : mail.clear());
    return done("ok");
  },
  "DELETE /api/v1/search": asking(query({ query: word, tz: word }), async (call) => {
    await call.mail.deleteMatching(await wanted(call, call.asked.query, call.asked.tz));
    return done("ok");
  }),
  "GET /api/v1/tags": tagNames,
  "PUT /api/v1/tags": async ({ mail, sent }) => {
    const { IDs = [], Tags = [] } = sent(Tagged);
    await mail.update(IDs, { tags: [...new Set(Tags)] });
    return done("ok");
  },
  "PUT /api/v1/tags/:tag": (call) => replaceTag(call, [call.sent(Renamed).Name]),
  "DELETE /api/v1/tags/:tag": (call) => replaceTag(call, []),
  "GET /api/v1/message/:message": byId(async (call, id) => {
    const found = await messageOf(call, id);
    // A reader changes nothing.
    if (callerOf(call.request).role !== "read") await call.mail.update([id], { is_read: true });
    return found;
  }),
  "GET /api/v1/message/:message/headers": byId(headersOf),
  "GET /api/v1/message/:message/raw": byId(({ request, mail, asked }, id) =>
    serveRaw(request, mail, id, { type: "text/plain; charset=utf-8", isFile: asked.dl === "1" }),
  ),
  "GET /api/v1/message/:message/part/:part": byId(servePart),
  "GET /api/v1/message/:message/part/:part/thumb": byId(serveThumbnail),
  "POST /api/v1/message/:message/release": byId(async (call, id) => {
    const { To: to } = call.sent(Recipients);
    if (!call.release.hasRelay)
      throw badRequest("invalid_body", "There is no server to release to: start Mailkeep with --relay.");
    await route.sendOn(call, id, { to });
    return done("ok");
  }),
  "GET /api/v1/message/:message/html-check": byId(htmlCheck),
  "GET /api/v1/message/:message/link-check": byId(linkCheck),
  "GET /api/v1/message/:message/sa-check": byId(spamCheck),
  "GET /": () =>
    done("Mailkeep answers here as Mailpit's API does, below /api/v1. Its page is at --http-port."),
  "GET /view/:file": asking(OF_ONE, view),
  // Some clients write two slashes, which Mailpit sends on to one.
  "GET //view/:file": asking(OF_ONE, ({ params: { file = "" }, request }) => {
    const location = `../../view/${encodeURIComponent(file)}${new URL(request.url).search}`;
    return new Response(null, { status: 301, headers: { location } });
  }),
  ...SERVICE,
};

export const mailpit = (options: route.CompatOptions) =>
  route.routesBelow("/compat/mailpit", options, ROUTES);
