// Answers that the service itself writes: JSON and other text. Answers of 1 KiB and more are compressed if the client
// accepts it, except JSON that is written in pieces.
import { Elysia } from "elysia";
import { nextTurn, streamOf } from "../lib/runtime.ts";

export interface TextInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a request the answer is not compressed. */
  readonly request?: Request;
}

export const COMPRESS_FROM_BYTES = 1024;
/** A 304 has this header, too (RFC 9110, 15.4.5). */
export const VARY = { vary: "accept-encoding" } as const;
const NO_STORE = { "cache-control": "no-store" };

/** In this thread: handing a page of 50 mails to another one takes three times as long. */
export const compress = (body: string | Uint8Array<ArrayBuffer>) => Bun.gzipSync(body);

/** RFC 9110, 12.5.3. A weight of 0 refuses; other weights do not matter. */
export function acceptsGzip({ headers }: Request): boolean {
  const items = (headers.get("accept-encoding") ?? "").toLowerCase().replace(/\s/g, "").split(",");
  const named = (coding: string) => items.find((item) => item.split(";")[0] === coding);
  const item = named("gzip") ?? named("*");
  return item !== undefined && !/;q=0(?:\.0*)?$/.test(item);
}

/** Whether the client already has this content: a weak comparison, which ignores `W/` (RFC 9110, 13.1.2). */
export function hasCurrent({ headers }: Request, etag: string): boolean {
  const given = (headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
  return given.includes("*") || given.some((one) => opaque(one) === opaque(etag));
}

const opaque = (etag: string) => etag.replace(/^W\//, "");

/** Longer texts are written in pieces, so that other requests do not wait. */
const LONG_CHARS = 256 * 1024;
const PIECE_CHARS = 64 * 1024;

const isLong = (member: unknown): member is string =>
  typeof member === "string" && member.length > LONG_CHARS;

export const json = (value: unknown, init: TextInit = {}) =>
  Object.values(value ?? {}).some(isLong)
    ? answer(streamOf(piecesOf(value as object)), "application/json", init)
    : text(JSON.stringify(value), "application/json", init);

async function* piecesOf(value: object): AsyncGenerator<Uint8Array> {
  let text = "{";
  for (const [name, member] of Object.entries(value)) {
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:`;
    if (isLong(member)) {
      // A surrogate pair that is cut becomes two escapes, which mean the same.
      for (let at = 0; at < member.length; at += PIECE_CHARS) {
        const piece = JSON.stringify(member.slice(at, at + PIECE_CHARS));
        yield Buffer.from(text + piece.slice(at === 0 ? 0 : 1, -1));
        await nextTurn();
        text = "";
      }
      text = '"';
    } else text += JSON.stringify(member);
  }
  yield Buffer.from(`${text}}`);
}

export function text(body: string, type: string, init: TextInit = {}): Response {
  const { request } = init;
  const isPacked = body.length >= COMPRESS_FROM_BYTES && request !== undefined && acceptsGzip(request);
  if (!isPacked) return answer(body, type, init);
  const headers = { ...init.headers, "content-encoding": "gzip" };
  return answer(compress(body), type, { ...init, headers });
}

const answer = (
  body: ConstructorParameters<typeof Response>[0],
  type: string,
  { status = 200, headers = {} }: TextInit,
) => new Response(body, { status, headers: { ...NO_STORE, ...headers, "content-type": type, ...VARY } });

/** Makes JSON of what handlers return, unless that is a Response. */
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
