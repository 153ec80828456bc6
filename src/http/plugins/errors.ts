// Gives errors of other layers a status. Errors are answered as JSON without a stack; only browsers
// at an unknown path get a page.
import { Elysia } from "elysia";
import {
  AccessEndedError,
  FieldError,
  InboxRemovedError,
  ReleaseError,
  type ReleaseErrorCode,
  WaitAbandonedError,
} from "../../app/index.ts";
import type { Logger } from "../../lib/logger.ts";
import { StoreError, type StoreErrorCode } from "../../store/index.ts";
import { unknownInbox } from "../caller.ts";
import { json } from "../json.ts";
import {
  ACCESS_ENDED,
  INTERNAL_ERROR,
  INVALID_JSON,
  invalidField,
  Problem,
  STOPPING,
  unknownPath,
} from "../problem.ts";

/** All other errors of the store are 503, except `io_error`, which is 500. */
const STORE_STATUS: { readonly [code in StoreErrorCode]?: number } = {
  unknown_cursor: 400,
  unknown_message: 404,
  disk_full: 507,
};

const RELEASE_STATUS: Readonly<Record<ReleaseErrorCode, number>> = {
  release_disabled: 403,
  release_forbidden: 403,
  release_refused: 502,
  release_unreachable: 502,
  release_timeout: 504,
};

/** At a path that no route has, except below /api, browsers get `unknownPage` instead of JSON. */
export function errors(
  logger: Logger,
  methodsOf: (path: string) => string[],
  unknownPage: (request: Request, path: string) => Promise<Response | undefined>,
) {
  return new Elysia({ name: "errors" }).onError({ as: "global" }, async ({ code, error, request, path }) => {
    const allowed = methodsOf(path);
    // DELETE /messages/latest reaches the route for an id, but must be refused as a method that is not allowed.
    if (code === "NOT_FOUND" || !allowed.includes(request.method)) {
      const page = allowed.length === 0 ? await unknownPage(request, path) : undefined;
      return page ?? unrouted(request, allowed);
    }
    if (code === "PARSE") return problemResponse(asProblem(error) ?? asProblem(error.cause) ?? INVALID_JSON);
    const problem = asProblem(error);
    if (problem) return problemResponse(problem);
    logger.error("request failed", {
      method: request.method,
      path,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return problemResponse(INTERNAL_ERROR);
  });
}

export function problemResponse({ status, code, message, headers }: Problem) {
  return json({ error: message, code }, { status, headers });
}

function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  // The system's message of an `io_error` goes only to the log, because it names files.
  if (error instanceof StoreError && error.code !== "io_error") {
    return new Problem(STORE_STATUS[error.code] ?? 503, error.code, asSentence(error.message));
  }
  if (error instanceof ReleaseError) {
    return new Problem(RELEASE_STATUS[error.code], error.code, error.message);
  }
  if (error instanceof FieldError) return invalidField(error.field, error.reason);
  if (error instanceof WaitAbandonedError) return STOPPING;
  if (error instanceof InboxRemovedError) return unknownInbox(error.inbox);
  if (error instanceof AccessEndedError) return ACCESS_ENDED;
  return undefined;
}

/** Messages of store errors are written for log lines, without a capital and a full stop. */
const asSentence = (clause: string) =>
  `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${clause.endsWith(".") ? "" : "."}`;

function unrouted(request: Request, allowed: readonly string[]) {
  if (allowed.length === 0) return problemResponse(unknownPath());
  const allow = allowed.join(", ");
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  const sentence = `${request.method} is not allowed here; allowed: ${allow}.`;
  return problemResponse(new Problem(405, "method_not_allowed", sentence, { allow }));
}
