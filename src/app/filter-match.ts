// The filters in JavaScript, for mail that just arrived. The store has the same filters in SQL, and a test compares the
// two. Only the store knows the text and headers of a mail.

import type { InboxEvent, MessageFilter, MessageSummary } from "../model/index.ts";
import { foldCase, type Since } from "../query/index.ts";

type Condition = (message: MessageSummary, filter: MessageFilter) => boolean;

/** By the name of the query parameter. An absent filter always holds. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  starred: ({ is_starred }, { starred }) => !starred || is_starred,
  unread: ({ is_read }, { unread }) => !unread || !is_read,
  has_attachments: (message, { has_attachments }) => !has_attachments || message.has_attachments,
  tag: (message, { tags }) => !tags?.length || tags.some((tag) => message.tags.includes(tag)),
  subject: (message, { subject }) => !subject || foldedOf(message).subject.includes(foldCase(subject)),
  sender: (message, { sender }) => !sender || foldedOf(message).sender.includes(foldCase(sender)),
  recipient: (message, { recipient }) =>
    !recipient || someOf(message, foldCase(recipient), (one, part) => one.includes(part)),
  from: (message, { from }) => from === undefined || foldedOf(message).sender === foldCase(from),
  to: (message, { to }) => to === undefined || someOf(message, foldCase(to), (one, whole) => one === whole),
  since: (message, { since }) => !since || isNewer(message, since),
};

const OF_STORE = ["q", "header_from", "header_to"] as const;

/** The filters that only the store can answer, each on its own. */
export const askedOfStore = (filter: MessageFilter): [name: string, alone: MessageFilter][] =>
  OF_STORE.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [[name, { [name]: value }]];
  });

const ENTRIES = Object.entries(CONDITIONS);

export const matchesFilter = (message: MessageSummary, filter: MessageFilter) =>
  ENTRIES.every(([, holds]) => holds(message, filter));

/** The names of the filters that the message does not meet. */
export const missedFilters = (message: MessageSummary, filter: MessageFilter): string[] =>
  ENTRIES.filter(([, holds]) => !holds(message, filter)).map(([name]) => name);

/** Whether this event may make a message match that did not match before. */
export function mayAdd(event: InboxEvent, filter: MessageFilter): boolean {
  if (event.type === "message:new") return matchesFilter(event.data, filter);
  const isFlag =
    event.type === "message:read" || event.type === "message:starred" || event.type === "message:tags";
  return isFlag && dependsOnFlags(filter);
}

/** A search may ask for flags by `is:` and `tag:`. */
const dependsOnFlags = ({ q, starred, unread, tags }: MessageFilter) =>
  Boolean(q || starred || unread || tags?.length);

type Folded = Pick<MessageSummary, "subject" | "sender" | "recipients">;

/** Folded once for all waits: a mail may have a thousand recipients, and hundreds may wait. */
const FOLDED = new WeakMap<MessageSummary, Folded>();

function foldedOf(message: MessageSummary): Folded {
  const known = FOLDED.get(message);
  if (known !== undefined) return known;
  const folded = {
    subject: foldCase(message.subject),
    sender: foldCase(message.sender),
    recipients: message.recipients.map(foldCase),
  };
  FOLDED.set(message, folded);
  return folded;
}

const someOf = (message: MessageSummary, address: string, holds: (one: string, address: string) => boolean) =>
  foldedOf(message).recipients.some((one) => holds(one, address));

const isNewer = ({ id, created_at }: MessageSummary, since: Since) =>
  "id" in since ? id > since.id : Date.parse(created_at) > since.time.getTime();
