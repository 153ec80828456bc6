// A file that is part of the executable, for browsers: compressed when it is first asked for, aside from other
// requests, and not sent again to those who have it.
import { preferredEncoding } from "./accept-encoding.ts";
import { COMPRESS_FROM_BYTES, gzipAside, VARY } from "./compression.ts";
import { hasCurrent } from "./etag.ts";

export interface StaticFileOptions {
  readonly type: string;
  readonly load: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Loaded {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | null;
  readonly etag: string;
}

const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg\+xml)/;

export class StaticFile {
  readonly #type: string;
  readonly #load: StaticFileOptions["load"];
  readonly #headers: Readonly<Record<string, string>>;
  #loaded: Promise<Loaded> | null = null;

  constructor({ type, load, headers }: StaticFileOptions) {
    this.#type = type;
    this.#load = load;
    this.#headers = { ...headers, "content-type": type, ...VARY };
  }

  async answer({ headers }: Request): Promise<Response> {
    this.#loaded ??= this.#prepare().catch((error) => {
      this.#loaded = null;
      throw error;
    });
    const { plain, gzipped, etag } = await this.#loaded;
    const zipped =
      gzipped !== null && preferredEncoding(headers.get("accept-encoding") ?? "", ["gzip"]) === "gzip";
    // The two encodings are two representations, so the tag is weak.
    const own = { ...this.#headers, etag: `W/${etag}`, ...(zipped && { "content-encoding": "gzip" }) };
    if (hasCurrent(headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers: own });
    return new Response(zipped ? gzipped : plain, { headers: own });
  }

  async #prepare(): Promise<Loaded> {
    const plain = await this.#load();
    const isCompressed = COMPRESSIBLE.test(this.#type) && plain.length >= COMPRESS_FROM_BYTES;
    return {
      plain,
      gzipped: isCompressed ? new Uint8Array(await gzipAside(plain)) : null,
      etag: `"${Bun.hash(plain).toString(16)}"`,
    };
  }
}
