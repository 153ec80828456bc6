// Answers that speak of many messages at once: pages, bulk changes, deletions.
import { type Static, Type } from "@sinclair/typebox";
import { EXAMPLE_ID, EXAMPLE_SUMMARY, MessageSummary, Ulid } from "./message.ts";

export const MessageList = Type.Object(
  {
    messages: Type.Array(MessageSummary, { description: "Newest first." }),
    total: Type.Integer({ minimum: 0, description: "All messages that match, before pagination." }),
    next_cursor: Type.Union([Ulid, Type.Null()], {
      description: "Pass as `before` to get the next page; null on the last one.",
    }),
    limit: Type.Integer({ minimum: 1, maximum: 200, description: "The limit applied after clamping." }),
  },
  {
    $id: "MessageList",
    additionalProperties: false,
    examples: [{ messages: [EXAMPLE_SUMMARY], total: 3, next_cursor: EXAMPLE_ID, limit: 1 }],
  },
);
export type MessageList = Static<typeof MessageList>;

export const DeletedCount = Type.Object(
  { deleted: Type.Integer({ minimum: 0, description: "Number of messages removed." }) },
  { $id: "DeletedCount", additionalProperties: false, examples: [{ deleted: 3 }] },
);
export type DeletedCount = Static<typeof DeletedCount>;

export const BulkDeleted = Type.Object(
  {
    deleted: Type.Integer({ minimum: 0 }),
    not_found: Type.Array(Type.String(), { description: "Ids that name no stored message." }),
  },
  { $id: "BulkDeleted", additionalProperties: false, examples: [{ deleted: 0, not_found: [EXAMPLE_ID] }] },
);
export type BulkDeleted = Static<typeof BulkDeleted>;

export const BulkUpdated = Type.Object(
  {
    messages: Type.Array(MessageSummary, { description: "The changed messages, in the order asked." }),
    not_found: Type.Array(Type.String(), { description: "Ids that name no stored message." }),
  },
  {
    $id: "BulkUpdated",
    additionalProperties: false,
    examples: [{ messages: [EXAMPLE_SUMMARY], not_found: [] }],
  },
);
export type BulkUpdated = Static<typeof BulkUpdated>;

export const TagList = Type.Object(
  {
    tags: Type.Array(
      Type.Object(
        { tag: Type.String(), count: Type.Integer({ minimum: 1 }) },
        { additionalProperties: false },
      ),
      { description: "Every tag in use, sorted." },
    ),
  },
  { $id: "TagList", additionalProperties: false, examples: [{ tags: [{ tag: "checkout", count: 2 }] }] },
);
export type TagList = Static<typeof TagList>;
