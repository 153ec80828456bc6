// JSON answers: serialised once, exactly `application/json`, compressed when large and welcome.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Encoding, preferredEncoding } from "./accept-encoding.ts";
import { encodeLong, hasLongString } from "./long-json.ts";

const COMPRESS_FROM_BYTES = 1024;
/** Beyond this the compression leaves the main thread, so that other requests go on. */
const COMPRESS_ASIDE_FROM_BYTES = 128 * 1024;
const GZIP_LEVEL = 4;

const gzipAside = promisify(gzip);

export interface TextInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's Accept-Encoding header. */
  readonly acceptEncoding?: string | null;
}

export function json(value: unknown, init: TextInit = {}): Response | Promise<Response> {
  if (hasLongString(value)) return encodeLong(value).then((bytes) => text(bytes, "application/json", init));
  return text(JSON.stringify(value), "application/json", init);
}

/** Text that the service itself wrote; mail content never passes here. */
export function text(
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  init: TextInit = {},
): Response | Promise<Response> {
  const headers = {
    "cache-control": "no-store",
    ...init.headers,
    "content-type": type,
    vary: "accept-encoding",
  };
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

function compress(
  body: string | Uint8Array<ArrayBuffer>,
  encoding: Exclude<Encoding, "identity">,
): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return encoding === "zstd"
    ? new Uint8Array(Bun.zstdCompressSync(bytes))
    : Bun.gzipSync(bytes, { level: GZIP_LEVEL });
}

async function compressAside(
  body: string | Uint8Array<ArrayBuffer>,
  encoding: Exclude<Encoding, "identity">,
) {
  const bytes =
    encoding === "zstd" ? await Bun.zstdCompress(body) : await gzipAside(body, { level: GZIP_LEVEL });
  return new Uint8Array(bytes);
}
