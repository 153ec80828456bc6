// The one filter vocabulary of list, count, wait, latest, delete and export, read from the query string.
import { parseSince, type Since } from "../lib/since.ts";
import type { MessageFilter } from "../model/index.ts";
import { badRequest } from "./problem.ts";
import { invalid, type QueryString } from "./query-string.ts";

const MAX_TAG_VALUES = 20;

export const FILTER_NAMES = [
  "q",
  "starred",
  "unread",
  "has_attachments",
  "tag",
  "subject",
  "sender",
  "recipient",
  "from",
  "to",
  "since",
] as const;

export function readFilter(query: QueryString): MessageFilter {
  const q = query.text("q");
  const tags = query.all("tag");
  if (tags.length > MAX_TAG_VALUES) {
    throw badRequest(
      "too_many_tags",
      `Parameter tag may be given at most ${MAX_TAG_VALUES} times; given were ${tags.length}.`,
    );
  }
  const since = query.text("since");
  return {
    ...(q !== undefined && q.trim() !== "" && { q }),
    ...(query.boolean("starred") && { starred: true }),
    ...(query.boolean("unread") && { unread: true }),
    ...(query.boolean("has_attachments") && { has_attachments: true }),
    ...(tags.length > 0 && { tags }),
    ...substring(query, "subject"),
    ...substring(query, "sender"),
    ...substring(query, "recipient"),
    ...address(query, "from"),
    ...address(query, "to"),
    ...(since !== undefined && { since: readSince(since) }),
  };
}

/** The empty string is part of every text: it does not filter. */
function substring(query: QueryString, name: "subject" | "sender" | "recipient") {
  const value = query.text(name);
  if (!value) return {};
  return { [name]: name === "subject" ? value : withPlus(value) };
}

/** An empty `from` is the null sender. */
function address(query: QueryString, name: "from" | "to") {
  const value = query.text(name);
  return value === undefined ? {} : { [name]: withPlus(value) };
}

/** An unescaped "+" of ann+test@example.com arrives as a space, which stands before an "@" in quotes only. */
const withPlus = (given: string) =>
  given.includes('"') ? given : given.replace(/^.*@/s, (local) => local.replaceAll(" ", "+"));

function readSince(given: string): Since {
  const since = parseSince(given);
  if (since === null) throw invalid("since", given, "a message id or a time such as 2026-11-14T10:00:00Z");
  return since;
}
