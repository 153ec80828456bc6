// JSON answers: serialised once, exactly `application/json`, compressed when large and welcome.
import { streamOf } from "../lib/generator-stream.ts";
import { preferredEncoding } from "./accept-encoding.ts";
import { COMPRESS_FROM_BYTES, compress, compressAside, compressPieces, VARY } from "./compression.ts";
import { encodeLong, isLongObject } from "./long-json.ts";

/** Beyond this the compression leaves the main thread. */
const COMPRESS_ASIDE_FROM_BYTES = 128 * 1024;

export interface TextInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's Accept-Encoding header. */
  readonly acceptEncoding?: string | null;
}

export function json(value: unknown, init: TextInit = {}): Response | Promise<Response> {
  if (isLongObject(value)) return longJson(value, init);
  return text(JSON.stringify(value), "application/json", init);
}

function longJson(value: Readonly<Record<string, unknown>>, init: TextInit): Response {
  const encoding = preferredEncoding(init.acceptEncoding ?? "");
  const pieces = encodeLong(value);
  const body = encoding === "identity" ? pieces : compressPieces(pieces, encoding);
  const headers = headersOf("application/json", init);
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  return new Response(streamOf(body), { status: init.status ?? 200, headers });
}

/** Text that the service itself wrote; mail content never passes here. */
export function text(body: string, type: string, init: TextInit = {}): Response | Promise<Response> {
  const headers = headersOf(type, init);
  const status = init.status ?? 200;
  if (body.length < COMPRESS_FROM_BYTES) return new Response(body, { status, headers });
  const encoding = preferredEncoding(init.acceptEncoding ?? "");
  if (encoding === "identity") return new Response(body, { status, headers });
  const packed = { ...headers, "content-encoding": encoding };
  if (body.length < COMPRESS_ASIDE_FROM_BYTES) {
    return new Response(compress(body, encoding), { status, headers: packed });
  }
  return compressAside(body, encoding).then((bytes) => new Response(bytes, { status, headers: packed }));
}

const headersOf = (type: string, { headers }: TextInit): Record<string, string> => ({
  "cache-control": "no-store",
  ...headers,
  "content-type": type,
  ...VARY,
});
