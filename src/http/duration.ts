// Spans of time in the query string: 500ms, 10s, 2m, up to five minutes.
import { parseDuration } from "../lib/duration.ts";
import { MAX_WAIT_MS } from "../lib/longest-wait.ts";
import { invalid, type QueryString } from "./query-string.ts";

export function readDuration(query: QueryString, name: string): number | undefined {
  const given = query.text(name);
  if (given === undefined) return undefined;
  const ms = parseDuration(given);
  if (ms === null || ms > MAX_WAIT_MS)
    throw invalid(name, given, "a time such as 500ms, 10s or 2m, at most 5m");
  return ms;
}
