// Bytes out of a mail, on their way to a browser: never sniffed, never run, cached for ever,
// with their length, in part when a range is asked for.
import { hasCurrent, mayContinue } from "./etag.ts";
import { Problem } from "./problem.ts";
import { readRange } from "./range.ts";
import { respondWith } from "./shared-content.ts";

export const IMMUTABLE = "private, max-age=31536000, immutable";

export const UNTRUSTED_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
} as const;

export interface MailContent {
  /** Names the content for ever: an id. */
  readonly tag: string;
  readonly type: string;
  readonly size: number;
  readonly disposition?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `end` is exclusive. Bun sends the length of a blob only. */
  open(start: number, end: number): Blob | Promise<Blob | ReadableStream<Uint8Array>>;
}

export async function serveContent({ headers }: Request, content: MailContent): Promise<Response> {
  const etag = `"${content.tag}"`;
  const common: Record<string, string> = {
    ...UNTRUSTED_HEADERS,
    ...content.headers,
    "cache-control": IMMUTABLE,
    etag,
    "accept-ranges": "bytes",
  };
  if (hasCurrent(headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: common });

  common["content-type"] = content.type;
  if (content.disposition !== undefined) common["content-disposition"] = content.disposition;
  const range = readRange(
    mayContinue(headers.get("if-range"), etag) ? headers.get("range") : null,
    content.size,
  );
  if (range === "unsatisfiable") {
    throw new Problem(416, "range_not_satisfiable", `The content has ${content.size} bytes.`, {
      "content-range": `bytes */${content.size}`,
    });
  }
  if (range === "whole") return respond(content, 0, content.size, 200, common);
  common["content-range"] = `bytes ${range.start}-${range.end - 1}/${content.size}`;
  return respond(content, range.start, range.end, 206, common);
}

async function respond(
  content: MailContent,
  start: number,
  end: number,
  status: number,
  headers: Record<string, string>,
): Promise<Response> {
  const size = end - start;
  headers["content-length"] = String(size);
  if (size === 0) return new Response(null, { status, headers });
  return respondWith(await content.open(start, end), { status, headers });
}
