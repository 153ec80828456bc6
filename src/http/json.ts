// JSON answers: serialised once, exactly `application/json`, compressed when large and welcome.
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, createZstdCompress, gzip } from "node:zlib";
import { streamOf } from "../lib/generator-stream.ts";
import { type Encoding, preferredEncoding } from "./accept-encoding.ts";
import { encodeLong, isLongObject } from "./long-json.ts";

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

/** Of the answer, and by RFC 9110, 15.4.5 of the 304 in its place. */
export const VARY = { vary: "accept-encoding" } as const;

const headersOf = (type: string, { headers }: TextInit): Record<string, string> => ({
  "cache-control": "no-store",
  ...headers,
  "content-type": type,
  ...VARY,
});

type Packed = Exclude<Encoding, "identity">;

function compress(body: string, encoding: Packed): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body);
  return encoding === "zstd"
    ? new Uint8Array(Bun.zstdCompressSync(bytes))
    : Bun.gzipSync(bytes, { level: GZIP_LEVEL });
}

async function compressAside(body: string, encoding: Packed) {
  const bytes =
    encoding === "zstd" ? await Bun.zstdCompress(body) : await gzipAside(body, { level: GZIP_LEVEL });
  return new Uint8Array(bytes);
}

/** Ends the pieces when nobody reads on. */
async function* compressPieces(
  pieces: AsyncGenerator<Uint8Array>,
  encoding: Packed,
): AsyncGenerator<Uint8Array> {
  const packer = encoding === "zstd" ? createZstdCompress() : createGzip({ level: GZIP_LEVEL });
  yield* pipeline(Readable.from(pieces), packer, () => {});
}
