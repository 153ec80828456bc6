// JSON answers: serialised once, exactly `application/json`, compressed when large and welcome.
import { Elysia } from "elysia";
import { COMPRESS_FROM_BYTES, compress, compressAside, preferredEncoding, VARY } from "./encoding.ts";

/** Beyond this the compression leaves the main thread. */
const COMPRESS_ASIDE_FROM_BYTES = 128 * 1024;

export interface TextInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's Accept-Encoding header. */
  readonly acceptEncoding?: string | null;
}

export function json(value: unknown, init: TextInit = {}): Response | Promise<Response> {
  return text(JSON.stringify(value), "application/json", init);
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

/** Handlers return plain values; here they become JSON, once. A Response passes as it is. */
export const serializer = new Elysia({ name: "serializer" }).mapResponse(
  { as: "global" },
  ({ responseValue, set, request }) => {
    if (responseValue instanceof Response || responseValue === undefined) return;
    return json(responseValue, {
      status: typeof set.status === "number" ? set.status : 200,
      headers: set.headers as Record<string, string>,
      acceptEncoding: request.headers.get("accept-encoding"),
    });
  },
);
