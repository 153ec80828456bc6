// JSON that says something unchangeable about a stored mail: cached for ever, 304 for who has it.
import { hasCurrent } from "./etag.ts";
import { json } from "./json.ts";
import { IMMUTABLE, UNTRUSTED_HEADERS } from "./mail-content.ts";

export function cachedJson(request: Request, tag: string, value: unknown): Response | Promise<Response> {
  // Weak, for the encodings differ in their bytes.
  const etag = `W/"${tag}"`;
  const headers = { ...UNTRUSTED_HEADERS, "cache-control": IMMUTABLE, etag };
  if (hasCurrent(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  return json(value, { headers, acceptEncoding: request.headers.get("accept-encoding") });
}
