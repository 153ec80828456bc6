// Mailpit's routes for many messages: lists, searches, read status, tags, and deleting.
import { Type } from "@sinclair/typebox";
import { MAX_TAGS } from "../../../lib/limits.ts";
import { type MessageFilter, Tag } from "../../../model/index.ts";
import type { Parts } from "../../modules/parts.ts";
import { integer, query, text, withDefault } from "../../parameters.ts";
import { badRequest, invalidField } from "../../problem.ts";
import { asking, done, fields, type Routes } from "../route.ts";
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

const tagNames = async ({ store }: Parts) => (await store.tags()).map(({ tag }) => tag);

async function listOf(
  parts: Parts,
  filter: MessageFilter,
  { start, limit }: { start: number; limit: number },
) {
  const { store } = parts;
  const { messages, total } = await store.list({ filter, offset: start, limit: limit || MAX_LISTED });
  const stats = await store.stats();
  const shown = await Promise.all(messages.map((message) => summaryOf(parts, message)));
  const found = shown.filter((message) => message !== null);
  return {
    total: stats.messages,
    unread: stats.unread,
    count: found.length,
    messages_count: total,
    messages_unread: await store.count({ ...filter, unread: true }),
    start,
    tags: await tagNames(parts),
    messages: found,
  };
}

function wanted({ query, tz }: { query: string; tz: string }): MessageFilter {
  const filter = filterOf(query, tz);
  if (Object.keys(filter).length > 0) return filter;
  throw badRequest("invalid_parameter", "There is nothing to search for: parameter query has no words.");
}

async function allIds({ store }: Parts, filter: MessageFilter): Promise<string[]> {
  const all: string[] = [];
  for (let ids = await store.walk(filter); ids.length > 0; ) {
    all.push(...ids);
    ids = await store.walk(filter, { after: all.at(-1) ?? "" });
  }
  return all;
}

/** One by one: each keeps its other tags. */
async function replaceTag(parts: Parts, tag: string, others: readonly string[]): Promise<Response> {
  for (const id of await allIds(parts, { tags: [tag] })) {
    const { tags = [] } = (await parts.store.get(id)) ?? {};
    const kept = tags.flatMap((name) => (name === tag ? others : [name]));
    await parts.inbox.update([id], { tags: [...new Set(kept)] });
  }
  return done("ok");
}

export const MAILBOX: Routes = {
  "GET /api/v1/messages": asking(query(page), ({ parts, asked }) => listOf(parts, {}, asked)),
  "GET /api/v1/search": asking(query({ ...search, ...page }), ({ parts, request, asked }) => {
    parts.keepOpen(request);
    return listOf(parts, wanted(asked), asked);
  }),
  "PUT /api/v1/messages": asking(query(zone), async ({ parts, request, asked: { tz }, sent }) => {
    const { IDs = [], Read = false, Search = "" } = sent(ReadStatus);
    if (IDs.length > 0 && Search !== "") throw invalidField("Search", "cannot stand beside IDs");
    parts.keepOpen(request);
    const filter = Search === "" ? {} : wanted({ query: Search, tz });
    await parts.inbox.update(IDs.length > 0 ? IDs : await allIds(parts, filter), { is_read: Read });
    return done("ok");
  }),
  "DELETE /api/v1/messages": async ({ parts, sent }) => {
    const { IDs = [] } = sent(Ids);
    await (IDs.length > 0 ? parts.inbox.delete(IDs) : parts.inbox.clear());
    return done("ok");
  },
  "DELETE /api/v1/search": asking(query(search), async ({ parts, request, asked }) => {
    parts.keepOpen(request);
    await parts.inbox.deleteMatching(wanted(asked));
    return done("ok");
  }),
  "GET /api/v1/tags": ({ parts }) => tagNames(parts),
  "PUT /api/v1/tags": async ({ parts, sent }) => {
    const { IDs = [], Tags = [] } = sent(Tagged);
    await parts.inbox.update(IDs, { tags: [...new Set(Tags)] });
    return done("ok");
  },
  "PUT /api/v1/tags/:tag": ({ parts, params: { tag = "" }, sent }) =>
    replaceTag(parts, tag, [sent(Renamed).Name]),
  "DELETE /api/v1/tags/:tag": ({ parts, params: { tag = "" } }) => replaceTag(parts, tag, []),
};
