// Parameters that several routes share. Strings are read by query-string.ts and filters.ts;
// these schemas tell clients what is accepted.
import { Type } from "@sinclair/typebox";
import { Ulid } from "../../model/index.ts";
import type { Parameter } from "./operation.ts";

export const [EXAMPLE_ID = ""] = Ulid.examples as string[];

export const MESSAGE_ID: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The message's id.",
  schema: Ulid,
};

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "header",
  description,
  schema: Type.String({ examples: [example] }),
});

export const IF_NONE_MATCH = header(
  "If-None-Match",
  "ETags of what the client has: 304 when one is current.",
  `"${EXAMPLE_ID}"`,
);

export const CONDITIONS: readonly Parameter[] = [
  header("Range", "One range of bytes; several, or other units, are answered with all.", "bytes=0-99"),
  header(
    "If-Range",
    "The ETag of what the client has a part of: of anything else all is sent.",
    `"${EXAMPLE_ID}"`,
  ),
  IF_NONE_MATCH,
];

/**
 * A filter that is switched on. It has no default: generated clients send those along, and a DELETE of all, or of
 * ids, takes no filter.
 */
const toggle = (name: string, description: string): Parameter =>
  query(name, `${description} ${LITERAL_BOOLEAN}; \`false\` does not filter.`, Type.Boolean());

const query = (name: string, description: string, schema: Parameter["schema"]): Parameter => ({
  name,
  in: "query",
  description,
  schema,
});

export const LITERAL_BOOLEAN = "Only `true` and `false` are accepted";

export const SPECIFIED_FILTERS: readonly Parameter[] = [
  query(
    "q",
    "Full-text search over subject, body, sender and recipients: every word as a prefix, all must match; " +
      '`"quoted phrases"`. Where there is no text, that of the HTML is searched: what is to be read there, not the ' +
      "addresses behind its links. Of one message the first 1 Mi characters of text are searched. More than 200 " +
      "different words match nothing.",
    Type.String({ examples: ["welcome"] }),
  ),
  toggle("starred", "Only starred messages."),
  toggle("unread", "Only messages not read yet."),
  toggle("has_attachments", "Only messages with at least one attachment."),
  {
    ...query(
      "tag",
      "Messages that carry any of the given tags; repeatable.",
      Type.Array(Type.String(), { maxItems: 20 }),
    ),
    explode: true,
  },
];

export const COUNT_FILTERS: readonly Parameter[] = [
  query("subject", "Part of the subject, case-insensitive.", Type.String()),
  query("sender", "Part of the sender's address, case-insensitive.", Type.String()),
  query("recipient", "Part of a recipient's address, case-insensitive.", Type.String()),
];

export const EXACT_FILTERS: readonly Parameter[] = [
  query("from", "The sender's whole address, case-insensitive; empty for the null sender.", Type.String()),
  query(
    "to",
    "A recipient's whole address, case-insensitive.",
    Type.String({ examples: ["alice@example.com"] }),
  ),
  query(
    "since",
    "Only what is newer than this message (its id) or this time (ISO 8601).",
    Type.String({ examples: ["2026-11-14T10:00:00Z"] }),
  ),
];

export const FILTERS: readonly Parameter[] = [...SPECIFIED_FILTERS, ...COUNT_FILTERS, ...EXACT_FILTERS];

export const INCLUDE_PREVIEW: Parameter = query(
  "include",
  "`preview` adds the From header and the first words of the text.",
  Type.Literal("preview"),
);

export const INCLUDE_ADDRESSES: Parameter = query(
  "include",
  "`addresses` adds the names and addresses of the fields that hold some.",
  Type.Literal("addresses"),
);

export const timeoutParameter = (description: string): Parameter =>
  query("timeout", description, Type.String({ examples: ["500ms", "10s", "2m"] }));
