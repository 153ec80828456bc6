// Serves the web page: its files, and `index.html` at every address of the page.
import { Elysia } from "elysia";
import { isUlid } from "../../lib/ulid.ts";
import { htmlBelow } from "../base-path.ts";
import { unknownPath } from "../problem.ts";
import { staticFile } from "../static-file.ts";

export interface PageFile {
  /** URL path, for example `/app-3f2a.js`; the page itself is `/index.html`. */
  readonly path: string;
  readonly type: string;
  readonly load: () => Promise<Uint8Array<ArrayBuffer>>;
}

export const pagePolicy = (styles = "'self'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
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
const PAGE_POLICY = pagePolicy();

/** A file with a hash in its name never changes. */
const HASHED_NAME = /-[0-9a-z]{4,}\.[a-z0-9]+$/;
const INDEX_PATH = "/index.html";
/** The query parameters that the page writes into its address. */
const PAGE_PARAMETERS = ["q", "unread", "starred", "has_attachments", "tag", "to", "tab", "inbox"];

/** Only the HTML has addresses of other files, so only the HTML changes. */
export function placedBelow(basePath: string, file: PageFile): PageFile {
  if (basePath === "" || file.path !== INDEX_PATH) return file;
  const load = async () => Buffer.from(htmlBelow(basePath, Buffer.from(await file.load()).toString()));
  return { ...file, load };
}

export function pages(files: readonly PageFile[]) {
  const app = new Elysia({ name: "pages" });
  const unknown = unknownPage(files);
  for (const file of files) {
    const served = asStatic(file);
    app.get(file.path, ({ request }) => served(request));
    if (file.path !== INDEX_PATH) continue;
    app.get("/", ({ request }) => served(request));
    app.get("/messages/:id", async ({ request, path, params: { id } }) => {
      if (isUlid(id)) return served(request);
      const page = await unknown(request, path);
      if (page) return page;
      throw unknownPath();
    });
  }
  return app;
}

/** A person who followed a wrong link gets the page instead of JSON. The page says that the link is wrong. */
export function unknownPage(files: readonly PageFile[]) {
  const index = files.find(({ path }) => path === INDEX_PATH);
  return async ({ method, headers }: Request, path: string): Promise<Response | undefined> => {
    if (!index || method !== "GET" || /^\/api(?:\/|$)/.test(path)) return undefined;
    if (!/\btext\/html\b/i.test(headers.get("accept") ?? "")) return undefined;
    return new Response(await index.load(), {
      status: 404,
      headers: {
        "content-type": index.type,
        "cache-control": "no-store",
        "content-security-policy": PAGE_POLICY,
      },
    });
  };
}

function asStatic({ path, type, load }: PageFile) {
  const isHashed = HASHED_NAME.test(path);
  return staticFile({
    type,
    load,
    headers: {
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": PAGE_POLICY,
    },
    parameters: path === INDEX_PATH ? PAGE_PARAMETERS : [],
  });
}
