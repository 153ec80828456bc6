// Answers in fewer bytes, by the codings that clients know.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Coding } from "./accept-encoding.ts";

/** Less is not worth it. */
export const COMPRESS_FROM_BYTES = 1024;
/** Of the answer, and by RFC 9110, 15.4.5 of the 304 in its place. */
export const VARY = { vary: "accept-encoding" } as const;
const GZIP_LEVEL = 4;

export const gzipAside = promisify(gzip);

export function compress(body: string, encoding: Coding): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body);
  return encoding === "zstd"
    ? new Uint8Array(Bun.zstdCompressSync(bytes))
    : Bun.gzipSync(bytes, { level: GZIP_LEVEL });
}

/** Off the main thread, so that other requests go on. */
export async function compressAside(body: string, encoding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const bytes =
    encoding === "zstd" ? await Bun.zstdCompress(body) : await gzipAside(body, { level: GZIP_LEVEL });
  return new Uint8Array(bytes);
}
