// The web page: its files, and its index for every address that the page itself understands.
import { Elysia } from "elysia";
import { isUlid } from "../../lib/ulid.ts";
import { preferredEncoding } from "../accept-encoding.ts";
import { hasCurrent } from "../etag.ts";
import { unknownPath } from "../problem.ts";

export interface PageFile {
  /** URL path, for example `/app-3f2a.js`; the page itself is `/index.html`. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  // A PDF attachment is shown from a blob that the page makes.
  "frame-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A name with a hash of its content never gets another content. */
const HASHED_NAME = /-[0-9a-z]{4,}\.[a-z0-9]+$/;
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg\+xml)/;
const COMPRESS_FROM_BYTES = 1024;
const INDEX_PATH = "/index.html";
/** An address inside the page: opened directly, it loads the page. */
const MESSAGE_PATH = "/messages/:id";

interface ServedFile {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | null;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function pages(files: readonly PageFile[]) {
  const app = new Elysia({ name: "pages" });
  const unknown = unknownPage(files);
  for (const file of files) {
    const served = prepare(file);
    app.get(file.path, ({ request }) => serve(request, served));
    if (file.path !== INDEX_PATH) continue;
    app.get("/", ({ request }) => serve(request, served));
    app.get(MESSAGE_PATH, ({ request, path, params: { id } }) => {
      if (isUlid(id)) return serve(request, served);
      const page = unknown(request, path);
      if (page) return page;
      throw unknownPath();
    });
  }
  return app;
}

/**
 * For a person who followed a wrong link: the page, which says so, in place of the error in JSON.
 * Nothing for programs, and nothing below /api.
 */
export function unknownPage(files: readonly PageFile[]) {
  const index = files.find(({ path }) => path === INDEX_PATH);
  return ({ method, headers }: Request, path: string): Response | undefined => {
    if (!index || method !== "GET" || /^\/api(?:\/|$)/.test(path)) return undefined;
    if (!/\btext\/html\b/i.test(headers.get("accept") ?? "")) return undefined;
    return new Response(new Uint8Array(index.bytes), {
      status: 404,
      headers: {
        "content-type": index.type,
        "cache-control": "no-store",
        "content-security-policy": PAGE_POLICY,
      },
    });
  };
}

function prepare({ path, type, bytes }: PageFile): ServedFile {
  const plain = new Uint8Array(bytes);
  const isHashed = HASHED_NAME.test(path);
  return {
    plain,
    gzipped: COMPRESSIBLE.test(type) && plain.length >= COMPRESS_FROM_BYTES ? Bun.gzipSync(plain) : null,
    etag: `"${Bun.hash(plain).toString(16)}"`,
    headers: {
      "content-type": type,
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": PAGE_POLICY,
      vary: "accept-encoding",
    },
  };
}

function serve({ headers }: Request, { plain, gzipped, etag, headers: own }: ServedFile): Response {
  const zipped =
    gzipped !== null && preferredEncoding(headers.get("accept-encoding") ?? "", ["gzip"]) === "gzip";
  // The two encodings are two representations, so the tag is weak.
  const common = { ...own, etag: `W/${etag}`, ...(zipped && { "content-encoding": "gzip" }) };
  if (hasCurrent(headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: common });
  return new Response(zipped ? gzipped : plain, { headers: common });
}
