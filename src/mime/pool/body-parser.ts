// Runs the slow parts of reading a mail: small inputs on the main thread, large ones in a worker with a time limit.
import type { AuthResults, MessageCode, MessageHeader, MessageLink } from "../../model/index.ts";
import { type Bodies, type BodyPart, bodyParts, composeBodies, decodeBody } from "../body/bodies.ts";
import { decodeAddressedHeaders } from "../header/addresses.ts";
import { readAuth } from "../header/auth-results.ts";
import { MAX_FIELDS, readHeaderBlock } from "../header/fields.ts";
import { type SanitizedHtml, sanitizeHtml } from "../html/sanitize.ts";
import { type CodeSource, readCodes } from "../insight/codes.ts";
import { findLinks, type LinkSource } from "../insight/links.ts";
import type { MimeStructure } from "../structure.ts";
import { type InputOf, type OutputOf, TaskPool } from "./task-pool.ts";

/** Tasks that may be slow on a hostile mail. Input and output are plain data. */
export const PARSE_TASKS = {
  /** `pieces` are the raw bytes of the parts, in the same order. */
  parse: ({ parts, pieces }: { parts: readonly BodyPart[]; pieces: readonly Uint8Array[] }) =>
    composeBodies(
      parts.map((part, index) => ({ ...part, content: decodeBody(part, pieces[index] ?? new Uint8Array()) })),
    ),
  sanitize: ({ html, inline, remote }: { html: string } & SafeOptions) =>
    sanitizeHtml(html, {
      inlineUrl: (cid) =>
        typeof inline === "string" ? inline + encodeURIComponent(cid) : (inline.get(cid) ?? ""),
      remote,
    }),
  links: findLinks,
  codes: readCodes,
  headers: decodeAddressedHeaders,
  auth: readAuth,
};
type ParseTasks = typeof PARSE_TASKS;

interface SafeOptions {
  /** The addresses of inline images by their Content-ID, or the text to which an escaped Content-ID is added. */
  readonly inline: string | ReadonlyMap<string, string>;
  readonly remote: boolean;
}

export interface Outcome {
  /** False if the result may be incomplete: the message exceeds a limit, or the worker failed. */
  readonly parsed: boolean;
  /** True if no worker finished the task, so another attempt may find more. */
  readonly mayImprove: boolean;
}

export interface Findings<Found> extends Outcome {
  readonly found: Found;
}

const WHOLE: Outcome = { parsed: true, mayImprove: false };
const CUT: Outcome = { parsed: false, mayImprove: false };
const OUT_OF_TIME: Outcome = { parsed: false, mayImprove: true };

export const wholeIf = (isAll: boolean): Outcome => (isAll ? WHOLE : CUT);

export const together = (...outcomes: readonly Outcome[]): Outcome => ({
  parsed: outcomes.every(({ parsed }) => parsed),
  mayImprove: outcomes.some(({ mayImprove }) => mayImprove),
});

export interface BodyParserOptions {
  readonly startWorker: () => Worker;
  readonly timeoutMs: number;
  /** If all text and HTML parts together are larger, only their beginnings are parsed. */
  readonly maxBytes: number;
}

export interface MessageSource {
  bytes(start: number, end: number): Promise<Uint8Array>;
}

export interface ParsedBodies extends Bodies, Outcome {}

export type BodyParser = ReturnType<typeof createBodyParser>;

/** Inputs up to this size take at most a few milliseconds on the main thread. */
const SMALL_CHARS = 16 * 1024;

