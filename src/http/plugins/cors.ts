// CORS for the origins of `--cors-origin`: their pages may read answers, and their preflight requests are answered.

import type { VerifyUser } from "../authenticate.ts";
import type { OidcSettings } from "../oidc.ts";
import { namedOrigin } from "../origin.ts";
import { Problem } from "../problem.ts";
import { wrapFetch } from "../wrap-fetch.ts";
import { problemResponse } from "./errors.ts";

export interface CorsRules {
  /** Web origins whose pages may use the interface. */
  readonly corsOrigins: readonly string[];
  /** Verifies passwords; without it everybody has access. */
  readonly users?: VerifyUser | undefined;
  /** Where people sign in to the page. */
  readonly oidc?: OidcSettings | undefined;
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

export function cors({ corsOrigins, users, oidc }: CorsRules) {
  return wrapFetch("cors", async (request, next) => {
    const origin = namedOrigin(request, corsOrigins);
    const response = await (isPreflight(request) ? preflight(request, origin) : next(request));
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

function preflight(request: Request, origin: string | null) {
  if (origin === null) {
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
