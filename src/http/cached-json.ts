// JSON that says something unchangeable about a stored mail: cached for ever, 304 for who has it. What the parser
// had no time for may turn out better the next time, and is not cached.
import type { Outcome } from "../mime/index.ts";
import { VARY } from "./compression.ts";
import { hasCurrent } from "./etag.ts";
import { json } from "./json.ts";
import { IMMUTABLE, UNTRUSTED_HEADERS } from "./mail-content.ts";
import { parsedHeader } from "./parsed-header.ts";

export function cachedJson(
  request: Request,
  tag: string,
  value: unknown,
  outcome: Outcome,
): Response | Promise<Response> {
  const acceptEncoding = request.headers.get("accept-encoding");
  const marked = { ...UNTRUSTED_HEADERS, ...parsedHeader(outcome) };
  if (outcome.mayImprove) return json(value, { headers: marked, acceptEncoding });
  // Weak, for the encodings differ in their bytes.
  const etag = `W/"${tag}"`;
  const headers = { ...marked, "cache-control": IMMUTABLE, etag };
  if (hasCurrent(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: { ...headers, ...VARY } });
  return json(value, { headers, acceptEncoding });
}
