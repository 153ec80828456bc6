// For tests: the next mail that matches, as soon as it is there, and the latest one.
import { Elysia } from "elysia";
import type { Expectations, MessageReader } from "../../../app/index.ts";
import { Message, type NearMiss, WaitTimedOut } from "../../../model/index.ts";
import type { Store } from "../../../store/index.ts";
import { readDuration } from "../../duration.ts";
import { readFilter } from "../../filters.ts";
import { documented, jsonAnswer, type OperationSpec, problem } from "../../openapi/operation.ts";
import { FILTERS, timeoutParameter } from "../../openapi/parameters.ts";
import { NO_STORE_HEADER, PARSED_HEADER } from "../../openapi/response-headers.ts";
import { BAD_PARAMETER } from "../../openapi/shared-responses.ts";
import { parsedHeader } from "../../parsed-header.ts";
import { known, Problem } from "../../problem.ts";
import { QueryString } from "../../query-string.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const NO_MATCH = new Problem(404, "no_match", "No message matches.");

const WAIT_DOC: OperationSpec = {
  operationId: "waitForMessage",
  summary: "Wait for a message",
  description: "Answers with the oldest message that matches, at once or as soon as it arrives.",
  tags: ["Testing"],
  parameters: [...FILTERS, timeoutParameter("How long to wait, at most 5m; 10s when not given.")],
  responses: {
    200: jsonAnswer("The message.", Message, { ...NO_STORE_HEADER, ...PARSED_HEADER }),
    417: jsonAnswer(
      "Nothing matched in time; the newest mails that missed, and why.",
      WaitTimedOut,
      NO_STORE_HEADER,
    ),
    ...BAD_PARAMETER,
  },
};

const LATEST_DOC: OperationSpec = {
  operationId: "getLatestMessage",
  summary: "The newest message that matches",
  tags: ["Testing"],
  parameters: FILTERS,
  responses: {
    200: jsonAnswer("The message.", Message, { ...NO_STORE_HEADER, ...PARSED_HEADER }),
    ...BAD_PARAMETER,
    404: problem("No message matches.", NO_MATCH),
  },
};

export interface WaitingOptions {
  readonly store: Store;
  readonly reader: MessageReader;
  readonly expectations: Expectations;
  readonly keepOpen: (request: Request) => void;
}

export function waiting({ store, reader, expectations, keepOpen }: WaitingOptions) {
  /** What is deleted between being found and being read is no answer: the next one is. */
  const readFound = async (find: () => Promise<string | null>, headers: object): Promise<Message | null> => {
    for (;;) {
      const id = await find();
      if (id === null) return null;
      try {
        const message = await known(id, reader.message(id));
        Object.assign(headers, parsedHeader(message));
        return message.found;
      } catch (error) {
        if (await store.get(id)) throw error;
      }
    }
  };
  return new Elysia({ prefix: "/api/v1/messages" })
    .get(
      "/wait",
      async ({ request, set }): Promise<Message | WaitTimedOut> => {
        const query = new QueryString(request.url);
        const filter = readFilter(query);
        const timeoutMs = readDuration(query, "timeout") ?? DEFAULT_TIMEOUT_MS;
        keepOpen(request);
        let waited_ms = 0;
        let near_misses: NearMiss[] = [];
        const message = await readFound(async () => {
          const left = Math.max(0, timeoutMs - waited_ms);
          const arrival = await expectations.arrival(filter, left, request.signal);
          waited_ms += arrival.waitedMs;
          if (arrival.id === null) near_misses = arrival.nearMisses;
          return arrival.id;
        }, set.headers);
        if (message) return message;
        set.status = 417;
        const error = `No message matched within ${timeoutMs} ms.`;
        return { error, code: "timeout", waited_ms, near_misses };
      },
      documented(WAIT_DOC),
    )
    .get(
      "/latest",
      async ({ request, set }): Promise<Message> => {
        const filter = readFilter(new QueryString(request.url));
        if (filter.q !== undefined) keepOpen(request);
        const newest = async () => (await store.list({ filter, limit: 1 })).messages[0]?.id ?? null;
        const message = await readFound(newest, set.headers);
        if (!message) throw NO_MATCH;
        return message;
      },
      documented(LATEST_DOC),
    );
}
