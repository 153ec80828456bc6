// The list's query: filters and pagination, by the rules of the contract.
import type { ListQuery } from "../model/index.ts";
import { readFilter } from "./filters.ts";
import { badRequest } from "./problem.ts";
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
