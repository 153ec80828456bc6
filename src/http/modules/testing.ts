// For tests: wait for a mail, get the latest mail, assert a count, and extract links and codes. If a wait or an
// assertion fails, the answer is 417, so that `curl -f` fails the pipeline.
import { CodeList, CountFails, CountHolds, LinkList, Message, WaitTimedOut } from "../../model/index.ts";
import { FILTERS, filterOf } from "../filters.ts";
import { foundOf } from "../mail-content.ts";
import { route, routes } from "../openapi/operation.ts";
import { jsonAnswer, PARSED, problem, UNKNOWN_INBOX } from "../openapi/responses.ts";
import { count, query, span } from "../parameters.ts";
import { notFound } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";
import { BODY_CHARS, withBodyChars } from "./messages/messages.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const NO_MATCH = notFound("no_match", "No message matches.");

export const TIMEOUT = span("How long to wait, such as 500ms, 10s or 2m, at most 5m; 10s unless given.");

export function testing({ mailOf, reader, expectationsOf, keepOpen }: Dependencies) {
  return routes(
    "Testing",
    route("waitForMessage", "GET /api/v1/messages/wait", "read", {
      summary: "Wait for a message",
      description: "Answers with the oldest message that matches, at once or as soon as it arrives.",
      query: query({ ...FILTERS, timeout: TIMEOUT, body_chars: BODY_CHARS }),
      responses: {
        200: jsonAnswer("The message.", Message, PARSED),
        417: jsonAnswer(
          "Nothing matched in time; lists the newest mails that did not match, and why.",
          WaitTimedOut,
        ),
        ...UNKNOWN_INBOX,
      },
      answer: async ({ request, query, set }): Promise<Message | WaitTimedOut> => {
        const { timeout: timeoutMs = DEFAULT_TIMEOUT_MS, body_chars, ...filters } = query;
        const filter = filterOf(filters, set.headers);
        keepOpen(request);
        const arrival = await expectationsOf(request).arrival(filter, timeoutMs, request.signal);
        if (arrival.id !== null)
          return withBodyChars(
            await foundOf(arrival.id, reader.message(arrival.id), set.headers),
            body_chars,
          );
        set.status = 417;
        const error = `No message matched within ${timeoutMs} ms.`;
        return { error, code: "timeout", waited_ms: arrival.waitedMs, near_misses: arrival.nearMisses };
      },
    }),
    route("getLatestMessage", "GET /api/v1/messages/latest", "read", {
      summary: "The newest message that matches",
      query: query(FILTERS),
      responses: {
        200: jsonAnswer("The message.", Message, PARSED),
        ...problem("No message matches.", NO_MATCH),
      },
      answer: async ({ request, query, set }): Promise<Message> => {
        const filter = filterOf(query, set.headers);
        const [newest] = (await mailOf(request).list({ filter, limit: 1 })).messages;
        if (!newest) throw NO_MATCH;
        return foundOf(newest.id, reader.message(newest.id), set.headers);
      },
    }),
    route("assertCount", "GET /api/v1/assert/count", "read", {
      summary: "Assert how many messages match",
      description:
        "With neither `min` nor `max` it always passes. With `timeout` it waits until the count is true; with `settle` the " +
        "count must then stay true for that long. The answer comes after `timeout` + `settle` at the latest.",
      query: query({
        min: count("At least this many."),
        max: count("At most this many."),
        ...FILTERS,
        timeout: span(
          "How long to wait for the count to become true, at most 5m; by default it does not wait.",
        ),
        settle: span("How long the count must hold, at most 5m."),
      }),
      responses: {
        200: jsonAnswer("The count holds.", CountHolds),
        417: jsonAnswer("It does not.", CountFails),
        ...UNKNOWN_INBOX,
      },
      answer: async ({ request, query, set }): Promise<CountHolds | CountFails> => {
        const { min, max, timeout, settle, ...filters } = query;
        const filter = filterOf(filters, set.headers);
        if (timeout !== undefined || settle !== undefined) keepOpen(request);
        const { ok, count, waitedMs, nearMisses } = await expectationsOf(request).count(
          { filter, min, max, timeoutMs: timeout, settleMs: settle },
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
    }),
    route("getMessageLinks", "GET /api/v1/messages/:id/links", "read", {
      summary: "Every link of the message",
      description:
        "http, https, mailto and tel links, each once: those of the HTML in the order of the document, then what " +
        "only the text part or the List headers have. At most 10,000, from the first 4 MiB of each.",
      responses: { 200: jsonAnswer("The links.", LinkList, PARSED) },
      answer: async ({ params: { id }, set }): Promise<LinkList> => ({
        links: await foundOf(id, reader.links(id), set.headers),
      }),
    }),
    route("getMessageCodes", "GET /api/v1/messages/:id/codes", "read", {
      summary: "One-time codes in the message",
      description:
        "4 to 10 digits, or letters and digits mixed; best guess first, at most 20, from the first 200,000 characters and 500 numbers.",
      responses: { 200: jsonAnswer("The codes.", CodeList, PARSED) },
      answer: async ({ params: { id }, set }): Promise<CodeList> => ({
        codes: await foundOf(id, reader.codes(id), set.headers),
      }),
    }),
  );
}
