// Content of a mail for a browser: never sniffed, never run, cached for ever. Bytes have a length and support ranges.
import type { Outcome } from "../mime/index.ts";
import type { MailView } from "../store/index.ts";
import { attachmentPlainlyNamed } from "./content-disposition.ts";
import { VARY } from "./encoding.ts";
import { hasCurrent, mayContinue } from "./etag.ts";
import { json } from "./json.ts";
import { known, Problem } from "./problem.ts";

export const IMMUTABLE = "private, max-age=31536000, immutable";

export const UNTRUSTED_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
} as const;

/** Marks an answer that may be incomplete, because the message exceeds a limit. */
export const parsedHeader = ({ parsed }: { readonly parsed: boolean }): Record<string, string> =>
  parsed ? {} : { "mailkeep-parsed": "false" };

/**
 * JSON that never changes for a stored mail. If the parser ran out of time, the answer is not cached: it may be
 * complete next time.
 */
export function cachedJson(
  request: Request,
  tag: string,
  value: unknown,
  outcome: Outcome,
): Response | Promise<Response> {
  const acceptEncoding = request.headers.get("accept-encoding");
  const marked = { ...UNTRUSTED_HEADERS, ...parsedHeader(outcome) };
  if (outcome.mayImprove) return json(value, { headers: marked, acceptEncoding });
  // Weak, because the encodings have different bytes.
  const etag = `W/"${tag}"`;
  const headers = { ...marked, "cache-control": IMMUTABLE, etag };
  if (hasCurrent(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: { ...headers, ...VARY } });
  return json(value, { headers, acceptEncoding });
}

type MaybeStream = Blob | ReadableStream<Uint8Array>;

export interface MailContent {
  /** Names the content for ever: an id. */
  readonly tag: string;
  readonly type: string;
  readonly size: number;
  readonly disposition?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `end` is exclusive. Bun sends the length of a blob only. */
  open(start: number, end: number): MaybeStream | Promise<MaybeStream>;
}

export async function serveContent({ headers }: Request, content: MailContent): Promise<Response> {
  const etag = `"${content.tag}"`;
  const common: Record<string, string> = {
    ...UNTRUSTED_HEADERS,
    ...content.headers,
    "cache-control": IMMUTABLE,
    etag,
    "accept-ranges": "bytes",
  };
  if (hasCurrent(headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: common });

  common["content-type"] = content.type;
  if (content.disposition !== undefined) common["content-disposition"] = content.disposition;
  const range = readRange(
    mayContinue(headers.get("if-range"), etag) ? headers.get("range") : null,
    content.size,
  );
  if (range === "unsatisfiable") {
    throw new Problem(416, "range_not_satisfiable", `The content has ${content.size} bytes.`, {
      "content-range": `bytes */${content.size}`,
    });
  }
  const { start, end } = range === "whole" ? { start: 0, end: content.size } : range;
  const status = range === "whole" ? 200 : 206;
  if (status === 206) common["content-range"] = `bytes ${start}-${end - 1}/${content.size}`;
  common["content-length"] = String(end - start);
  if (start === end) return new Response(null, { status, headers: common });
  return new Response(await content.open(start, end), { status, headers: common });
}

/** The bytes as received, as a file unless told otherwise. */
export async function serveRaw(
  request: Request,
  mail: MailView,
  id: string,
  { type = "message/rfc822", isFile = true } = {},
): Promise<Response> {
  const raw = await known(id, mail.raw(id));
  return serveContent(request, {
    tag: id,
    type,
    size: raw.size,
    ...(isFile && { disposition: attachmentPlainlyNamed(`${id}.eml`) }),
    open: (start, end) => raw.content(start, end),
  });
}

type Range = { readonly start: number; readonly end: number } | "whole" | "unsatisfiable";

/** One byte range (RFC 9110, 14.2), `end` exclusive. Several ranges, or none we understand, mean the whole. */
function readRange(header: string | null, size: number): Range {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") return suffix(Number(last), size);
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}

function suffix(length: number, size: number): Range {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { start: Math.max(0, size - length), end: size };
}
