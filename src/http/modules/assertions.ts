// The count assertion for CI: 200 when the count holds, 417 otherwise, so that `curl -f` fails the pipeline.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Expectations } from "../../app/index.ts";
import { CountFails, CountHolds } from "../../model/index.ts";
import { readDuration } from "../duration.ts";
import { readFilter } from "../filters.ts";
import { documented, jsonAnswer, type OperationSpec, type Parameter } from "../openapi/operation.ts";
import { COUNT_FILTERS, EXACT_FILTERS, SPECIFIED_FILTERS, timeoutParameter } from "../openapi/parameters.ts";
import { NO_STORE_HEADER } from "../openapi/response-headers.ts";
import { BAD_PARAMETER } from "../openapi/shared-responses.ts";
import { invalid, QueryString } from "../query-string.ts";

const bound = (name: string, description: string): Parameter => ({
  name,
  in: "query",
  description,
  schema: Type.Integer({ minimum: 0, format: "int64" }),
});

const COUNT_DOC: OperationSpec = {
  operationId: "assertCount",
  summary: "Assert how many messages match",
  description:
    "With neither `min` nor `max` it always passes. With `timeout` it answers as soon as the count holds; with " +
    "`settle` the count must go on holding that long first. `timeout` is the time for it to begin to hold: a count " +
    "that holds by then may settle beyond it, so that the answer comes after `timeout` + `settle` at the latest.",
  tags: ["Testing"],
  parameters: [
    bound("min", "At least this many."),
    bound("max", "At most this many."),
    ...COUNT_FILTERS,
    ...EXACT_FILTERS,
    ...SPECIFIED_FILTERS,
    timeoutParameter("How long to wait for the count to hold, at most 5m; not at all when not given."),
    { ...timeoutParameter("How long the count must hold, at most 5m."), name: "settle" },
  ],
  responses: {
    200: jsonAnswer("The count holds.", CountHolds, NO_STORE_HEADER),
    417: jsonAnswer("It does not.", CountFails, NO_STORE_HEADER),
    ...BAD_PARAMETER,
  },
};

export interface AssertionsOptions {
  readonly expectations: Expectations;
  readonly keepOpen: (request: Request) => void;
}

export function assertions({ expectations, keepOpen }: AssertionsOptions) {
  return new Elysia().get(
    "/api/v1/assert/count",
    async ({ request, set }): Promise<CountHolds | CountFails> => {
      const query = new QueryString(request.url);
      const min = readBound(query, "min");
      const max = readBound(query, "max");
      const timeoutMs = readDuration(query, "timeout");
      const settleMs = readDuration(query, "settle");
      const filter = readFilter(query);
      if (timeoutMs !== undefined || settleMs !== undefined || filter.q !== undefined) keepOpen(request);
      const { ok, count, waitedMs, nearMisses } = await expectations.count(
        {
          filter,
          ...(min !== undefined && { min }),
          ...(max !== undefined && { max }),
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(settleMs !== undefined && { settleMs }),
        },
        request.signal,
      );
      const waited = waitedMs === undefined ? {} : { waited_ms: waitedMs };
      if (ok) return { ok, count, ...waited };
      set.status = 417;
      return {
        ok,
        count,
        expected_min: min ?? null,
        expected_max: max ?? null,
        ...waited,
        ...(nearMisses && { near_misses: nearMisses }),
      };
    },
    documented(COUNT_DOC),
  );
}

function readBound(query: QueryString, name: "min" | "max"): number | undefined {
  const value = query.integer(name);
  if (value !== undefined && value < 0)
    throw invalid(name, query.text(name) ?? "", "an integer of at least 0");
  return value;
}
