// Mailpit's routes for many messages: lists, searches, read status, tags, and deleting.
import { Type } from "@sinclair/typebox";
import { MAX_TAGS, type MessageFilter, Tag } from "../../../model/index.ts";
import { integer, query, text, withDefault } from "../../parameters.ts";
import { badRequest, invalidField } from "../../problem.ts";
import { asking, type Call, done, fields, type Routes } from "../route.ts";
import { filterOf } from "./search.ts";
import { summaryOf } from "./shapes.ts";

/** Mailpit has no limit; each of them is read for its header. */
const MAX_LISTED = 1000;
const page = {
  start: withDefault(0, integer("", { from: 0 })),
  limit: withDefault(50, integer("", { from: 0, to: MAX_LISTED })),
};
const zone = { tz: withDefault("", text("")) };
const search = { ...zone, query: withDefault("", text("")) };

const Ids = fields({ IDs: Type.Array(Type.String()) });
const ReadStatus = fields({ ...Ids.properties, Read: Type.Boolean(), Search: Type.String() });
const Tagged = fields({ ...Ids.properties, Tags: Type.Array(Tag, { maxItems: MAX_TAGS }) });
const Renamed = Type.Object({ Name: Tag }, { additionalProperties: false });

const tagNames = async ({ mail }: Pick<Call, "mail">) => (await mail.tags()).map(({ tag }) => tag);

async function listOf(call: Call, filter: MessageFilter, { start, limit }: { start: number; limit: number }) {
  const { mail } = call;
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

function wanted({ query, tz }: { query: string; tz: string }): MessageFilter {
  const filter = filterOf(query, tz);
  if (Object.keys(filter).length > 0) return filter;
  throw badRequest("invalid_parameter", "There is nothing to search for: parameter query has no words.");
}

async function allIds({ mail }: Call, filter: MessageFilter): Promise<string[]> {
  const all: string[] = [];
  for (let ids = await mail.walk(filter); ids.length > 0; ) {
    all.push(...ids);
    ids = await mail.walk(filter, { after: all.at(-1) ?? "" });
  }
  return all;
}

/** One by one: each keeps its other tags. */
async function replaceTag(call: Call, tag: string, others: readonly string[]): Promise<Response> {
  for (const id of await allIds(call, { tags: [tag] })) {
    const { tags = [] } = (await call.mail.get(id)) ?? {};
    const kept = tags.flatMap((name) => (name === tag ? others : [name]));
    await call.mail.update([id], { tags: [...new Set(kept)] });
  }
  return done("ok");
}

export const MAILBOX: Routes = {
  "GET /api/v1/messages": asking(query(page), (call) => listOf(call, {}, call.asked)),
  "GET /api/v1/search": asking(query({ ...search, ...page }), (call) => {
    call.keepOpen(call.request);
    return listOf(call, wanted(call.asked), call.asked);
  }),
  "PUT /api/v1/messages": asking(query(zone), async (call) => {
    const { IDs = [], Read = false, Search = "" } = call.sent(ReadStatus);
    if (IDs.length > 0 && Search !== "") throw invalidField("Search", "cannot stand beside IDs");
    call.keepOpen(call.request);
    const filter = Search === "" ? {} : wanted({ query: Search, tz: call.asked.tz });
    await call.mail.update(IDs.length > 0 ? IDs : await allIds(call, filter), { is_read: Read });
    return done("ok");
  }),
  "DELETE /api/v1/messages": async ({ mail, sent }) => {
    const { IDs = [] } = sent(Ids);
    await (IDs.length > 0 ? mail.delete(IDs) : mail.clear());
    return done("ok");
  },
  "DELETE /api/v1/search": asking(query(search), async ({ mail, keepOpen, request, asked }) => {
    keepOpen(request);
    await mail.deleteMatching(wanted(asked));
    return done("ok");
  }),
  "GET /api/v1/tags": tagNames,
  "PUT /api/v1/tags": async ({ mail, sent }) => {
    const { IDs = [], Tags = [] } = sent(Tagged);
    await mail.update(IDs, { tags: [...new Set(Tags)] });
    return done("ok");
  },
  "PUT /api/v1/tags/:tag": (call) => replaceTag(call, call.params.tag ?? "", [call.sent(Renamed).Name]),
  "DELETE /api/v1/tags/:tag": (call) => replaceTag(call, call.params.tag ?? "", []),
};
