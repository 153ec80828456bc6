// Who may come in. No page from elsewhere may read or change the mailbox: foreign origins are refused,
// and so is a browser that was led here under a name that is not ours (DNS rebinding).
import { createHash, timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import { Problem } from "../problem.ts";
import { hostnameOf, isNamed, isTrustedHost } from "../trusted-host.ts";
import { wrapFetch } from "../wrap-fetch.ts";
import { problemResponse } from "./errors.ts";

export interface AccessRules {
  /** Further host names under which browsers may come; `*.example.com` for all below one. */
  readonly allowedHosts: readonly string[];
  /** Web origins whose pages may use the interface; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** `user:password` for Basic authentication on everything but health. */
  readonly httpAuth?: string | undefined;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const HEALTH_PATH = "/api/v1/health";
const ALLOW_METHODS = "GET, HEAD, POST, PATCH, DELETE";
const ALLOW_HEADERS = "authorization, content-type, if-none-match, if-range, range";
const EXPOSE_HEADERS = "content-disposition, content-length, content-range, etag";
const PREFLIGHT_MAX_AGE_SECONDS = "600";

export function access(rules: AccessRules) {
  const admit = admission(rules);
  return new Elysia({ name: "access" }).use(
    wrapFetch("access", async (request, next) => {
      const allowedOrigin = corsOrigin(rules, request);
      const answer =
        refusal(admit, request) ?? (isPreflight(request) ? preflight(request, allowedOrigin) : next(request));
      const response = await answer;
      if (rules.corsOrigins.length > 0) response?.headers.append("vary", "origin");
      if (allowedOrigin === null || !response) return response;
      response.headers.set("access-control-allow-origin", allowedOrigin);
      response.headers.set("access-control-expose-headers", EXPOSE_HEADERS);
      if (rules.httpAuth !== undefined) response.headers.set("access-control-allow-credentials", "true");
      return response;
    }),
  );
}

function refusal(admit: (request: Request) => Problem | null, request: Request) {
  const problem = admit(request);
  return problem && problemResponse(problem);
}

/** Null for whom is let in. */
export function admission(rules: AccessRules): (request: Request) => Problem | null {
  const isAuthorized = rules.httpAuth === undefined ? () => true : basicAuth(rules.httpAuth);
  return (request) => {
    const host = request.headers.get("host") ?? "";
    if (isFromBrowser(request) && !isTrustedHost(hostnameOf(host), rules.allowedHosts)) {
      return new Problem(
        403,
        "host_not_allowed",
        `Browsers may not reach Mailkeep under this host name. Start it with --allowed-host to permit it.`,
      );
    }
    if (isChange(request) && isForeign(request, host, rules)) {
      return new Problem(
        403,
        "origin_not_allowed",
        "A page from another origin may not do this. Start Mailkeep with --cors-origin to permit it.",
      );
    }
    if (!isAuthorized(request) && !isPreflight(request) && new URL(request.url).pathname !== HEALTH_PATH) {
      return new Problem(401, "unauthorized", "This Mailkeep asks for a user name and a password.", {
        "www-authenticate": 'Basic realm="Mailkeep", charset="UTF-8"',
      });
    }
    return null;
  };
}

function isFromBrowser({ headers }: Request): boolean {
  if (headers.has("origin") || headers.has("sec-fetch-site") || headers.has("sec-fetch-mode")) return true;
  return headers.has("sec-fetch-dest") || /^Mozilla\//i.test(headers.get("user-agent") ?? "");
}

/** A WebSocket counts as one: it is opened by GET, but no CORS rule keeps a page from reading it. */
const isChange = ({ method, headers }: Request) => !SAFE_METHODS.has(method) || headers.has("upgrade");

function isForeign(request: Request, host: string, rules: AccessRules): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) {
    const site = request.headers.get("sec-fetch-site");
    return site === "cross-site" || site === "same-site";
  }
  if (corsOrigin(rules, request) !== null) return false;
  // Behind a proxy the scheme may differ, and the name, too: then --allowed-host knows it.
  const originHost = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
  if (originHost === undefined) return true;
  return originHost !== host.toLowerCase() && !isNamed(hostnameOf(originHost), rules.allowedHosts);
}

function corsOrigin({ corsOrigins }: AccessRules, { headers }: Request): string | null {
  const origin = headers.get("origin");
  if (origin === null || origin === "null") return null;
  return corsOrigins.some((one) => one === "*" || one.toLowerCase() === origin.toLowerCase()) ? origin : null;
}

const isPreflight = ({ method, headers }: Request) =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

function preflight(request: Request, allowedOrigin: string | null) {
  if (allowedOrigin === null) {
    return problemResponse(new Problem(403, "origin_not_allowed", "Pages from this origin are not allowed."));
  }
  const headers = new Headers({
    "access-control-allow-methods": ALLOW_METHODS,
    "access-control-allow-headers": ALLOW_HEADERS,
    "access-control-max-age": PREFLIGHT_MAX_AGE_SECONDS,
  });
  if (request.headers.has("access-control-request-private-network")) {
    headers.set("access-control-allow-private-network", "true");
  }
  return new Response(null, { status: 204, headers });
}

function basicAuth(credentials: string): (request: Request) => boolean {
  const expected = digest(`Basic ${Buffer.from(credentials).toString("base64")}`);
  return ({ headers }) => {
    const given = (headers.get("authorization") ?? "").replace(/^basic\s+/i, "Basic ");
    return timingSafeEqual(digest(given), expected);
  };
}

/** Digests have one length, so comparing them tells nothing about the secret's. */
const digest = (text: string) => createHash("sha256").update(text).digest();
