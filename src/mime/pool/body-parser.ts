// The main thread's door to everything slow about mail content. Small inputs are handled here, big ones in a worker with
// a time limit, so that the main thread never stalls.
import { escapeUTF8 as escapeHtml } from "entities";
import type { AuthResults } from "../../model/index.ts";
import {
  type Bodies,
  type BodyPart,
  bodyParts,
  composeBodies,
  decodeBody,
  hasAllBodies,
} from "../body/bodies.ts";
import type { AddressedHeader } from "../header/addresses.ts";
import { type Header, readHeaderBlock } from "../header/fields.ts";
import type { SanitizedHtml } from "../html/sanitize.ts";
import type { Code, CodeSource } from "../insight/codes.ts";
import type { Link, LinkSource } from "../insight/links.ts";
import { MAX_FIELDS } from "../limits.ts";
import type { MimeStructure } from "../structure.ts";
import { TaskPool } from "./task-pool.ts";
import { TASKS, type TaskName, type Tasks } from "./tasks.ts";

export interface Outcome {
  /** False when the message was too much: there may be more than was found within the limits. */
  readonly parsed: boolean;
  /** True when the parser had no time: another time may give more. */
  readonly mayImprove: boolean;
}

export interface Findings<Found> extends Outcome {
  readonly found: Found;
}

const WHOLE: Outcome = { parsed: true, mayImprove: false };
const CUT: Outcome = { parsed: false, mayImprove: false };
const OUT_OF_TIME: Outcome = { parsed: false, mayImprove: true };

export const wholeIf = (isAll: boolean): Outcome => (isAll ? WHOLE : CUT);

/** Of what was read from several sources. */
export const together = (...outcomes: readonly Outcome[]): Outcome => ({
  parsed: outcomes.every(({ parsed }) => parsed),
  mayImprove: outcomes.some(({ mayImprove }) => mayImprove),
});

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
const SMALL_CHARS = 16 * 1024;
const FALLBACK_BYTES = 64 * 1024;
/** Links and codes are looked for up to here: copying more to the worker would stall the main thread. */
const MAX_SEARCHED_CHARS = 4 * 1024 * 1024;
const NO_CODES = { codes: [], isAll: false };
const NO_AUTH_RESULTS = { results: { dkim: [], spf: [], dmarc: [], arc: [] }, isAll: false };

interface Content {
  readonly html: string;
  readonly text: string;
}

const startOf = <Source extends Content>(source: Source): Source => ({
  ...source,
  html: source.html.slice(0, MAX_SEARCHED_CHARS),
  text: source.text.slice(0, MAX_SEARCHED_CHARS),
});

const isLonger = ({ html, text }: Content) => Math.max(html.length, text.length) > MAX_SEARCHED_CHARS;

export function createBodyParser({ startWorker, timeoutMs, maxBytes }: BodyParserOptions): BodyParser {
  const pool = new TaskPool({ startWorker, timeoutMs });

  const run = async <Name extends TaskName>(
    name: Name,
    chars: number,
    load: () => Tasks[Name]["input"] | Promise<Tasks[Name]["input"]>,
    otherwise: () => Tasks[Name]["output"] | Promise<Tasks[Name]["output"]>,
  ): Promise<Findings<Tasks[Name]["output"]>> => {
    if (chars <= SMALL_CHARS) return { found: TASKS[name](await load()), ...WHOLE };
    return pool.run(name, load).then(
      (found) => ({ found, ...WHOLE }),
      async () => ({ found: await otherwise(), ...OUT_OF_TIME }),
    );
  };

  const readFields = async <Name extends "headers" | "addressed-headers">(name: Name, start: Uint8Array) => {
    const { block, isAll } = readHeaderBlock(start);
    const headers = await run<Name>(
      name,
      block.length,
      () => block,
      () => [],
    );
    return { ...headers, ...together(headers, wholeIf(isAll && headers.found.length < MAX_FIELDS)) };
  };

  return {
    async parse(source, structure) {
      const parts = bodyParts(structure);
      const within = partsWithin(parts, maxBytes);
      const isAll = within === parts && structure.truncated === null && hasAllBodies(structure);
      const bytes = within.reduce((sum, { start, end }) => sum + end - start, 0);
      const { found, ...outcome } = await run(
        "parse",
        bytes,
        () => readPieces(source, within),
        () => readStart(source, parts),
      );
      return { ...found, ...together(outcome, wholeIf(isAll)) };
    },
    sanitizeHtml: async (html, options) => {
      const escaped = () => escapeHtml(html.slice(0, FALLBACK_BYTES));
      const safe = await run(
        "sanitize",
        html.length,
        () => ({ html, ...options }),
        () => ({
          html: `<!doctype html><meta charset="utf-8"><pre>${escaped()}</pre>`,
          blocked_remote: 0,
          isAll: false,
        }),
      );
      return { ...safe, ...together(safe, wholeIf(safe.found.isAll)) };
    },
    findLinks: async (source) => {
      const start = startOf(source);
      const inHeaders = start.headers?.reduce((sum, { value }) => sum + value.length, 0) ?? 0;
      const chars = start.html.length + start.text.length + inHeaders;
      const links = await run(
        "links",
        chars,
        () => start,
        () => [],
      );
      return { ...links, ...together(links, wholeIf(!isLonger(source))) };
    },
    findCodes: async (source) => {
      const start = startOf(source);
      const chars = start.subject.length + start.html.length + start.text.length;
      const { found, ...outcome } = await run(
        "codes",
        chars,
        () => start,
        () => NO_CODES,
      );
      return { found: found.codes, ...together(outcome, wholeIf(found.isAll && !isLonger(source))) };
    },
    readHeaders: (start) => readFields("headers", start),
    readAddressedHeaders: (start) => readFields("addressed-headers", start),
    readAuthResults: async (start) => {
      const { block, isAll } = readHeaderBlock(start);
      const auth = await run(
        "auth",
        block.length,
        () => block,
        () => NO_AUTH_RESULTS,
      );
      return { found: auth.found.results, ...together(auth, wholeIf(isAll && auth.found.isAll)) };
    },
    close: () => pool.close(),
  };
}

/** Base64 counts as what it decodes to: a line of 76 characters and its end hold 57 octets. */
const BASE64_WEIGHT = 57 / 78;

const weightOfByte = ({ encoding }: BodyPart) => (encoding === "base64" ? BASE64_WEIGHT : 1);
const weightOf = (part: BodyPart) => (part.end - part.start) * weightOfByte(part);

const weightOfKind = (parts: readonly BodyPart[], kind: BodyPart["kind"]) =>
  parts.reduce((sum, part) => (part.kind === kind ? sum + weightOf(part) : sum), 0);

/**
 * The parts that are read when all are too much: their start, up to a limit that text and HTML share, so that neither
 * leaves nothing to the other.
 */
function partsWithin(parts: readonly BodyPart[], maxBytes: number): readonly BodyPart[] {
  const [text, html] = [weightOfKind(parts, "text"), weightOfKind(parts, "html")];
  if (text + html <= maxBytes) return parts;
  const half = maxBytes / 2;
  const room = { text: Math.max(half, maxBytes - html), html: Math.max(half, maxBytes - text) };
  return parts.flatMap((part) => {
    const left = room[part.kind];
    room[part.kind] -= weightOf(part);
    if (room[part.kind] >= 0) return part;
    return left > 0 ? startOfPart(part, Math.floor(left / weightOfByte(part))) : [];
  });
}

const startOfPart = (part: BodyPart, bytes: number): BodyPart =>
  part.end - part.start <= bytes ? part : { ...part, end: part.start + bytes, isCut: true };

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
