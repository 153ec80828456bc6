// Serves content of mails. Browsers may not guess its type or run scripts in it. Stored content never changes, so
// clients may cache it for ever.
import { CONTROL, shortName } from "../lib/text.ts";
import type { Findings, Outcome } from "../mime/index.ts";
import type { MailView } from "../store/index.ts";
import { hasCurrent, json, VARY } from "./json.ts";
import { known, Problem } from "./problem.ts";

export const IMMUTABLE = "private, max-age=31536000, immutable";

export const UNTRUSTED_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
} as const;

/**
 * Marks an answer that may be incomplete: the message exceeds a limit, or the parser failed or ran
 * out of time.
 */
export const parsedHeader = ({ parsed }: { readonly parsed: boolean }): Record<string, string> =>
  parsed ? {} : { "mailkeep-parsed": "false" };

/** Awaits what is read from a message; 404 if the message is unknown. A header says if the answer may be incomplete. */
export async function foundOf<Found>(
  id: string,
  read: Promise<Findings<Found> | null>,
  headers: Record<string, string | number>,
): Promise<Found> {
  const { found, ...outcome } = await known(id, read);
  Object.assign(headers, parsedHeader(outcome));
  return found;
}

/** Answers with JSON about a stored mail. Clients may cache it, unless the parser failed or ran out of time. */
export function cachedJson(request: Request, tag: string, value: unknown, outcome: Outcome): Response {
  const marked = { ...UNTRUSTED_HEADERS, ...parsedHeader(outcome) };
  if (outcome.mayImprove) return json(value, { headers: marked, request });
  // A weak tag, because compressed and plain answers have different bytes.
  const etag = `W/"${tag}"`;
  const headers = { ...marked, "cache-control": IMMUTABLE, etag };
  if (hasCurrent(request, etag)) return new Response(null, { status: 304, headers: { ...headers, ...VARY } });
  return json(value, { headers, request });
}

type MaybeStream = Blob | ReadableStream<Uint8Array>;

export interface MailContent {
  /** For the ETag: an id whose content never changes. */
  readonly tag: string;
  readonly type: string;
  readonly size: number;
  readonly disposition?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `end` is exclusive. Bun sends a length for a Blob, but not for a stream. */
  open(start: number, end: number): MaybeStream | Promise<MaybeStream>;
}

export async function serveContent(request: Request, content: MailContent): Promise<Response> {
  const { headers } = request;
  const etag = `"${content.tag}"`;
  const common: Record<string, string> = {
    ...UNTRUSTED_HEADERS,
    ...content.headers,
    "cache-control": IMMUTABLE,
    etag,
    "accept-ranges": "bytes",
  };
  if (hasCurrent(request, etag)) return new Response(null, { status: 304, headers: common });

  common["content-type"] = content.type;
  if (content.disposition !== undefined) common["content-disposition"] = content.disposition;
  // If-Range needs a strong comparison. A date never matches, because no answer has a Last-Modified.
  const mayContinue = [null, etag].includes(headers.get("if-range")?.trim() ?? null);
  const range = readRange(mayContinue ? headers.get("range") : null, content.size);
  if (range === "unsatisfiable") throw rangeOutside(content.size);
  const { start, end } = range === "whole" ? { start: 0, end: content.size } : range;
  const status = range === "whole" ? 200 : 206;
  if (status === 206) common["content-range"] = `bytes ${start}-${end - 1}/${content.size}`;
  common["content-length"] = String(end - start);
  const body = start === end ? null : await content.open(start, end);
  return new Response(body, { status, headers: common });
}

export const rangeOutside = (size: number) =>
  new Problem(416, "range_not_satisfiable", `The content has ${size} bytes.`, {
    "Content-Range": `bytes */${size}`,
  });

/** Serves the bytes as received, by default as a file to download. */
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

/** Reads one range of bytes (RFC 9110, 14.2). `end` is exclusive. Any other header means the whole content. */
function readRange(header: string | null, size: number): Range {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const length = Number(last);
    return length === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}

// Content-Disposition by RFC 6266: an ASCII name for old clients, and the true name in `filename*` (RFC 8187).

const MAX_NAME_CHARACTERS = 200;

export function attachmentNamed(filename: string): string {
  const name = safeName(filename);
  return `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${extValue(name)}`;
}

/** For names that we make ourselves, in plain ASCII. */
export const attachmentPlainlyNamed = (filename: string) => `attachment; filename="${filename}"`;

/** Answers with a file that is made while it is sent. */
export const download = (
  content: ReadableStream<Uint8Array>,
  type: string,
  filename: string,
  outcome = { parsed: true },
) =>
  new Response(content, {
    headers: {
      ...UNTRUSTED_HEADERS,
      ...parsedHeader(outcome),
      "cache-control": "no-store",
      "content-type": type,
      "content-disposition": attachmentPlainlyNamed(filename),
    },
  });

/** A safe form of a file name in a mail: it does not lead out of a folder, has no control characters, and is short. */
export function safeName(filename: string): string {
  const clean = filename.toWellFormed().replace(CONTROL, "").replace(/[/\\]/g, "_");
  const short = shortName(clean, MAX_NAME_CHARACTERS);
  return short === "" || /^\.+$/.test(short) ? "attachment" : short;
}

const asciiName = (name: string) => name.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\%]/g, "_");

const extValue = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
