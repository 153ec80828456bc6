// JSON answers: serialised once, exactly `application/json`, compressed if large and the client accepts it.
import { Elysia } from "elysia";
import { nextTurn, streamOf } from "../lib/runtime.ts";
import { COMPRESS_FROM_BYTES, compress, compressPieces, preferredEncoding, VARY } from "./encoding.ts";

/** A text beyond this is written in pieces. */
const LONG_CHARS = 256 * 1024;
const PIECE_CHARS = 64 * 1024;

export interface TextInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly acceptEncoding?: string | null;
}

export function json(value: unknown, init: TextInit = {}): Response | Promise<Response> {
  if (Object.values(value ?? {}).some(isLong)) return longJson(value as object, init);
  return text(JSON.stringify(value), "application/json", init);
}

const isLong = (member: unknown): member is string =>
  typeof member === "string" && member.length > LONG_CHARS;

/** Written as the client reads, so that large bodies neither block other requests nor are in memory twice. */
function longJson(value: object, init: TextInit): Response {
  const encoding = preferredEncoding(init.acceptEncoding ?? "");
  const headers = headersOf("application/json", init);
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  const body = encoding === "identity" ? piecesOf(value) : compressPieces(piecesOf(value), encoding);
  return new Response(streamOf(body), { status: init.status ?? 200, headers });
}

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

/** Text that the service itself wrote; mail content never passes here. */
export function text(body: string, type: string, init: TextInit = {}): Response | Promise<Response> {
  const headers = headersOf(type, init);
  const status = init.status ?? 200;
  const isSmall = body.length < COMPRESS_FROM_BYTES;
  const encoding = isSmall ? "identity" : preferredEncoding(init.acceptEncoding ?? "");
  if (encoding === "identity") return new Response(body, { status, headers });
  const packed = { ...headers, "content-encoding": encoding };
  return compress(body, encoding).then((bytes) => new Response(bytes, { status, headers: packed }));
}

const NO_STORE = { "cache-control": "no-store" };

const headersOf = (type: string, { headers }: TextInit): Record<string, string> => ({
  ...NO_STORE,
  ...headers,
  "content-type": type,
  ...VARY,
});

/** Handlers return plain values; here they become JSON, once. A Response passes as it is, nothing is 204. */
export const serializer = new Elysia({ name: "serializer" }).mapResponse(
  { as: "global" },
  ({ responseValue, set, request }) => {
    if (responseValue instanceof Response) return;
    if (responseValue === undefined)
      return set.status === 204 ? new Response(null, { status: 204, headers: NO_STORE }) : undefined;
    return json(responseValue, {
      status: typeof set.status === "number" ? set.status : 200,
      headers: set.headers as Record<string, string>,
      acceptEncoding: request.headers.get("accept-encoding"),
    });
  },
);
