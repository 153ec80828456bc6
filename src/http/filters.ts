// The filters of list, count, wait, latest, delete, export and deliveries.
import { isBareAddress } from "../lib/text.ts";
import type { MessageFilter } from "../model/index.ts";
import { findsTooMuch, parseSince, searchHint } from "../query/index.ts";
import { type AskedOf, boolean, givenIn, query, search, single, text, texts } from "./parameters.ts";
import { badRequest } from "./problem.ts";

const MAX_TAG_VALUES = 20;

/** The schema has no default: some clients would send it, and DELETE refuses filters that match all mail. */
const toggle = (description: string) =>
  boolean(`${description} Only \`true\` and \`false\` are accepted; \`false\` does not filter.`);

/**
 * An unescaped "+" in ann+test@example.com arrives as a space, so spaces before the "@" are read as "+". An address
 * with a real space has quotes or angle brackets.
 */
const address = (description: string, isUsable = (_: string) => true, examples?: string[]) =>
  single(
    { type: "string", ...(examples && { examples }), description },
    "an address alone, without name and angle brackets",
    (given) => {
      const plain = /["<]/.test(given)
        ? given
        : given.replace(/^.*@/s, (local) => local.replaceAll(" ", "+"));
      return isUsable(plain) ? plain : null;
    },
  );

/** With an address that no mail can have, such as an empty variable, an assertion that no mail came would pass. */
const isRecipient = (text: string) => text !== "" && isBareAddress(text);

export const FILTERS = {
  q: search(
    "Full-text search over subject, body, people, header fields and names of attachments: every word as a prefix, " +
      'all must match; `"quoted phrases"`. Operators: `from:`, `to:`, `cc:`, `bcc:`, `reply-to:`, `subject:`, ' +
      "`body:`, `filename:`, `message-id:`, `header:name=value`, `tag:`, `is:unread`, `is:read`, `is:starred`, `is:tagged`, " +
      "`has:attachment`, `before:`, `after:`, `larger:`, `smaller:`; `-` before any of them, `OR` and parentheses. " +
      "A misspelt search is not an error: what is not understood is searched for as text, and the header " +
      "`Mailkeep-Hint` says so. " +
      "If a message has no text part, the text of its HTML is searched, hidden text too, but not the addresses of links. " +
      "The first 1 Mi characters of a message are searched, 256 Ki if they are Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese. A search with more than 50 different words and conditions, or more than 200 including repeated ones, matches nothing.",
    { examples: ["welcome", "from:shop subject:order -is:read"] },
  ),
  starred: toggle("Only starred messages."),
  unread: toggle("Only messages not read yet."),
  has_attachments: toggle("Only messages with at least one attachment."),
  tag: texts("Messages that carry any of the given tags; repeatable.", MAX_TAG_VALUES),
  subject: text("Part of the subject, case-insensitive."),
  sender: address("Part of the sender's address, case-insensitive."),
  recipient: address("Part of a recipient's address, case-insensitive."),
  from: address("The sender's whole address, case-insensitive; empty for the null sender.", isBareAddress),
  to: address("A recipient's whole address, case-insensitive.", isRecipient, ["alice@example.com"]),
  header_from: address(
    "Part of the From header, case-insensitive: a name or an address, in its first 16,384 characters.",
  ),
  header_to: address(
    "Part of the To header, case-insensitive: a name or an address, in its first 16,384 characters.",
  ),
  since: single(
    {
      type: "string",
      examples: ["2026-11-14T10:00:00Z"],
      description: "Only what is newer than this message (its id) or this time (ISO 8601).",
    },
    "a message id or a time such as 2026-11-14T10:00:00Z",
    parseSince,
  ),
};

const FILTER_QUERY = query(FILTERS);

/** A filter from the settings, written like a query string. A condition that matches all mail is refused. */
export function parseFilter(text: string): MessageFilter {
  const filter = exact(filterOf(FILTER_QUERY.read(`?${text}`), {}));
  const idle = [...givenIn(`?${text}`).keys()].find((name) => name !== "tag" && !(name in filter));
  if (idle !== undefined)
    throw badRequest("invalid_parameter", `${idle} matches every mail: give it a value or leave it out`);
  return filter;
}

/** Refuses a search that may find too much, because deleting and relaying mail cannot be undone. */
export function exact(filter: MessageFilter): MessageFilter {
  const hint = searchHint(filter.q ?? "");
  if (hint !== null && findsTooMuch(hint)) throw badRequest("invalid_parameter", hint);
  return filter;
}

/** The filter of a request. Sets a header with a hint if `q` is not understood or too large. */
export function filterOf(
  { q = "", tag, ...others }: AskedOf<typeof FILTER_QUERY>,
  headers: Record<string, string | number>,
): MessageFilter {
  const hint = searchHint(q);
  if (hint !== null) headers["mailkeep-hint"] = hint;
  const conditions = Object.entries(others).filter(([name, value]) => isCondition(name, value));
  return { ...(q.trim() !== "" && { q }), ...(tag && { tags: tag }), ...Object.fromEntries(conditions) };
}

/** False flags and empty texts match all mail. But an empty `from` matches mail of the null sender. */
const isCondition = (name: string, value: unknown) => value !== false && (value !== "" || name === "from");
