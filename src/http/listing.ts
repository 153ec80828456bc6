// The list's query: filters and pagination, by the rules of the contract.
import type { ListQuery } from "../model/index.ts";
import { StoreError } from "../store/index.ts";
import { readFilter } from "./filters.ts";
import { badRequest, quote } from "./problem.ts";
import type { QueryString } from "./query-string.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export function readListQuery(query: QueryString): ListQuery {
  if (query.has("offset") && query.has("before")) {
    throw badRequest("conflicting_pagination", "Parameters offset and before cannot be combined.");
  }
  const filter = readFilter(query);
  const limit = Math.min(MAX_LIMIT, Math.max(1, query.integer("limit") ?? DEFAULT_LIMIT));
  const before = query.text("before");
  if (before !== undefined) return { filter, limit, before };
  return { filter, limit, offset: Math.max(0, query.integer("offset") ?? 0) };
}

/** A cursor that the store does not know, in the words of the query string. */
export function asListProblem(error: unknown, { before = "" }: ListQuery): unknown {
  if (!(error instanceof StoreError) || error.code !== "unknown_cursor") return error;
  const sentence = `Parameter before must be the id of a stored message; given was ${quote(before)}.`;
  return badRequest("unknown_cursor", sentence);
}
