// Decides who has access. Pages of other sites may not change the mailbox or listen to it, unless `--cors-origin` names
// them. Browsers may not use a host name that a stranger could point at this machine (DNS rebinding): the page may be
// the stranger's.
import { FailedLogins, TOKEN_PREFIX, type Tokens } from "../../app/index.ts";
import type { Caller, Role } from "../../model/index.ts";
import { pathOf, startOfPath } from "../base-path.ts";
import { setCaller } from "../caller.ts";
import { text } from "../json.ts";
import type { Dependencies } from "../modules/dependencies.ts";
import { cookieOf, type OidcSettings, SESSION_COOKIE, SIGN_IN_PATHS } from "../modules/sign-in.ts";
import { hostnameOf, isFromBrowser, isFromForeignPage, isTrustedHost, namedOrigin } from "../origin.ts";
import { NOT_AUTHORIZED, NOT_SIGNED_IN, ORIGIN_NOT_ALLOWED, Problem, quote } from "../problem.ts";
import { wrapFetch } from "./answer.ts";
import { problemResponse } from "./errors.ts";

/** Null if name or password is wrong. If some passwords are hashed, every refusal takes as long as a hash. */
export type VerifyUser = (user: string, password: string) => Promise<Role | null>;

export interface AccessRules {
  /** Web origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
  /** Verifies passwords. Without users and `oidc` everybody has access. */
  readonly users?: VerifyUser | undefined;
  readonly oidc?: OidcSettings | undefined;
  /** More host names that browsers may use; `*.example.com` allows all names below example.com. */
  readonly allowedHosts: readonly string[];
  /** The name or address of `--bind`. */
  readonly boundHost?: string;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const HEALTH_PATH = "/api/v1/health";
/** A caller without valid credentials, at a path that is open to everybody. */
const NOBODY: Caller = { name: null, role: "read", inboxes: [] };

const hostNotAllowed = (host: string) =>
  new Problem(
    403,
    "host_not_allowed",
    `Mailkeep does not answer browsers under the host name ${quote(host)}: any web site can point a public name at ` +
      "this machine and read the mail (DNS rebinding). If the name is yours, allow it with --allowed-host or " +
      "MAILKEEP_ALLOWED_HOST.",
  );

export function access(rules: AccessRules, { tokens, basePath, addressOf }: Dependencies) {
  const failedLogins = new FailedLogins(() => performance.now());
  const ownHosts = [...rules.allowedHosts, ...(rules.boundHost === undefined ? [] : [rules.boundHost])];
  const hasSessions = rules.oidc !== undefined;
  const openPaths = new Set<string>([HEALTH_PATH, ...(hasSessions ? Object.values(SIGN_IN_PATHS) : [])]);
  const callerOf = identify(rules.users, tokens, hasSessions);

  function refusal(request: Request): Problem | null {
    const host = request.headers.get("host") ?? "";
    if (isFromBrowser(request) && !isTrustedHost(hostnameOf(host), ownHosts)) return hostNotAllowed(host);
    const isNamed = namedOrigin(request, rules.corsOrigins) !== null;
    if (isNamed || !isChange(request)) return null;
    return isFromForeignPage(request, rules.allowedHosts) ? ORIGIN_NOT_ALLOWED : null;
  }

  return wrapFetch("access", async (request, next) => {
    const path = pathOf(request.url);
    const answerWith = isForPage(request, path) ? problemPage : problemResponse;
    const problem = refusal(request);
    if (problem !== null) return answerWith(problem);
    const caller = (await callerOf(request)) ?? (openPaths.has(path) ? NOBODY : null);
    if (caller === null) {
      if (request.headers.has("authorization")) await Bun.sleep(failedLogins.delayOf(addressOf(request)));
      else if (hasSessions && isForPage(request, path)) return toSignIn(request, basePath);
      return answerWith(hasSessions ? NOT_SIGNED_IN : NOT_AUTHORIZED);
    }
    setCaller(request, caller);
    return next(request);
  });
}

/** A WebSocket counts as a change, because CORS does not stop other pages from reading it. */
const isChange = ({ method, headers }: Request) => !SAFE_METHODS.has(method) || headers.has("upgrade");

/** Whether a person opens the page, or a link to a mail. */
const isForPage = ({ method, headers }: Request, path: string) =>
  method === "GET" && !path.startsWith("/api/") && /\btext\/html\b/i.test(headers.get("accept") ?? "");

/** What the browser shows to a person, for example after its login dialog was cancelled. */
const problemPage = ({ status, message, headers }: Problem) =>
  text(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Mailkeep</title>
<h1>Mailkeep</h1>
<p>${Bun.escapeHTML(message)}</p>
<p><a href="">Try again</a></p>
`,
    "text/html; charset=utf-8",
    { status, headers },
  );

function toSignIn({ url }: Request, basePath: string): Response {
  const to = encodeURIComponent(basePath + url.slice(startOfPath(url)));
  const location = `${basePath}${SIGN_IN_PATHS.begin}?to=${to}`;
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

/** The caller if no authentication is required. */
const EVERYBODY: Caller = { name: null, role: "admin", inboxes: null };

/**
 * The returned function finds the caller of a request. It returns null if required credentials are
 * missing, or if given credentials are wrong.
 */
function identify(users: VerifyUser | undefined, tokens: Tokens, hasSessions: boolean) {
  return async (request: Request): Promise<Caller | null> => {
    const authorization = request.headers.get("authorization") ?? "";
    const [, scheme = "", given = ""] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
    const basic = scheme.toLowerCase() === "basic" ? pairOf(given) : null;
    const token = scheme.toLowerCase() === "bearer" ? given : basic?.password;
    // A token also counts on a server without users: a test with the token of its inbox wants to see only that inbox.
    if (token?.startsWith(TOKEN_PREFIX)) {
      await tokens.refresh();
      return tokens.callerOf(token);
    }
    // Without users a password may be meant for a proxy in front, so it is ignored. Other
    // credentials are refused.
    const isUnknown = basic === null && request.headers.has("authorization");
    if (users === undefined && !hasSessions) return isUnknown ? null : EVERYBODY;
    // A valid session takes precedence over a password, because a proxy may send its own password, too.
    const secret = hasSessions ? cookieOf(request, SESSION_COOKIE) : null;
    if (secret !== null) await tokens.refresh();
    const session = secret === null ? null : tokens.callerOfSession(secret);
    if (session !== null || basic === null || users === undefined) return session;
    const role = await users(basic.user, basic.password);
    return role && { name: basic.user, role, inboxes: null };
  };
}

function pairOf(base64: string): { user: string; password: string } | null {
  const pair = Buffer.from(base64, "base64").toString();
  const colon = pair.indexOf(":");
  return colon === -1 ? null : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

const ALLOW_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const ALLOW_HEADERS =
  "authorization, content-type, if-none-match, if-range, mcp-method, mcp-name, mcp-protocol-version, range";
const EXPOSE_HEADERS = [
  "content-disposition",
  "content-length",
  "content-range",
  "etag",
  "mailkeep-blocked-remote",
  "mailkeep-hint",
  "mailkeep-parsed",
  "mailkeep-text-part",
  "retry-after",
].join(", ");
const PREFLIGHT_MAX_AGE_SECONDS = "600";

export function cors({ corsOrigins, users, oidc }: AccessRules) {
  return wrapFetch("cors", async (request, next) => {
    const origin = namedOrigin(request, corsOrigins);
    const response = await (isPreflight(request) ? preflight(origin) : next(request));
    if (!response) return response;
    if (corsOrigins.length > 0) response.headers.append("vary", "origin");
    if (origin === null) return response;
    response.headers.set("access-control-allow-origin", origin);
    response.headers.set("access-control-expose-headers", EXPOSE_HEADERS);
    if (users !== undefined || oidc !== undefined)
      response.headers.set("access-control-allow-credentials", "true");
    return response;
  });
}

const isPreflight = ({ method, headers }: Request) =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

function preflight(origin: string | null) {
  if (origin === null)
    return problemResponse(new Problem(403, "origin_not_allowed", "Pages from this origin are not allowed."));
  const headers = {
    "access-control-allow-methods": ALLOW_METHODS,
    "access-control-allow-headers": ALLOW_HEADERS,
    "access-control-max-age": PREFLIGHT_MAX_AGE_SECONDS,
  };
  return new Response(null, { status: 204, headers });
}
