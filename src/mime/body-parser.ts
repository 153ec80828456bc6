// The main thread's door to everything slow about mail content. Small inputs are handled here,
// big ones in a worker with a time limit, so that the main thread never stalls.

import type { AuthResults } from "../model/index.ts";
import { type Bodies, type BodyPart, bodyParts, composeBodies, decodeBody } from "./bodies.ts";
import type { Code, CodeSource } from "./codes.ts";
import { type Header, headerEnd } from "./headers.ts";
import { escapeHtml } from "./html-entities.ts";
import type { Link, LinkSource } from "./links.ts";
import type { SanitizedHtml } from "./sanitize-html.ts";
import type { MimeStructure } from "./structure.ts";
import { TaskPool } from "./task-pool.ts";
import { localTasks, type TaskName, type Tasks } from "./tasks.ts";

export interface BodyParserOptions {
  readonly startWorker: () => Worker;
  readonly timeoutMs: number;
  /** Text parts together larger than this are not parsed. */
  readonly maxBytes: number;
}

export interface MessageSource {
  readonly size: number;
  bytes(start: number, end: number): Promise<Uint8Array>;
}

export interface ParsedBodies extends Bodies {
  /** False when the message was too much: the bodies are then only what was found within the limits. */
  readonly parsed: boolean;
  /** True when the parser had no time: another time may give more. */
  readonly mayImprove: boolean;
}

export interface BodyParser {
  parse(source: MessageSource, structure: MimeStructure): Promise<ParsedBodies>;
  /** `inlineBase` followed by an escaped Content-ID is the address of an inline image. */
  sanitizeHtml(html: string, options: { inlineBase: string; remote: boolean }): Promise<SanitizedHtml>;
  deriveText(html: string): Promise<string>;
  findLinks(source: LinkSource): Promise<Link[]>;
  findCodes(source: CodeSource): Promise<Code[]>;
  /** Both take the start of a message, and answer with nothing when its header is too much. */
  readHeaders(start: Uint8Array): Promise<Header[]>;
  readAuthResults(start: Uint8Array): Promise<AuthResults>;
  close(): void;
}

/** Inputs up to this many characters are handled at once, in a few milliseconds at the worst. */
const SMALL_CHARS = 100 * 1024;
/** How much more each character costs to look for links and, in many languages, codes, or as part of a header. */
const LINKS_WEIGHT = 3;
const CODES_WEIGHT = 5;
const HEADER_WEIGHT = 4;
const FALLBACK_BYTES = 64 * 1024;

/** Links and codes are looked for up to here: copying more to the worker would stall the main thread. */
const MAX_SEARCHED_CHARS = 4 * 1024 * 1024;

const startOf = <Source extends { readonly html: string; readonly text: string }>(
  source: Source,
): Source => ({
  ...source,
  html: source.html.slice(0, MAX_SEARCHED_CHARS),
  text: source.text.slice(0, MAX_SEARCHED_CHARS),
});

export function createBodyParser({ startWorker, timeoutMs, maxBytes }: BodyParserOptions): BodyParser {
  const pool = new TaskPool({ startWorker, timeoutMs });

  const run = async <Name extends Exclude<TaskName, "parse">>(
    name: Name,
    input: Tasks[Name]["input"],
    chars: number,
    otherwise: Tasks[Name]["output"],
  ): Promise<Tasks[Name]["output"]> => {
    if (chars <= SMALL_CHARS) return localTasks[name](input);
    return pool.run(name, input).catch(() => otherwise);
  };

  const readPieces = (source: MessageSource, parts: readonly BodyPart[]) =>
    Promise.all(parts.map(({ start, end }) => source.bytes(start, end)));

  return {
    async parse(source, structure) {
      const parts = bodyParts(structure);
      const total = parts.reduce((sum, { start, end }) => sum + end - start, 0);
      if (total > maxBytes) return { ...(await readStart(source, parts)), parsed: false, mayImprove: false };
      const pieces = await readPieces(source, parts);
      return pool.run("parse", { parts, pieces }).then(
        (bodies) => ({ ...bodies, parsed: structure.truncated === null, mayImprove: false }),
        async () => ({ ...(await readStart(source, parts)), parsed: false, mayImprove: true }),
      );
    },
    sanitizeHtml: (html, options) =>
      run("sanitize", { html, ...options }, html.length, {
        html: `<!doctype html><meta charset="utf-8"><pre>${escapeHtml(html.slice(0, FALLBACK_BYTES))}</pre>`,
        blocked_remote: 0,
      }),
    deriveText: (html) => run("derive", html, html.length, html.slice(0, FALLBACK_BYTES)),
    findLinks: (source) => {
      const start = startOf(source);
      const inHeaders = start.headers?.reduce((sum, { value }) => sum + value.length, 0) ?? 0;
      return run("links", start, LINKS_WEIGHT * (start.html.length + start.text.length + inHeaders), []);
    },
    findCodes: (source) => {
      const start = startOf(source);
      const chars = start.subject.length + start.html.length + start.text.length;
      return run("codes", start, CODES_WEIGHT * chars, []);
    },
    readHeaders: (start) => {
      const header = start.slice(0, headerEnd(start));
      return run("headers", header, HEADER_WEIGHT * header.length, []);
    },
    readAuthResults: (start) => {
      const header = start.slice(0, headerEnd(start));
      return run("auth", header, HEADER_WEIGHT * header.length, { dkim: [], spf: [], dmarc: [], arc: [] });
    },
    close: () => pool.close(),
  };
}

/** The start of the first text and the first HTML part, decoded here; better than nothing. */
async function readStart(source: MessageSource, parts: readonly BodyPart[]): Promise<Bodies> {
  const first = (["text", "html"] as const).flatMap((kind) => parts.find((part) => part.kind === kind) ?? []);
  const bodies = await Promise.all(
    first.map(async (part) => ({
      kind: part.kind,
      inAlternative: true,
      content: decodeBody(
        part,
        await source.bytes(part.start, Math.min(part.end, part.start + FALLBACK_BYTES)),
      ),
    })),
  );
  return composeBodies(bodies);
}
