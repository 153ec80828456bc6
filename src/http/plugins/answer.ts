// Wraps the application: answers HEAD and malformed requests, and gives every answer its security
// headers and a line in the log.
import { Elysia } from "elysia";
import type { Logger } from "../../lib/logger.ts";
import { percentDecoded } from "../../lib/text.ts";
import { pathOf, startOfPath, withUrl } from "../base-path.ts";
import type { RequestTimes } from "../modules/metrics.ts";
import { hostnameOf } from "../origin.ts";
import { badRequest, MALFORMED_PATH } from "../problem.ts";
import { problemResponse } from "./errors.ts";

type Answer = Response | undefined | Promise<Response | undefined>;
type Next = (request: Request) => Answer;

/** A plugin around the whole application. A request that became a WebSocket has no answer. */
export function wrapFetch(name: string, around: (request: Request, next: Next) => Answer) {
  return new Elysia({ name }).wrap((inner) => {
    const next = inner as unknown as Next;
    return ((request: Request) => around(request, next)) as unknown as typeof inner;
  });
}

/** For answers that do not set their own. */
const SECURITY_HEADERS = Object.entries({
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
});
const MALFORMED_HOST = badRequest("malformed_host", "The Host header is malformed.");
const SCHEME_CHARS = "http://".length;
const SHORTEST_HOST_CHARS = 4;

export function finishAnswer(logger: Logger, requests: RequestTimes) {
  return wrapFetch("answer", async (request, next) => {
    const started = performance.now();
    const { method } = request;
    const response = await answer(request, next);
    if (!response) return response;
    for (const [name, value] of SECURITY_HEADERS) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    const { status } = response;
    const ms = performance.now() - started;
    requests.observe(method, status, ms);
    logger.debug("http request", { method, path: pathOf(request.url), status, ms });
    return response;
  });
}

function answer(given: Request, next: Next) {
  const request = withWholeUrl(given);
  if (request === null) return problemResponse(MALFORMED_HOST);
  if (percentDecoded(pathOf(request.url)) === null) return problemResponse(MALFORMED_PATH);
  return request.method === "HEAD" ? answerHead(request, next) : next(request);
}

/**
 * Puts localhost into the URL if the Host header is missing (HTTP/1.0 allows that) or has fewer
 * than four characters (Elysia cannot read that). Null if the header is malformed.
 */
function withWholeUrl(request: Request): Request | null {
  const host = request.headers.get("host") ?? "";
  if (host !== "" && hostnameOf(host) === "") return null;
  const path = startOfPath(request.url);
  if (path >= SCHEME_CHARS + SHORTEST_HOST_CHARS) return request;
  return withUrl(request, `http://localhost${request.url.slice(path)}`);
}

const headRequests = new WeakSet<Request>();

/** Whether the client asked for HEAD. The method of the request says GET by the time a route runs. */
export const isHead = (request: Request): boolean => headRequests.has(request);

/**
 * Answers as to a GET, without the body. Elysia's own HEAD would read the whole body. The request
 * is changed, not copied, because a copy would have no connection whose time-out could be set.
 */
async function answerHead(request: Request, next: Next) {
  headRequests.add(request);
  const get = Object.defineProperty(request, "method", { value: "GET" });
  get.headers.delete("range");
  const response = await next(get);
  // Bun sets the length of a text itself, but would lose the length of a stream.
  if (!response?.headers.has("content-length")) return response;
  await response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}
