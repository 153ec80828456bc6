// Who the caller is, and the tokens of programs.
import { CreatedToken, Me, TokenList, TokenRequest } from "../../model/index.ts";
import { EXPIRY, parseExpiry } from "../../query/index.ts";
import { callerOf, unknownInbox } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { jsonAnswer, problem, UNKNOWN_INBOX } from "../openapi/responses.ts";
import { invalidField, notFound, quote } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

const unknownToken = (id: string) => notFound("unknown_token", `No token has the id ${quote(id)}.`);

export function accessRoutes({ tokens, inboxes, now }: Dependencies, sign_in: Me["sign_in"]) {
  return routes(
    "Access",
    route("getMe", "GET /api/v1/me", "read", {
      summary: "Who is asking, and what they may do",
      responses: { 200: jsonAnswer("The caller.", Me) },
      answer: ({ request }): Me => {
        const { name, role, inboxes } = callerOf(request);
        return { name, role, inboxes: inboxes && [...inboxes], sign_in };
      },
    }),
    route("listTokens", "GET /api/v1/tokens", "admin", {
      summary: "The tokens, the oldest first",
      description:
        "Expired tokens are left out. The token texts are not returned: only their hashes are kept.",
      responses: { 200: jsonAnswer("The tokens.", TokenList) },
      answer: (): TokenList => ({ tokens: tokens.list() }),
    }),
    route("createToken", "POST /api/v1/tokens", "admin", {
      summary: "Create a token",
      description:
        "Send it as `Authorization: Bearer mk_…`, or as the password of Basic authentication with any user name. " +
        "A token that is limited to inboxes can have the role `read` or `write`, but not `admin`.",
      body: TokenRequest,
      responses: { 201: jsonAnswer("The token, shown only once.", CreatedToken), ...UNKNOWN_INBOX },
      answer: async ({ body }): Promise<CreatedToken> => {
        const { name, role, expires } = body;
        const named = [body.inboxes ?? [], body.inbox ?? []].flat();
        const scope = named.length === 0 ? null : [...new Set(named)];
        if (role === "admin" && scope !== null)
          throw invalidField("role", "must be read or write for a token of an inbox");
        for (const inbox of named) if (!(await inboxes.has(inbox))) throw unknownInbox(inbox);
        const expiresAt = expires === undefined ? null : expiryOf(expires, now());
        return tokens.create({ name, role, inboxes: scope, expiresAt });
      },
    }),
    route("deleteToken", "DELETE /api/v1/tokens/:tid", "admin", {
      summary: "Revoke a token",
      description:
        "Its next request is refused, its waiting requests end with 401, and its WebSockets are closed with 4003.",
      responses: {
        204: { description: "Revoked." },
        ...problem("No token has this id.", unknownToken("01JQ4Z8R5T2M9XK3W7V1B6C0DE")),
      },
      answer: async ({ params: { tid } }) => {
        if (!(await tokens.revoke(tid))) throw unknownToken(tid);
      },
    }),
  );
}

/** Reads a time, or a duration from now on, such as "7d". */
export function expiryOf(text: string, now: Date): Date {
  const expiry = parseExpiry(text, now);
  if (expiry) return expiry;
  throw invalidField("expires", `must be ${EXPIRY}`);
}
