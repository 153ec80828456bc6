// What a DELETE on the mailbox means. Removing too much cannot be undone:
// whatever is not understood, or filters nothing, removes nothing.
import { Value } from "@sinclair/typebox/value";
import { BulkDeleteRequest, type MessageFilter } from "../../../model/index.ts";
import { NO_BODY } from "../../body.ts";
import { FILTER_NAMES, readFilter } from "../../filters.ts";
import { badRequest, quote } from "../../problem.ts";
import type { QueryString } from "../../query-string.ts";

export type Deletion = "all" | { readonly filter: MessageFilter } | { readonly ids: string[] };

const KNOWN: ReadonlySet<string> = new Set(FILTER_NAMES);

export function readDeletion(query: QueryString, body: unknown): Deletion {
  if (body !== undefined && body !== NO_BODY) return readIds(query, body);
  if (query.names.length === 0) return "all";
  const unknown = query.names.find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw unknownFilter(unknown);
  }
  const filter = readFilter(query);
  if (Object.keys(filter).length === 0) {
    throw badRequest(
      "empty_filter",
      "The given filters match every message; nothing was deleted. Leave them out to delete all.",
    );
  }
  return { filter };
}

export const conflictingSelection = (outcome: "changed" | "deleted") =>
  badRequest(
    "conflicting_selection",
    `Filters and a body with ids cannot be combined; nothing was ${outcome}.`,
  );

export const unknownFilter = (name: string) =>
  badRequest("unknown_parameter", `There is no filter ${quote(name)}; nothing was deleted.`);

function readIds(query: QueryString, body: unknown): Deletion {
  if (query.names.length > 0) throw conflictingSelection("deleted");
  if (!Value.Check(BulkDeleteRequest, body)) {
    throw badRequest("invalid_body", 'The body must be {"ids": [...]} with up to 1000 ids, each a string.');
  }
  return { ids: [...new Set(body.ids)] };
}
