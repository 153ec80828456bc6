// Serves a file of the executable. It is compressed once, when it is first requested.
import { acceptsGzip, COMPRESS_FROM_BYTES, compress, hasCurrent, VARY } from "./json.ts";
import { takeOnly } from "./parameters.ts";

export interface StaticFileOptions {
  readonly type: string;
  readonly load: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The names of allowed query parameters. */
  readonly parameters?: readonly string[];
}

const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg\+xml)/;

export function staticFile({ type, load, headers, parameters }: StaticFileOptions) {
  let loaded: ReturnType<typeof prepare> | null = null;
  return async (request: Request): Promise<Response> => {
    takeOnly(request, parameters);
    loaded ??= prepare(type, load);
    const { plain, gzipped, etag } = await loaded;
    const zipped = gzipped !== null && acceptsGzip(request);
    const own = {
      ...headers,
      "content-type": type,
      ...VARY,
      // The compressed and the plain file share a tag, so the tag is weak.
      etag: `W/${etag}`,
      ...(zipped && { "content-encoding": "gzip" }),
    };
    if (hasCurrent(request, etag)) return new Response(null, { status: 304, headers: own });
    return new Response(zipped ? gzipped : plain, { headers: own });
  };
}

async function prepare(type: string, load: StaticFileOptions["load"]) {
  const plain = await load();
  const isCompressed = COMPRESSIBLE.test(type) && plain.length >= COMPRESS_FROM_BYTES;
  return {
    plain,
    gzipped: isCompressed ? compress(plain) : null,
    etag: `"${Bun.hash(plain).toString(16)}"`,
  };
}
