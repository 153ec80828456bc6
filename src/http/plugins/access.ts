// Who may come in. No page from elsewhere may change the mailbox or listen to it, and no browser may come under a name
// that a stranger can point here: behind it may be a page of theirs (DNS rebinding). Reading across origins is CORS's
// matter.
import { createHash, timingSafeEqual } from "node:crypto";
import { FailedLogins } from "../../lib/failed-logins.ts";
import type { Caller } from "../../model/index.ts";
import { pathOf } from "../base-path.ts";
import { setCaller } from "../caller.ts";
import { hostnameOf, isFromBrowser, isFromForeignPage, isTrustedHost, namedOrigin } from "../origin.ts";
import { NOT_AUTHORIZED, ORIGIN_NOT_ALLOWED, Problem, quote } from "../problem.ts";
import { wrapFetch } from "../wrap-fetch.ts";
import type { CorsRules } from "./cors.ts";
import { problemResponse } from "./errors.ts";

export interface AccessRules extends CorsRules {
  /** Further host names under which browsers may come; `*.example.com` for all below one. */
  readonly allowedHosts: readonly string[];
  /** The name or address that the server was told to listen on. */
  readonly boundHost?: string;
  /** `user:password` for Basic authentication on everything but health. */
  readonly httpAuth?: string | undefined;
}

/** Whoever comes while no authentication is asked for. */
const EVERYBODY: Caller = { name: null, role: "admin", inboxes: null };
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const HEALTH_PATH = "/api/v1/health";

const hostNotAllowed = (host: string) =>
  new Problem(
    403,
    "host_not_allowed",
    `Mailkeep does not answer browsers under the host name ${quote(host)}: any web site can point a public name at ` +
      "this machine and read the mail (DNS rebinding). If the name is yours, allow it with --allowed-host or " +
      "MAILKEEP_ALLOWED_HOST.",
  );

export function access(rules: AccessRules, addressOf: (request: Request) => string) {
  const failedLogins = new FailedLogins(() => performance.now());
  const ownHosts = [...rules.allowedHosts, ...(rules.boundHost === undefined ? [] : [rules.boundHost])];
  const isAuthorized = rules.httpAuth === undefined ? () => true : basicAuth(rules.httpAuth);

  function refusal(request: Request): Problem | null {
    const host = request.headers.get("host") ?? "";
    if (isFromBrowser(request) && !isTrustedHost(hostnameOf(host), ownHosts)) return hostNotAllowed(host);
    if (isChange(request) && isForeign(request)) return ORIGIN_NOT_ALLOWED;
    if (!isAuthorized(request) && pathOf(request.url) !== HEALTH_PATH) return NOT_AUTHORIZED;
    return null;
  }

  const isForeign = (request: Request) =>
    namedOrigin(request, rules.corsOrigins) === null && isFromForeignPage(request, rules.allowedHosts);

  return wrapFetch("access", (request, next) => {
    const problem = refusal(request);
    if (problem === null) {
      setCaller(request, EVERYBODY);
      return next(request);
    }
    const isWrongPassword = problem === NOT_AUTHORIZED && request.headers.has("authorization");
    const delayMs = isWrongPassword ? failedLogins.delayOf(addressOf(request)) : 0;
    const answer = problemResponse(problem);
    return delayMs === 0 ? answer : Bun.sleep(delayMs).then(() => answer);
  });
}

/** A WebSocket counts as one: it is opened by GET, but no CORS rule keeps a page from reading it. */
const isChange = ({ method, headers }: Request) => !SAFE_METHODS.has(method) || headers.has("upgrade");

/** Basic authentication (RFC 7617) in constant time; `credentials` is `user:password`. */
function basicAuth(credentials: string): (request: Request) => boolean {
  const expected = digest(`Basic ${Buffer.from(credentials).toString("base64")}`);
  return ({ headers }) => {
    const given = (headers.get("authorization") ?? "").replace(/^basic\s+/i, "Basic ");
    return timingSafeEqual(digest(given), expected);
  };
}

/** Digests have one length, so comparing them tells nothing about the secret's. */
const digest = (text: string) => createHash("sha256").update(text).digest();
