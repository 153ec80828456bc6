// Bodies of the requests that change messages. Unknown fields are allowed only in a change of a single message, as the
// API promises.
import { type Static, Type } from "@sinclair/typebox";
import { EXAMPLE_ID } from "./message.ts";

const MAX_BULK_IDS = 1000;
/** If a mail brings more, the first ones are kept. */
export const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 50;

/**
 * Counts code points with or without the regular expression's `u` flag, so that every validator agrees;
 * a surrogate on its own could not be stored as UTF-8.
 */
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

export const BulkChangeRequest = Type.Object(
  { ids: Ids, ...changeFields },
  { $id: "BulkChange", additionalProperties: false, examples: [{ ids: [EXAMPLE_ID], is_read: true }] },
);
export type BulkChangeRequest = Static<typeof BulkChangeRequest>;

export const BulkDeleteRequest = Type.Object(
  { ids: Ids },
  { $id: "BulkDelete", additionalProperties: false, examples: [{ ids: [EXAMPLE_ID] }] },
);
export type BulkDeleteRequest = Static<typeof BulkDeleteRequest>;
