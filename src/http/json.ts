// Answers that the service itself writes: JSON and other text. Large ones are compressed if the client accepts it.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Elysia } from "elysia";

export interface TextInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without it the answer is not compressed. */
  readonly request?: Request;
}

/** Smaller answers are not compressed. */
export const COMPRESS_FROM_BYTES = 1024;
/** Also for the 304 that replaces an answer (RFC 9110, 15.4.5). */
export const VARY = { vary: "accept-encoding" } as const;
const NO_STORE = { "cache-control": "no-store" };

const inAnotherThread = promisify(gzip);
export const compress = async (body: string | Uint8Array) => new Uint8Array(await inAnotherThread(body));

/** RFC 9110, 12.5.3. Of the weights only 0 counts. */
export function acceptsGzip({ headers }: Request): boolean {
  const items = (headers.get("accept-encoding") ?? "").toLowerCase().replace(/\s/g, "").split(",");
  const named = (coding: string) => items.find((item) => item.split(";")[0] === coding);
  const item = named("gzip") ?? named("*");
  return item !== undefined && !/;q=0(?:\.0*)?$/.test(item);
}

/** Whether the client has this already (RFC 9110, 13.1.2). W/ makes no difference. */
export function hasCurrent({ headers }: Request, etag: string): boolean {
  const given = (headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
  return given.includes("*") || given.some((one) => opaque(one) === opaque(etag));
}

const opaque = (etag: string) => etag.replace(/^W\//, "");

export const json = (value: unknown, init: TextInit = {}) =>
  text(JSON.stringify(value), "application/json", init);

export function text(
  body: string,
  type: string,
  { status = 200, headers: own = {}, request }: TextInit = {},
): Response | Promise<Response> {
  const headers = { ...NO_STORE, ...own, "content-type": type, ...VARY };
  const isPacked = body.length >= COMPRESS_FROM_BYTES && request !== undefined && acceptsGzip(request);
  if (!isPacked) return new Response(body, { status, headers });
  const packed = { ...headers, "content-encoding": "gzip" };
  return compress(body).then((bytes) => new Response(bytes, { status, headers: packed }));
}

/** Handlers return plain values; here they become JSON. A Response passes as it is, nothing is 204. */
export const serializer = new Elysia({ name: "serializer" }).mapResponse(
  { as: "global" },
  ({ responseValue, set, request }) => {
    if (responseValue instanceof Response) return;
    if (responseValue === undefined)
      return set.status === 204 ? new Response(null, { status: 204, headers: NO_STORE }) : undefined;
    return json(responseValue, {
      status: typeof set.status === "number" ? set.status : 200,
      headers: set.headers as Record<string, string>,
      request,
    });
  },
);
