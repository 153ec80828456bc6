// Requests that find and change messages, and answers about several messages. The API promises to ignore unknown fields
// in a change of a single message; other requests with such fields are refused.
import { type Static, Type } from "@sinclair/typebox";
import type { Since } from "../query/index.ts";
import { EXAMPLE_ID, MessageSummary, Ulid } from "./message.ts";
import { Closed, Count, Named, OrNull } from "./schema.ts";

const MAX_BULK_IDS = 1000;
export const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 50;

/** Counts code points even without the `u` flag, which some validators do not set. */
const TAG_PATTERN = `^(?:[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]){1,${MAX_TAG_CHARACTERS}}$`;

export const Tag = Type.String({
  pattern: TAG_PATTERN,
  description: `1 to ${MAX_TAG_CHARACTERS} characters without control characters`,
});

const changeFields = {
  is_read: Type.Optional(Type.Boolean()),
  is_starred: Type.Optional(Type.Boolean()),
  tags: Type.Optional(
    Type.Array(Tag, {
      maxItems: MAX_TAGS,
      description: "Replaces all tags; duplicates collapse to the first.",
    }),
  ),
};

export const MessageChangeRequest = Type.Object(changeFields, {
  $id: "MessageChange",
  additionalProperties: true,
  description: "What to change; an absent field stays as it is.",
  examples: [{ is_read: true, tags: ["checkout"] }],
});
export type MessageChangeRequest = Static<typeof MessageChangeRequest>;

const Ids = Type.Array(Type.String({ examples: [EXAMPLE_ID] }), { maxItems: MAX_BULK_IDS });

export const BulkChangeRequest = Named(
  "BulkChange",
  { ids: Ids, ...changeFields },
  { ids: [EXAMPLE_ID], is_read: true },
);

export const BulkDeleteRequest = Named("BulkDelete", { ids: Ids }, { ids: [EXAMPLE_ID] });

export const MessageList = Named("MessageList", {
  messages: Type.Array(MessageSummary, { description: "Newest first." }),
  total: Count("All messages that match, before pagination."),
  next_cursor: OrNull(Ulid, "Pass as `before` to get the next page; null on the last one."),
  limit: Type.Integer({ minimum: 1, maximum: 200, description: "The limit applied after clamping." }),
});
export type MessageList = Static<typeof MessageList>;

export const DeletedCount = Named("DeletedCount", { deleted: Count("Number of messages removed.") });
export type DeletedCount = Static<typeof DeletedCount>;

const NotFound = Type.Array(Type.String(), { description: "Ids that name no stored message." });

export const BulkDeleted = Named("BulkDeleted", { deleted: Count(), not_found: NotFound });
export type BulkDeleted = Static<typeof BulkDeleted>;

export const BulkUpdated = Named("BulkUpdated", {
  messages: Type.Array(MessageSummary, { description: "The changed messages, in the order asked." }),
  not_found: NotFound,
});
export type BulkUpdated = Static<typeof BulkUpdated>;

const TagCount = Closed({ tag: Type.String(), count: Type.Integer({ minimum: 1 }) });

export const TagList = Named("TagList", {
  tags: Type.Array(TagCount, { description: "Every tag in use, sorted." }),
});
export type TagList = Static<typeof TagList>;

// Filters and changes, as the routes pass them on

/** How long the API lets a client wait for mail. The command line refuses more before it sends a request. */
export const MAX_WAIT_MS = 5 * 60_000;

export interface FilterPart {
  readonly field: "subject" | "header_from" | "header_to";
  readonly text: string;
  readonly isNegated: boolean;
}

/** All given conditions must hold. An absent field does not filter. */
export interface MessageFilter {
  /** A search as a person types it. A blank text filters nothing. */
  readonly q?: string;
  readonly starred?: true;
  readonly unread?: true;
  readonly has_attachments?: true;
  /** Any of these tags, exact and case-sensitive. */
  readonly tags?: readonly string[];
  /** Substrings, case-insensitive by Unicode. */
  readonly subject?: string;
  readonly sender?: string;
  readonly recipient?: string;
  /** Whole addresses, case-insensitive. */
  readonly from?: string;
  readonly to?: string;
  /** Part of the fields From and To: a name or an address, case-insensitive by Unicode. */
  readonly header_from?: string;
  readonly header_to?: string;
  /** Like `subject`, `header_from` and `header_to`, but repeatable and possibly negated. Only for Mailpit's API. */
  readonly parts?: readonly FilterPart[];
  /** Only messages after this message or instant. */
  readonly since?: Since;
}

export interface ListQuery {
  readonly filter: MessageFilter;
  readonly limit: number;
  /** The id of the last message of the previous page. Never given together with `offset`. */
  readonly before?: string;
  readonly offset?: number;
}

/** Absent fields stay as they are. */
export interface MessageChange {
  readonly is_read?: boolean;
  readonly is_starred?: boolean;
  readonly tags?: readonly string[];
}
