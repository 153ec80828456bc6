// Compresses answers, with the encoding that the client prefers.
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, createZstdCompress, gzip } from "node:zlib";

/** Smaller answers are not compressed. */
export const COMPRESS_FROM_BYTES = 1024;
/** For the answer, and for the 304 that replaces it (RFC 9110, 15.4.5). */
export const VARY = { vary: "accept-encoding" } as const;
const GZIP_LEVEL = 4;
/** In the order of our preference. */
const CODINGS = ["zstd", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

export const compressGzip = promisify(gzip);

/** In another thread, so that other requests go on. */
export async function compress(body: string, encoding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const bytes =
    encoding === "zstd" ? await Bun.zstdCompress(body) : await compressGzip(body, { level: GZIP_LEVEL });
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

/** The first of our codings that the client accepts (RFC 9110, 12.5.3). Its weights count only if they are 0. */
export function preferredEncoding(header: string, offered: readonly Coding[] = CODINGS): Coding | "identity" {
  const items = header.toLowerCase().replace(/\s/g, "").split(",");
  const accepts = (name: string): boolean | undefined => {
    const item = items.find((item) => item.split(";")[0] === name);
    return item === undefined ? undefined : !/;q=0(?:\.0*)?$/.test(item);
  };
  return offered.find((coding) => accepts(coding) ?? accepts("*")) ?? "identity";
}
