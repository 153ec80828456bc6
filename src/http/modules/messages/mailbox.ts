// The mailbox as a whole: list it and its tags, change or delete many at once.
import { Type } from "@sinclair/typebox";
import {
  BulkChangeRequest,
  BulkDeleted,
  BulkDeleteRequest,
  BulkUpdated,
  DeletedCount,
  type MessageFilter,
  MessageList,
  TagList,
  Ulid,
} from "../../../model/index.ts";
import { StoreError } from "../../../store/index.ts";
import { FILTERS, filterOf } from "../../filters.ts";
import { operation, route, routes } from "../../openapi/operation.ts";
import { jsonAnswer, problem } from "../../openapi/responses.ts";
import { integer, invalid, query, text, unknownParameter, withDefault } from "../../parameters.ts";
import { badRequest, quote } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";
import { changeOf, INCLUDE_PREVIEW, withPreview } from "./message.ts";

const LIST = operation("GET /api/v1/messages", "read", "Messages", {
  operationId: "listMessages",
  summary: "List messages",
  description:
    "Newest first. Filters combine with AND. A cursor page (`before`) costs the same at any depth and does not " +
    "shift as new mail arrives.",
  query: query(
    {
      ...FILTERS,
      limit: withDefault(50, integer("Messages per page; clamped into 1..200.", { from: 1, to: 200 })),
      // Without a default, which generated clients would send along with `before`.
      offset: integer(
        "Messages to skip, none unless given; negative is 0. Cannot be combined with `before`.",
        { from: 0 },
      ),
      before: text("Keyset cursor: only messages strictly older than this one.", Ulid),
      include: INCLUDE_PREVIEW,
    },
    (given) => {
      if (given.includes("offset") && given.includes("before"))
        throw badRequest("conflicting_pagination", "Parameters offset and before cannot be combined.");
    },
  ),
  responses: {
    200: jsonAnswer("One page.", MessageList),
    400: problem(
      "A parameter is malformed (`invalid_parameter`, `too_many_tags`) or unknown (`unknown_parameter`), `before` names no stored message " +
        "(`unknown_cursor`), or it was combined with `offset` (`conflicting_pagination`).",
      invalid("limit", "ten", "an integer such as 10"),
    ),
  },
});

const UPDATE = operation("PATCH /api/v1/messages", "write", "Messages", {
  operationId: "updateMessages",
  summary: "Change many messages",
  description:
    "The same change for up to 1,000 messages; events as for single changes. Filters beside the ids are 400 and " +
    "change nothing.",
  query: query({}, (given) => {
    if (given.some((name) => Object.hasOwn(FILTERS, name))) throw conflictingSelection("changed");
  }),
  body: BulkChangeRequest,
  responses: { 200: jsonAnswer("What was changed, and what was not found.", BulkUpdated) },
});

const DELETE = operation("DELETE /api/v1/messages", "write", "Messages", {
  operationId: "deleteMessages",
  summary: "Delete all messages, those that match, or those named",
  description:
    "Without parameters and body: all of them (`messages:clear`). With filters: those that match. With a body of " +
    "ids: those. An unknown or malformed parameter, or filters that filter nothing, are 400 and remove nothing.",
  query: query(FILTERS),
  optionalBody: BulkDeleteRequest,
  responses: {
    200: jsonAnswer(
      "How many were removed; with ids also which were not found.",
      Type.Union([DeletedCount, BulkDeleted], { examples: [{ deleted: 3 }] }),
    ),
    400: problem("Something was not understood; nothing was removed.", unknownParameter("form", ["from"])),
  },
});

const TAGS = operation("GET /api/v1/tags", "read", "Messages", {
  operationId: "listTags",
  summary: "Every tag in use, with the number of messages that carry it",
  responses: { 200: jsonAnswer("The tags, sorted.", TagList) },
});

export function mailbox({ mailOf, reader, keepOpen }: Pick<Dependencies, "mailOf" | "reader" | "keepOpen">) {
  return routes(
    route(
      LIST,
      async ({
        request,
        query: { limit, offset, before, include, ...filters },
        set,
      }): Promise<MessageList> => {
        const filter = filterOf(filters, set.headers);
        if (filter.q !== undefined) keepOpen(request);
        const from = before === undefined ? { offset: offset ?? 0 } : { before };
        const { messages, total, next_cursor } = await mailOf(request)
          .list({ filter, limit, ...from })
          .catch((error) => {
            throw isUnknownCursor(error) ? unknownCursor(before ?? "") : error;
          });
        const shown = include
          ? await Promise.all(messages.map((message) => withPreview(message, reader)))
          : messages;
        return { messages: shown, total, next_cursor, limit };
      },
    ),
    route(UPDATE, async ({ request, body: { ids, ...change } }): Promise<BulkUpdated> => {
      const messages = await mailOf(request).update(ids, changeOf(change));
      const found = new Set(messages.map(({ id }) => id));
      return { messages, not_found: [...new Set(ids)].filter((id) => !found.has(id)) };
    }),
    route(DELETE, async ({ request, query, body, set }): Promise<DeletedCount | BulkDeleted> => {
      const mail = mailOf(request);
      const hasFilters = Object.keys(query).length > 0;
      if (body !== undefined) {
        if (hasFilters) throw conflictingSelection("deleted");
        const ids = [...new Set(body.ids)];
        const deleted = new Set(await mail.delete(ids));
        return { deleted: deleted.size, not_found: ids.filter((id) => !deleted.has(id)) };
      }
      if (!hasFilters) return { deleted: await mail.clear() };
      const filter = selective(filterOf(query, set.headers));
      if (filter.q !== undefined) keepOpen(request);
      return { deleted: (await mail.deleteMatching(filter)).length };
    }),
    route(TAGS, async ({ request }): Promise<TagList> => ({ tags: await mailOf(request).tags() })),
  );
}

const isUnknownCursor = (error: unknown) => error instanceof StoreError && error.code === "unknown_cursor";

const unknownCursor = (before: string) =>
  badRequest(
    "unknown_cursor",
    `Parameter before must be the id of a stored message; given was ${quote(before)}.`,
  );

const conflictingSelection = (outcome: "changed" | "deleted") =>
  badRequest(
    "conflicting_selection",
    `Filters and a body with ids cannot be combined; nothing was ${outcome}.`,
  );

/** Deleting too much cannot be undone: filters that match everything delete nothing. */
function selective(filter: MessageFilter): MessageFilter {
  if (Object.keys(filter).length > 0) return filter;
  throw badRequest(
    "empty_filter",
    "The given filters match every message; nothing was deleted. Leave them out to delete all.",
  );
}
