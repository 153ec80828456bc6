// The main thread's door to everything slow about mail content. Small inputs are handled here,
// big ones in a worker with a time limit, so that the main thread never stalls.
import type { AuthResults } from "../model/index.ts";
import { type Bodies, type BodyPart, bodyParts, composeBodies, decodeBody, hasAllBodies } from "./bodies.ts";
import type { Code, CodeSource } from "./codes/codes.ts";
import { type Findings, OUT_OF_TIME, type Outcome, together, wholeIf } from "./findings.ts";
import type { AddressedHeader } from "./header/addressed-headers.ts";
import { type Header, headerEnd } from "./header/headers.ts";
import { escapeHtml } from "./html/html-entities.ts";
import type { SanitizedHtml } from "./html/sanitize-html.ts";
import { MAX_FIELDS, MAX_MESSAGE_HEADER_BYTES } from "./limits.ts";
import type { Link, LinkSource } from "./links.ts";
import { partsWithin, startOfPart } from "./parts-within.ts";
import type { MimeStructure } from "./structure.ts";
import { TaskPool } from "./task-pool.ts";
import { localTasks, type TaskName, type Tasks } from "./tasks.ts";

export interface BodyParserOptions {
  readonly startWorker: () => Worker;
  readonly timeoutMs: number;
  /** Of text parts that are larger together, the start is parsed. */
  readonly maxBytes: number;
}

export interface MessageSource {
  bytes(start: number, end: number): Promise<Uint8Array>;
}

export interface ParsedBodies extends Bodies, Outcome {}

export interface BodyParser {
  parse(source: MessageSource, structure: MimeStructure): Promise<ParsedBodies>;
  /** `inlineBase` followed by an escaped Content-ID is the address of an inline image. */
  sanitizeHtml(
    html: string,
    options: { inlineBase: string; remote: boolean },
  ): Promise<Findings<SanitizedHtml>>;
  findLinks(source: LinkSource): Promise<Findings<Link[]>>;
  findCodes(source: CodeSource): Promise<Findings<Code[]>>;
  /** These take the start of a message: its header, and something of what follows if that is there. */
  readHeaders(start: Uint8Array): Promise<Findings<Header[]>>;
  readAddressedHeaders(start: Uint8Array): Promise<Findings<AddressedHeader[]>>;
  readAuthResults(start: Uint8Array): Promise<Findings<AuthResults>>;
  close(): void;
}

/** Inputs up to this many characters are handled at once, in a few milliseconds at the worst. */
const SMALL_CHARS = 100 * 1024;
/** How much more each character costs to look for links and, in many languages, codes, or as part of a header. */
const LINKS_WEIGHT = 3;
const CODES_WEIGHT = 10;
const HEADER_WEIGHT = 4;
const FALLBACK_BYTES = 64 * 1024;

/** Links and codes are looked for up to here: copying more to the worker would stall the main thread. */
const MAX_SEARCHED_CHARS = 4 * 1024 * 1024;
const NO_CODES = { codes: [], isAll: false };
const NO_AUTH_RESULTS = { results: { dkim: [], spf: [], dmarc: [], arc: [] }, isAll: false };

const startOf = <Source extends { readonly html: string; readonly text: string }>(
  source: Source,
): Source => ({
  ...source,
  html: source.html.slice(0, MAX_SEARCHED_CHARS),
  text: source.text.slice(0, MAX_SEARCHED_CHARS),
});

const isLonger = ({ html, text }: { readonly html: string; readonly text: string }) =>
  Math.max(html.length, text.length) > MAX_SEARCHED_CHARS;

