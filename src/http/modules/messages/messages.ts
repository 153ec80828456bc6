// Routes that list, change and delete many messages, list the tags in use, and read, change and
// delete a single message.
import { Type } from "@sinclair/typebox";
import type { MessageReader } from "../../../app/index.ts";
import { wholeChars } from "../../../mime/index.ts";
import {
  BulkChangeRequest,
  BulkDeleted,
  BulkDeleteRequest,
  BulkUpdated,
  DeletedCount,
  Message,
  type MessageChange,
  MessageChangeRequest,
  type MessageFilter,
  MessageList,
  MessageSummary,
  TagList,
  Ulid,
} from "../../../model/index.ts";
import { exact, FILTERS, filterOf } from "../../filters.ts";
import { foundOf } from "../../mail-content.ts";
import { route, routes } from "../../openapi/operation.ts";
import { jsonAnswer, PARSED, problem } from "../../openapi/responses.ts";
import {
  choice,
  count,
  integer,
  invalid,
  query,
  text,
  unknownParameter,
  withDefault,
} from "../../parameters.ts";
import { badRequest, unknownMessage } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

const INCLUDE_PREVIEW = choice(
  ["preview"],
  "`preview` adds the From header, the first words of the text and the header `X-Mailkeep-Run`.",
);

export const BODY_CHARS = count("Characters of each body at most; all of them unless given.");

