// The API's filters as flags, shared by the commands that ask a running server about its mails.
import type { MailFilter } from "../../client/index.ts";
import { type Kind, kinds, UsageError, under, type Values } from "../../config/index.ts";
import { MAX_WAIT_MS } from "../../lib/longest-wait.ts";
import { parseSince } from "../../lib/since.ts";

const since: Kind<string> = {
  ...kinds.text,
  accepts: "a message id or a time such as 2026-11-14T10:00:00Z",
  parse: (value) => (parseSince(value) === null ? undefined : value),
};

/** As long as the server lets a client wait. */
export const waitingTime: Kind<number> = kinds.durationUpTo(MAX_WAIT_MS);

const filters = under("Which mails (all conditions must hold)", { flagOnly: true });

export const FILTER_SETTINGS = {
  to: filters.optional(kinds.text, "Whole address of one recipient"),
  from: filters.optional(kinds.anyText, "Whole address of the sender; empty for the null sender"),
  subject: filters.optional(kinds.text, "Part of the subject, in any case"),
  recipient: filters.optional(kinds.text, "Part of a recipient's address"),
  sender: filters.optional(kinds.text, "Part of the sender's address"),
  q: filters.optional(kinds.text, "Words of subject, body, sender or recipients"),
  tag: filters.list(kinds.text, "Carries this tag, or one of several"),
  starred: filters.toggle("Starred mails only"),
  unread: filters.toggle("Unread mails only"),
  hasAttachments: filters.toggle("Mails with attachments only"),
  since: filters.optional(since, "Newer than this message (its id) or this time (2026-11-14T10:00:00Z)"),
};

export function filterOf(settings: Values<typeof FILTER_SETTINGS>): MailFilter {
  const { to, from, subject, recipient, sender, q, tag, starred, unread, hasAttachments, since } = settings;
  if (q?.trim() === "") throw new UsageError("--q is blank: give words or leave it out");
  return {
    ...(to !== undefined && { to }),
    ...(from !== undefined && { from }),
    ...(subject !== undefined && { subject }),
    ...(recipient !== undefined && { recipient }),
    ...(sender !== undefined && { sender }),
    ...(q !== undefined && { q }),
    ...(tag.length > 0 && { tag }),
    ...(starred && { starred }),
    ...(unread && { unread }),
    ...(hasAttachments && { has_attachments: true }),
    ...(since !== undefined && { since }),
  };
}

/** Bounds that no number of mails can meet are a mistake, not a failed expectation. */
export function refuseEmptyRange(min: number | undefined, max: number | undefined): void {
  if (min === undefined || max === undefined || min <= max) return;
  throw new UsageError(`--min ${min} is more than --max ${max}: no number of mails can be both`);
}
