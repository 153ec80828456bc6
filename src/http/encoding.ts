// Compresses answers, with the encoding that the client prefers.
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, createZstdCompress, gzip } from "node:zlib";

/** Smaller answers are not compressed. */
export const COMPRESS_FROM_BYTES = 1024;
/** For the answer, and for the 304 that replaces it (RFC 9110, 15.4.5). */
export const VARY = { vary: "accept-encoding" } as const;
const GZIP_LEVEL = 4;
/** In the order of our own preference, which decides between equal weights. */
const CODINGS = ["zstd", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

export const gzipAside = promisify(gzip);

export function compress(body: string, encoding: Coding): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body);
  return encoding === "zstd"
    ? new Uint8Array(Bun.zstdCompressSync(bytes))
    : Bun.gzipSync(bytes, { level: GZIP_LEVEL });
}

/** In another thread, so that other requests go on. */
export async function compressAside(body: string, encoding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const bytes =
    encoding === "zstd" ? await Bun.zstdCompress(body) : await gzipAside(body, { level: GZIP_LEVEL });
  return new Uint8Array(bytes);
}

/** When the reader stops, `pieces` is ended, too. */
export async function* compressPieces(
  pieces: AsyncGenerator<Uint8Array>,
  encoding: Coding,
): AsyncGenerator<Uint8Array> {
  const packer = encoding === "zstd" ? createZstdCompress() : createGzip({ level: GZIP_LEVEL });
  yield* pipeline(Readable.from(pieces), packer, () => {});
}

/** Reads Accept-Encoding (RFC 9110, 12.5.3). */
export function preferredEncoding(header: string, offered: readonly Coding[] = CODINGS): Coding | "identity" {
  if (header === "") return "identity";
  const weights = new Map<string, number>();
  for (const item of header.split(",")) {
    const [name = "", ...parameters] = item.split(";");
    weights.set(name.trim().toLowerCase(), weightOf(parameters));
  }
  let best: Coding | "identity" = "identity";
  let bestWeight = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get("*") ?? 0;
    if (weight <= bestWeight) continue;
    best = coding;
    bestWeight = weight;
  }
  return bestWeight >= (weights.get("identity") ?? 0) ? best : "identity";
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter);
    if (match?.[1]) return Number(match[1]);
  }
  return 1;
}