export function messages({ mailOf, reader }: Dependencies) {
  return routes(
    "Messages",
    route("listMessages", "GET /api/v1/messages", "read", {
      summary: "List messages",
      description:
        "Newest first. Filters combine with AND. A cursor page (`before`) costs the same at any depth and does not " +
        "shift as new mail arrives.",
      query: query(
        {
          ...FILTERS,
          limit: withDefault(50, integer("Messages per page; clamped into 1..200.", { from: 1, to: 200 })),
          // Has no default, because generated clients would send it along with `before`.
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
        ...problem(
          "A parameter is malformed (`invalid_parameter`, `too_many_tags`) or unknown (`unknown_parameter`), `before` names no stored message " +
            "(`unknown_cursor`), or it was combined with `offset` (`conflicting_pagination`).",
          invalid("limit", "ten", "an integer such as 10"),
        ),
      },
      answer: async ({ request, query, set }): Promise<MessageList> => {
        const { limit, offset = 0, before, include, ...filters } = query;
        const filter = filterOf(filters, set.headers);
        const from = before === undefined ? { offset } : { before };
        const page = await mailOf(request).list({ filter, limit, ...from });
        const messages = include
          ? await Promise.all(page.messages.map((message) => withPreview(message, reader)))
          : page.messages;
        return { ...page, messages, limit };
      },
    }),
    route("updateMessages", "PATCH /api/v1/messages", "write", {
      summary: "Change many messages",
      description:
        "The same change for up to 1,000 messages; events as for single changes. There are no filters.",
      body: BulkChangeRequest,
      responses: { 200: jsonAnswer("What was changed, and what was not found.", BulkUpdated) },
      answer: async ({ request, body: { ids, ...change } }): Promise<BulkUpdated> => {
        const messages = await mailOf(request).update(ids, changeOf(change));
        const found = new Set(messages.map(({ id }) => id));
        return { messages, not_found: [...new Set(ids)].filter((id) => !found.has(id)) };
      },
    }),
    route("deleteMessages", "DELETE /api/v1/messages", "write", {
      summary: "Delete all messages, those that match, or those named",
      description:
        "Without parameters and body: all of them (`messages:clear`). With filters: those that match. With ids in the " +
        "body: those. Unknown or malformed parameters, and filters that filter nothing, are refused with 400.",
      query: query(FILTERS),
      body: Type.Optional(BulkDeleteRequest),
      responses: {
        200: jsonAnswer(
          "How many were removed; with ids also which were not found.",
          Type.Union([DeletedCount, BulkDeleted], { examples: [{ deleted: 3 }] }),
        ),
        ...problem("Something was not understood; nothing was removed.", unknownParameter("form", ["from"])),
      },
      answer: async ({ request, query, body, set }): Promise<DeletedCount | BulkDeleted> => {
        const mail = mailOf(request);
        const hasFilters = Object.keys(query).length > 0;
        if (body !== undefined) {
          if (hasFilters) throw CONFLICTING_SELECTION;
          const ids = [...new Set(body.ids)];
          const deleted = new Set(await mail.delete(ids));
          return { deleted: deleted.size, not_found: ids.filter((id) => !deleted.has(id)) };
        }
        if (!hasFilters) return { deleted: await mail.clear() };
        const filter = selective(exact(filterOf(query, set.headers)));
        return { deleted: (await mail.deleteMatching(filter)).length };
      },
    }),
    route("listTags", "GET /api/v1/tags", "read", {
      summary: "Every tag in use, with the number of messages that carry it",
      responses: { 200: jsonAnswer("The tags, sorted.", TagList) },
      answer: async ({ request }): Promise<TagList> => ({ tags: await mailOf(request).tags() }),
    }),
    route("getMessage", "GET /api/v1/messages/:id", "read", {
      summary: "Get one message with its bodies",
      query: query({ include: INCLUDE_PREVIEW, body_chars: BODY_CHARS }),
      responses: { 200: jsonAnswer("The message.", Message, PARSED) },
      answer: async ({ params: { id }, query: { include, body_chars }, set }): Promise<Message> => {
        const message = await foundOf(id, reader.message(id), set.headers);
        const found = withBodyChars(message, body_chars);
        return include ? withPreview(found, reader) : found;
      },
    }),
    route("updateMessage", "PATCH /api/v1/messages/:id", "write", {
      summary: "Change is_read, is_starred or tags",
      description: "Absent fields stay as they are; unknown ones are ignored. Tags are replaced as a whole.",
      body: MessageChangeRequest,
      responses: { 200: jsonAnswer("The message after the change.", MessageSummary) },
      answer: async ({ request, params: { id }, body }): Promise<MessageSummary> => {
        const [changed] = await mailOf(request).update([id], changeOf(body));
        if (!changed) throw unknownMessage(id);
        return changed;
      },
    }),
    route("deleteMessage", "DELETE /api/v1/messages/:id", "write", {
      summary: "Delete one message",
      description: "Needs no body. If the body is not JSON, the request is refused and nothing is deleted.",
      responses: { 204: { description: "It is gone." } },
      answer: async ({ request, params: { id } }) => {
        const [deleted] = await mailOf(request).delete([id]);
        if (deleted === undefined) throw unknownMessage(id);
      },
    }),
  );
}

const CONFLICTING_SELECTION = badRequest(
  "conflicting_selection",
  "Filters and a body with ids cannot be combined; nothing was deleted.",
);

/** Refuses filters that match everything, because a deletion cannot be undone. */
function selective(filter: MessageFilter): MessageFilter {
  if (Object.keys(filter).length > 0) return filter;
  throw badRequest(
    "empty_filter",
    "The given filters match every message; nothing was deleted. Leave them out to delete all.",
  );
}

/** Cuts both bodies to `chars`, but not within a surrogate pair. */
export function withBodyChars(message: Message, chars = Number.POSITIVE_INFINITY): Message {
  const cut = (body: string) => (body.length <= chars ? body : wholeChars(body.slice(0, chars)));
  return { ...message, text_body: cut(message.text_body), html_body: cut(message.html_body) };
}

async function withPreview<Shape extends MessageSummary>(
  message: Shape,
  { preview: previewOf }: Pick<MessageReader, "preview">,
): Promise<Shape> {
  const preview = await previewOf(message.id);
  return preview ? { ...message, preview } : message;
}

function changeOf({ is_read, is_starred, tags }: MessageChangeRequest): MessageChange {
  return {
    ...(is_read !== undefined && { is_read }),
    ...(is_starred !== undefined && { is_starred }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
  };
}
