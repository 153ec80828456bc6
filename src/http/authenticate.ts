// Finds out who sent a request, by its password (Basic, RFC 7617), token (Bearer, RFC 6750) or session cookie. A token
// may also be sent as the password, for programs that know only user and password.
import { TOKEN_PREFIX, type Tokens } from "../app/index.ts";
import type { Caller } from "../model/index.ts";

/** What a user with this password may do; null if it is wrong. It takes the same time for any mistake. */
export type VerifyUser = (user: string, password: string) => Promise<Pick<Caller, "role" | "ended"> | null>;

export const SESSION_COOKIE = "mailkeep_session";

export const SIGN_IN_PATHS = {
  begin: "/auth/sign-in",
  callback: "/auth/callback",
  end: "/auth/sign-out",
} as const;

/** Every caller while no authentication is required. */
const EVERYBODY: Caller = { name: null, role: "admin", inboxes: null };

/** `hasSessions`: browsers sign in. Null when this request must not be answered. */
export function identify(users: VerifyUser | undefined, tokens: Tokens, hasSessions: boolean) {
  return async (request: Request): Promise<Caller | null> => {
    const authorization = request.headers.get("authorization") ?? "";
    const [, scheme = "", given = ""] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
    const basic = scheme.toLowerCase() === "basic" ? pairOf(given) : null;
    const token = scheme.toLowerCase() === "bearer" ? given : basic?.password;
    // Even on a server without users: a test that sends the token of its inbox wants to see only that inbox.
    if (token?.startsWith(TOKEN_PREFIX)) {
      await tokens.refresh();
      return tokens.callerOf(token);
    }
    // A proxy in front may have asked for a password. Any other credentials are meant for us.
    const isUnknown = basic === null && request.headers.has("authorization");
    if (users === undefined && !hasSessions) return isUnknown ? null : EVERYBODY;
    // A proxy may send a password of its own along with the cookie.
    const secret = hasSessions ? cookieOf(request, SESSION_COOKIE) : undefined;
    if (secret !== undefined) await tokens.refresh();
    const session = secret === undefined ? null : tokens.callerOfSession(secret);
    if (session !== null || basic === null || users === undefined) return session;
    const user = await users(basic.user, basic.password);
    return user && { name: basic.user, inboxes: null, ...user };
  };
}

function pairOf(base64: string): { user: string; password: string } | null {
  const pair = Buffer.from(base64, "base64").toString();
  const colon = pair.indexOf(":");
  return colon === -1 ? null : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

export function cookieOf({ headers }: Request, name: string): string | undefined {
  const cookies = (headers.get("cookie") ?? "").split(";").map((one) => one.trim());
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
}
