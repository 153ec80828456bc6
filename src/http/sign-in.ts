// Who a request comes from, by what it brings along: a password (Basic, RFC 7617) or a token (Bearer, RFC 6750).
// A token may also stand in for the password, for programs that know only user and password.
import { TOKEN_PREFIX, type Tokens } from "../app/index.ts";
import type { Caller, Role } from "../model/index.ts";

/** The role of a user with this password; null when it is wrong. Takes the same time whatever is wrong. */
export type VerifyUser = (user: string, password: string) => Promise<Role | null>;

/** Whoever comes while no authentication is asked for. */
const EVERYBODY: Caller = { name: null, role: "admin", inboxes: null };

/** Null when this request must not be answered. */
export function identify(users: VerifyUser | undefined, tokens: Tokens) {
  return async ({ headers }: Request): Promise<Caller | null> => {
    const [, scheme = "", given = ""] = /^(\w+) +(\S+)$/.exec(headers.get("authorization") ?? "") ?? [];
    const basic = scheme.toLowerCase() === "basic" ? pairOf(given) : null;
    const token = scheme.toLowerCase() === "bearer" ? given : basic?.password;
    // Also where nobody is asked: a test that comes with the token of its inbox wants to see that inbox.
    if (token?.startsWith(TOKEN_PREFIX)) {
      await tokens.refresh();
      return tokens.callerOf(token);
    }
    if (users === undefined) return EVERYBODY;
    if (basic === null) return null;
    const role = await users(basic.user, basic.password);
    return role && { name: basic.user, role, inboxes: null };
  };
}

function pairOf(base64: string): { user: string; password: string } | null {
  const pair = Buffer.from(base64, "base64").toString();
  const colon = pair.indexOf(":");
  return colon === -1 ? null : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}
