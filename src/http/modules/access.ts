// Who the caller is, and the tokens of programs.
import { Elysia } from "elysia";
import { parseDuration } from "../../lib/duration.ts";
import { CreatedToken, Me, TokenList, TokenRequest } from "../../model/index.ts";
import { callerOf } from "../caller.ts";
import { operation } from "../openapi/operation.ts";
import { BAD_BODY, jsonAnswer, NO_STORE, problem } from "../openapi/responses.ts";
import { invalidField, Problem, quote } from "../problem.ts";
import { unknownInbox } from "../scope.ts";
import type { Dependencies } from "./dependencies.ts";

export interface AccessOptions extends Pick<Dependencies, "tokens" | "inboxes"> {
  readonly now: () => Date;
  readonly signIn: Me["sign_in"];
}

const EXAMPLE_TOKEN_ID = "5f0c2a9be1d43786";
const unknownToken = (id: string) => new Problem(404, "unknown_token", `No token has the id ${quote(id)}.`);

const ME = operation({
  operationId: "getMe",
  summary: "Who is asking, and what they may do",
  tags: ["Access"],
  responses: { 200: jsonAnswer("The caller.", Me) },
});

const LIST = operation({
  operationId: "listTokens",
  summary: "The tokens, the oldest first",
  description: "Without those that have expired, and without the secrets, of which only hashes are kept.",
  tags: ["Access"],
  responses: { 200: jsonAnswer("The tokens.", TokenList) },
});

const CREATE = operation({
  operationId: "createToken",
  summary: "Create a token",
  description:
    "Send it as `Authorization: Bearer mk_…`, or as the password of Basic authentication with any user name. " +
    "A token for some inboxes can read or write; administration is for all mail.",
  tags: ["Access"],
  body: TokenRequest,
  responses: {
    201: jsonAnswer("The token, shown this once.", CreatedToken),
    ...BAD_BODY,
    404: problem("No inbox has this name.", unknownInbox("ci-42")),
  },
});

const DELETE = operation({
  operationId: "deleteToken",
  summary: "Revoke a token",
  description:
    "Its next request is refused, its waits end with 401, and its WebSockets are closed with 4003.",
  tags: ["Access"],
  responses: {
    204: { description: "Revoked.", headers: NO_STORE },
    ...BAD_BODY,
    404: problem("No token has this id.", unknownToken(EXAMPLE_TOKEN_ID)),
  },
});

export function accessRoutes({ tokens, inboxes, now, signIn }: AccessOptions) {
  return new Elysia({ prefix: "/api/v1" })
    .get(
      "/me",
      ({ request }): Me => {
        const { name, role, inboxes } = callerOf(request);
        return { name, role, inboxes: inboxes && [...inboxes], sign_in: signIn };
      },
      ME,
    )
    .get("/tokens", (): TokenList => ({ tokens: tokens.list() }), LIST)
    .post(
      "/tokens",
      async ({ body, set }): Promise<CreatedToken> => {
        const { name = null, role, expires } = body;
        const named = [...(body.inboxes ?? []), ...(body.inbox === undefined ? [] : [body.inbox])];
        const scope = named.length === 0 ? null : [...new Set(named)];
        if (role === "admin" && scope !== null)
          throw invalidField("role", "must be read or write for a token of an inbox");
        for (const inbox of named) if (!(await inboxes.has(inbox))) throw unknownInbox(inbox);
        const expiresAt = expires === undefined ? null : expiryOf(expires, now());
        const created = await tokens.create({ name, role, inboxes: scope, expiresAt });
        set.status = 201;
        return created;
      },
      CREATE,
    )
    .delete(
      "/tokens/:tid",
      async ({ params: { tid } }) => {
        if (!(await tokens.revoke(tid))) throw unknownToken(tid);
        return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
      },
      DELETE,
    );
}

/** A span such as "7d" from now on, or an instant. */
export function expiryOf(text: string, now: Date): Date {
  const span = parseDuration(text);
  const isInstant = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const expiry = span === null ? new Date(isInstant ? text : Number.NaN) : new Date(now.getTime() + span);
  if (expiry > now) return expiry;
  throw invalidField(
    "expires",
    "must be a span of time such as 7d, or a time to come such as 2026-11-14T10:00:00Z",
  );
}
