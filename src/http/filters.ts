// The filters of list, count, wait, latest, delete and export.
import type { Static, TObject } from "@sinclair/typebox";
import type { MessageFilter } from "../model/index.ts";
import { parseSince, searchHint } from "../query/index.ts";
import { boolean, givenIn, query, search, single, text, texts } from "./parameters.ts";
import { badRequest } from "./problem.ts";

const MAX_TAG_VALUES = 20;

/**
 * A flag that is switched on. It has no default: generated clients would send it along, and a DELETE of all or of ids
 * takes no filter.
 */
const toggle = (description: string) =>
  boolean(`${description} Only \`true\` and \`false\` are accepted; \`false\` does not filter.`);

/**
 * An unescaped "+" in ann+test@example.com arrives as a space, so a space before the "@" becomes a "+", unless it is in
 * quotes or follows a name before brackets.
 */
const address = (description: string, examples?: string[]) =>
  single({ type: "string", ...(examples && { examples }), description }, "an address", (given) =>
    /["<]/.test(given) ? given : given.replace(/^.*@/s, (local) => local.replaceAll(" ", "+")),
  );

export const FILTERS = {
  q: search(
    "Full-text search over subject, body, people, header fields and names of attachments: every word as a prefix, " +
      'all must match; `"quoted phrases"`. Operators: `from:`, `to:`, `cc:`, `bcc:`, `reply-to:`, `subject:`, ' +
      "`body:`, `filename:`, `message-id:`, `header:name=value`, `tag:`, `is:unread`, `is:read`, `is:starred`, `is:tagged`, " +
      "`has:attachment`, `before:`, `after:`, `larger:`, `smaller:`; `-` before any of them, `OR` and parentheses. " +
      "No input is an error: what is not understood is searched for as text, and the header `Mailkeep-Hint` says so. " +
      "Where there is no text, that of the HTML is searched: what is to be read there, not the addresses behind its " +
      "links. Of one message the first 1 Mi characters of text are searched. More than 50 different words and " +
      "conditions match nothing.",
    { examples: ["welcome", "from:shop subject:order -is:read"] },
  ),
  starred: toggle("Only starred messages."),
  unread: toggle("Only messages not read yet."),
  has_attachments: toggle("Only messages with at least one attachment."),
  tag: texts("Messages that carry any of the given tags; repeatable.", MAX_TAG_VALUES),
  subject: text("Part of the subject, case-insensitive."),
  sender: address("Part of the sender's address, case-insensitive."),
  recipient: address("Part of a recipient's address, case-insensitive."),
  from: address("The sender's whole address, case-insensitive; empty for the null sender."),
  to: address("A recipient's whole address, case-insensitive.", ["alice@example.com"]),
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

/**
 * A filter of the settings, written as a query of the list. Throws a Problem that names the mistake; a condition that
 * matches all mail is one, too.
 */
export function parseFilter(text: string): MessageFilter {
  const given = givenIn(`?${text}`);
  const { value } = FILTER_QUERY["~standard"].validate(given);
  const filter = filterOf(value as Static<TObject<typeof FILTERS>>, {});
  const idle = [...given.keys()].find((name) => name !== "tag" && !(name in filter));
  if (idle !== undefined)
    throw badRequest("invalid_parameter", `${idle} matches every mail: give it a value or leave it out`);
  return filter;
}

/**
 * The filter of a request, without conditions that match everything: a blank search, a false flag, an empty text. Sets
 * a header with a hint if an operator in `q` is unknown.
 */
export function filterOf(
  asked: Static<TObject<typeof FILTERS>>,
  headers: Record<string, string | number>,
): MessageFilter {
  const {
    q = "",
    starred,
    unread,
    has_attachments,
    tag,
    subject,
    sender,
    recipient,
    from,
    to,
    header_from,
    header_to,
    since,
  } = asked;
  const hint = searchHint(q);
  if (hint !== null) headers["mailkeep-hint"] = hint;
  return {
    ...(q.trim() !== "" && { q }),
    ...(starred && { starred }),
    ...(unread && { unread }),
    ...(has_attachments && { has_attachments }),
    ...(tag && { tags: tag }),
    ...(subject && { subject }),
    ...(sender && { sender }),
    ...(recipient && { recipient }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(header_from && { header_from }),
    ...(header_to && { header_to }),
    ...(since && { since }),
  };
}