export function createBodyParser({ startWorker, timeoutMs, maxBytes }: BodyParserOptions) {
  const pool = new TaskPool<ParseTasks>(startWorker, timeoutMs);
  const tasks: {
    [Name in keyof ParseTasks]: (input: InputOf<ParseTasks, Name>) => OutputOf<ParseTasks, Name>;
  } = PARSE_TASKS;

  /** Null if the worker failed or took too long. */
  const run = async <Name extends keyof ParseTasks>(
    name: Name,
    chars: number,
    load: () => InputOf<ParseTasks, Name> | Promise<InputOf<ParseTasks, Name>>,
  ): Promise<OutputOf<ParseTasks, Name> | null> =>
    chars <= SMALL_CHARS ? tasks[name](await load()) : pool.run(name, load).catch(() => null);

  return {
    async parse(source: MessageSource, structure: MimeStructure): Promise<ParsedBodies> {
      const { parts, isAll } = bodyParts(structure);
      const within = partsWithin(parts, maxBytes);
      const isWhole = isAll && within === parts && structure.truncated === null;
      const bodies = await run("parse", bytesOf(within), async () => ({
        parts: within,
        pieces: await Promise.all(within.map(({ start, end }) => source.bytes(start, end))),
      }));
      return { ...(bodies ?? composeBodies([])), ...outcomeOf(bodies, isWhole) };
    },

    async sanitizeHtml(html: string, options: SafeOptions): Promise<Findings<SanitizedHtml>> {
      const safe = await run("sanitize", html.length, () => ({ html, ...options }));
      return { found: safe ?? NOT_SANITIZED, ...outcomeOf(safe, safe?.isAll) };
    },

    async findLinks(source: LinkSource): Promise<Findings<MessageLink[]>> {
      const inHeaders = source.headers?.reduce((sum, { value }) => sum + value.length, 0) ?? 0;
      const chars = source.html.length + source.text.length + inHeaders;
      const links = await run("links", chars, () => source);
      return { found: links ?? [], ...outcomeOf(links) };
    },

    async findCodes(source: CodeSource): Promise<Findings<MessageCode[]>> {
      const chars = source.subject.length + source.html.length + source.text.length;
      const found = await run("codes", chars, () => source);
      return { found: found?.codes ?? [], ...outcomeOf(found, found?.isAll) };
    },

    // `start` is the start of a message: its whole header, or more of the header than the limit.
    async readHeaders(start: Uint8Array): Promise<Findings<MessageHeader[]>> {
      const { block, isAll } = readHeaderBlock(start);
      const headers = await run("headers", block.length, () => block);
      return { found: headers ?? [], ...outcomeOf(headers, isAll && (headers?.length ?? 0) < MAX_FIELDS) };
    },

    async readAuthResults(start: Uint8Array): Promise<Findings<AuthResults>> {
      const { block, isAll } = readHeaderBlock(start);
      const auth = await run("auth", block.length, () => block);
      const nothing: AuthResults = { dkim: [], spf: [], dmarc: [], arc: [] };
      return { found: auth?.results ?? nothing, ...outcomeOf(auth, isAll && auth?.isAll) };
    },

    close: () => pool.close(),
  };
}

const outcomeOf = (found: object | null, isAll: boolean | undefined = true): Outcome =>
  found === null ? OUT_OF_TIME : wholeIf(isAll);

const NOT_SANITIZED: SanitizedHtml = {
  html: "<!doctype html>This mail takes too long to be made safe. Its source shows all of it.",
  blocked_remote: 0,
  isAll: false,
};

const bytesOf = (parts: readonly BodyPart[]) => parts.reduce((sum, { start, end }) => sum + end - start, 0);

/** Shortens the parts if together they are too large. Text and HTML each get at least half of the limit. */
function partsWithin(parts: readonly BodyPart[], maxBytes: number): readonly BodyPart[] {
  const text = bytesOf(parts.filter(({ kind }) => kind === "text"));
  const html = bytesOf(parts) - text;
  if (text + html <= maxBytes) return parts;
  const half = Math.floor(maxBytes / 2);
  const room = { text: Math.max(half, maxBytes - html), html: Math.max(half, maxBytes - text) };
  return parts.flatMap((part) => {
    const left = room[part.kind];
    room[part.kind] -= part.end - part.start;
    return left > 0 ? startOfPart(part, left) : [];
  });
}

const startOfPart = (part: BodyPart, bytes: number): BodyPart =>
  part.end - part.start <= bytes ? part : { ...part, end: part.start + bytes, isCut: true };