export function createBodyParser({ startWorker, timeoutMs, maxBytes }: BodyParserOptions): BodyParser {
  const pool = new TaskPool({ startWorker, timeoutMs });

  const run = async <Name extends Exclude<TaskName, "parse">>(
    name: Name,
    input: Tasks[Name]["input"],
    chars: number,
    otherwise: Tasks[Name]["output"],
  ): Promise<Findings<Tasks[Name]["output"]>> => {
    if (chars <= SMALL_CHARS) return { found: await localTasks[name](input), ...wholeIf(true) };
    return pool
      .run(name, chars, () => input)
      .then(
        (found) => ({ found, ...wholeIf(true) }),
        () => ({ found: otherwise, ...OUT_OF_TIME }),
      );
  };

  const readFields = async <Name extends "headers" | "addressed-headers">(name: Name, start: Uint8Array) => {
    const { header, isAll } = headerOf(start);
    const headers = await run(name, header, HEADER_WEIGHT * header.length, []);
    return { ...headers, ...together(headers, wholeIf(isAll && headers.found.length < MAX_FIELDS)) };
  };

  return {
    async parse(source, structure) {
      const parts = bodyParts(structure);
      const within = partsWithin(parts, maxBytes);
      const outcome = wholeIf(within === parts && structure.truncated === null && hasAllBodies(structure));
      return pool
        .run("parse", bytesIn(within), () => readPieces(source, within))
        .then(
          (bodies) => ({ ...bodies, ...outcome }),
          async () => ({ ...(await readStart(source, parts)), ...OUT_OF_TIME }),
        );
    },
    sanitizeHtml: async (html, options) => {
      const safe = await run("sanitize", { html, ...options }, html.length, {
        html: `<!doctype html><meta charset="utf-8"><pre>${escapeHtml(html.slice(0, FALLBACK_BYTES))}</pre>`,
        blocked_remote: 0,
        isAll: false,
      });
      return { ...safe, ...together(safe, wholeIf(safe.found.isAll)) };
    },
    findLinks: async (source) => {
      const start = startOf(source);
      const inHeaders = start.headers?.reduce((sum, { value }) => sum + value.length, 0) ?? 0;
      const chars = start.html.length + start.text.length + inHeaders;
      const links = await run("links", start, LINKS_WEIGHT * chars, []);
      return { ...links, ...together(links, wholeIf(!isLonger(source))) };
    },
    findCodes: async (source) => {
      const start = startOf(source);
      const chars = start.subject.length + start.html.length + start.text.length;
      const { found, ...outcome } = await run("codes", start, CODES_WEIGHT * chars, NO_CODES);
      const isAll = found.isAll && !isLonger(source);
      return { found: found.codes, ...together(outcome, wholeIf(isAll)) };
    },
    readHeaders: (start) => readFields("headers", start),
    readAddressedHeaders: (start) => readFields("addressed-headers", start),
    readAuthResults: async (start) => {
      const { header, isAll } = headerOf(start);
      const auth = await run("auth", header, HEADER_WEIGHT * header.length, NO_AUTH_RESULTS);
      return { found: auth.found.results, ...together(auth, wholeIf(isAll && auth.found.isAll)) };
    },
    close: () => pool.close(),
  };
}

const EMPTY_LINE = Buffer.from("\r\n");

/** With an empty line behind it, which tells where it ends; `isAll` is false when it is longer than is read of it. */
function headerOf(start: Uint8Array): { header: Uint8Array; isAll: boolean } {
  const end = headerEnd(start);
  const header = new Uint8Array(end + EMPTY_LINE.length);
  header.set(start.subarray(0, end));
  header.set(EMPTY_LINE, end);
  return { header, isAll: end < MAX_MESSAGE_HEADER_BYTES || end === start.length };
}

const bytesIn = (parts: readonly BodyPart[]) => parts.reduce((sum, { start, end }) => sum + end - start, 0);

async function readPieces(source: MessageSource, parts: readonly BodyPart[]) {
  return { parts, pieces: await Promise.all(parts.map(({ start, end }) => source.bytes(start, end))) };
}

/** The start of the first text and the first HTML part, decoded here; better than nothing. */
async function readStart(source: MessageSource, parts: readonly BodyPart[]): Promise<Bodies> {
  const first = (["text", "html"] as const).flatMap((kind) => parts.find((part) => part.kind === kind) ?? []);
  const bodies = first.map(async (whole) => {
    const part = startOfPart(whole, FALLBACK_BYTES);
    const content = decodeBody(part, await source.bytes(part.start, part.end));
    return { kind: part.kind, alternative: 0, content };
  });
  return composeBodies(await Promise.all(bodies));
}
