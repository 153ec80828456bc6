// Decides who has access. Pages of other sites may not change the mailbox or listen to it, and browsers may not use a
// host name that a stranger can point here, because the page may be theirs (DNS rebinding). Reading across origins is
// left to CORS.

import type { Tokens } from "../../app/index.ts";
import { FailedLogins } from "../../lib/failed-logins.ts";
import type { Caller } from "../../model/index.ts";
import { identify, SIGN_IN_PATHS } from "../authenticate.ts";
import { pathOf, startOfPath } from "../base-path.ts";
import { setCaller } from "../caller.ts";
import { hostnameOf, isFromBrowser, isFromForeignPage, isTrustedHost, namedOrigin } from "../origin.ts";
import { NOT_AUTHORIZED, NOT_SIGNED_IN, ORIGIN_NOT_ALLOWED, Problem, quote } from "../problem.ts";
import { wrapFetch } from "../wrap-fetch.ts";
import type { CorsRules } from "./cors.ts";
import { problemResponse } from "./errors.ts";

export interface AccessRules extends CorsRules {
  /** Further host names for browsers; `*.example.com` for all names below one. */
  readonly allowedHosts: readonly string[];
  /** The name or address that the server was told to listen on. */
  readonly boundHost?: string;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const HEALTH_PATH = "/api/v1/health";
/** The caller of routes that are open to everybody. */
const NOBODY: Caller = { name: null, role: "read", inboxes: [] };

const hostNotAllowed = (host: string) =>
  new Problem(
    403,
    "host_not_allowed",
    `Mailkeep does not answer browsers under the host name ${quote(host)}: any web site can point a public name at ` +
      "this machine and read the mail (DNS rebinding). If the name is yours, allow it with --allowed-host or " +
      "MAILKEEP_ALLOWED_HOST.",
  );

export interface AccessOptions {
  readonly rules: AccessRules;
  readonly tokens: Tokens;
  readonly basePath: string;
  readonly addressOf: (request: Request) => string;
}

export function access({ rules, tokens, basePath, addressOf }: AccessOptions) {
  const failedLogins = new FailedLogins(() => performance.now());
  const ownHosts = [...rules.allowedHosts, ...(rules.boundHost === undefined ? [] : [rules.boundHost])];
  const hasSessions = rules.oidc !== undefined;
  const openPaths = new Set<string>([HEALTH_PATH, ...(hasSessions ? Object.values(SIGN_IN_PATHS) : [])]);
  const callerOf = identify({ users: rules.users, tokens, hasSessions });

  function refusal(request: Request): Problem | null {
    const host = request.headers.get("host") ?? "";
    if (isFromBrowser(request) && !isTrustedHost(hostnameOf(host), ownHosts)) return hostNotAllowed(host);
    if (isChange(request) && isForeign(request)) return ORIGIN_NOT_ALLOWED;
    return null;
  }

  const isForeign = (request: Request) =>
    namedOrigin(request, rules.corsOrigins) === null && isFromForeignPage(request, rules.allowedHosts);

  return wrapFetch("access", async (request, next) => {
    const problem = refusal(request);
    if (problem !== null) return problemResponse(problem);
    const path = pathOf(request.url);
    const caller = (await callerOf(request)) ?? (openPaths.has(path) ? NOBODY : null);
    if (caller === null) {
      if (request.headers.has("authorization")) await Bun.sleep(failedLogins.delayOf(addressOf(request)));
      else if (hasSessions && isForPage(request, path)) return toSignIn(request, basePath);
      return problemResponse(hasSessions ? NOT_SIGNED_IN : NOT_AUTHORIZED);
    }
    setCaller(request, caller);
    return next(request);
  });
}

/** A WebSocket counts as a change: it is opened by GET, but CORS does not stop a page from reading it. */
const isChange = ({ method, headers }: Request) => !SAFE_METHODS.has(method) || headers.has("upgrade");

/** A person opens the page, or a link to a mail. */
const isForPage = ({ method, headers }: Request, path: string) =>
  method === "GET" && !path.startsWith("/api/") && /\btext\/html\b/i.test(headers.get("accept") ?? "");

function toSignIn({ url }: Request, basePath: string): Response {
  const to = encodeURIComponent(basePath + url.slice(startOfPath(url)));
  const location = `${basePath}${SIGN_IN_PATHS.begin}?to=${to}`;
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}
