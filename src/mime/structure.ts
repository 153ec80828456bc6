// The whole part tree of a message with byte ranges, found while the bytes stream by. Plain data:
// it can be sent to a worker.
import { Base64BodyMeter } from "./base64-body.ts";
import { type FieldFilter, fieldFilter, type RawField, splitHeaderBlock } from "./header/header-block.ts";
import { MAX_ALL_HEADER_BYTES, MAX_FIELDS, MAX_PARTS } from "./limits.ts";
import { DESCRIBING_FIELDS, type Disposition, describePart, type TransferEncoding } from "./part-headers.ts";
import {
  contextWithin,
  effectiveType,
  MESSAGE_CONTEXT,
  type PartRole,
  partRole,
  usableBoundary,
} from "./part-role.ts";
import { type PartVisitor, PartWalker, type WalkLimit } from "./part-walker.ts";
import { QuotedPrintableDecoder } from "./quoted-printable.ts";

export interface MimePart {
  /** Place in the order of the message; the message itself is 0. */
  readonly index: number;
  /** In order, duplicates kept; values are octets (one character each), unfolded. */
  readonly fields: readonly RawField[];
  /** Media type in lower case, by RFC 2045's defaults when none is declared. */
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  readonly charset: string | null;
  readonly encoding: TransferEncoding;
  readonly disposition: Disposition;
  readonly filename: string;
  readonly contentId: string;
  readonly role: PartRole;
  readonly inAlternative: boolean;
  /** The outermost multipart/alternative that it is in, by its index: parts of the same one say the same. */
  readonly alternative: number | null;
  /** The mail begins with it. */
  readonly isBeginning: boolean;
  /** Range of the body in the raw message, half-open. */
  readonly start: number;
  readonly end: number;
  /** Bytes of the body after transfer decoding. */
  readonly size: number;
  /** Of a multipart: whether its closing delimiter was there. */
  readonly closed: boolean;
  readonly children: readonly MimePart[];
}

export interface MimeStructure {
  readonly root: MimePart;
  /** Why the tree does not show everything; null when it does. */
  readonly truncated: WalkLimit | null;
}

export interface StructureScan {
  push(chunk: Uint8Array): void;
  finish(): MimeStructure;
}

type Growing = { -readonly [Key in keyof MimePart]: MimePart[Key] } & { children: Growing[] };

const PART_FIELDS = fieldFilter(...DESCRIBING_FIELDS);

/** Counts the bytes that the decoder of the same encoding gives. */
interface Meter {
  push(octets: Uint8Array): void;
  finish(): number;
}

function startMeter(encoding: TransferEncoding): Meter | null {
  if (encoding === "base64") return new Base64BodyMeter();
  if (encoding === "identity") return null;
  const decoder = new QuotedPrintableDecoder();
  let bytes = 0;
  return {
    push: (octets) => {
      bytes += decoder.push(octets).length;
    },
    finish: () => bytes + decoder.finish().length,
  };
}

export interface ScanOptions {
  /** Unmeasured, which is several times faster, sizes are those of the encoded bodies. */
  readonly measures?: boolean;
  readonly maxParts?: number;
  /** Which fields the parts show; all by default. */
  readonly fields?: FieldFilter | null;
}

const alternativeWithin = ({ alternative, type, index }: Growing): number | null =>
  alternative ?? (type === "multipart/alternative" ? index : null);

class TreeBuilder implements PartVisitor {
  readonly walker: PartWalker;
  readonly #open: Growing[] = [];
  #root: Growing | null = null;
  #parts = 0;
  #headerBytes = 0;
  #meter: Meter | null = null;
  #truncated: WalkLimit | null = null;
  readonly #measures: boolean;
  readonly #fields: FieldFilter | null;

  constructor({ measures = true, maxParts = MAX_PARTS, fields = null }: ScanOptions) {
    this.walker = new PartWalker(this, maxParts);
    this.#measures = measures;
    this.#fields = fields;
  }

  open(block: string, bodyStart: number, canDescend: boolean): string | null {
    const parent = this.#open.at(-1);
    const context = parent ? contextWithin(parent, parent.children.length) : MESSAGE_CONTEXT;
    this.#headerBytes += block.length;
    const isFull = this.#headerBytes > MAX_ALL_HEADER_BYTES;
    if (isFull) this.exceeded("headers_too_big");
    const fields = splitHeaderBlock(block, isFull ? PART_FIELDS : this.#fields);
    if (fields.length === MAX_FIELDS) this.exceeded("headers_too_big");
    const described = describePart(fields);
    const type = effectiveType(described, context);
    const role = partRole(described, type, context, canDescend);
    if (!canDescend && type.startsWith("multipart/")) this.exceeded("too_deep");
    const part: Growing = {
      index: this.#parts++,
      fields: isFull ? [] : fields,
      type,
      params: described.params,
      charset: described.params.get("charset") ?? null,
      encoding: described.encoding,
      disposition: described.disposition,
      filename: described.filename,
      contentId: described.contentId,
      role,
      inAlternative: context.inAlternative,
      alternative: parent ? alternativeWithin(parent) : null,
      isBeginning: context.isBeginning,
      start: bodyStart,
      end: bodyStart,
      size: 0,
      closed: false,
      children: [],
    };
    this.#root ??= part;
    parent?.children.push(part);
    this.#open.push(part);
    this.#meter = role === "multipart" || !this.#measures ? null : startMeter(part.encoding);
    return role === "multipart" ? usableBoundary(described) : null;
  }

  content(octets: Uint8Array): void {
    this.#meter?.push(octets);
  }

  close(bodyEnd: number, delimited: boolean, isNamed: boolean): void {
    const part = this.#open.pop();
    if (!part) return;
    part.end = Math.max(part.start, bodyEnd);
    part.closed = delimited;
    part.size = this.#meter ? this.#meter.finish() : part.end - part.start;
    this.#meter = null;
    // What stands around delimiters is no content (RFC 2046 section 5.1.1); without any it is all the text there is.
    if (part.role === "multipart" && part.children.length === 0 && !isNamed) part.role = "text";
  }

  exceeded(limit: WalkLimit): void {
    this.#truncated ??= limit;
  }

  finish(): MimeStructure {
    this.walker.finish();
    if (this.#root === null) throw new Error("a walk that has finished has opened the message");
    return { root: this.#root, truncated: this.#truncated };
  }
}

export function startStructureScan(options: ScanOptions = {}): StructureScan {
  const builder = new TreeBuilder(options);
  return { push: (chunk) => builder.walker.push(chunk), finish: () => builder.finish() };
}

export function readStructure(raw: Uint8Array): MimeStructure {
  const scan = startStructureScan();
  scan.push(raw);
  return scan.finish();
}

/** Every part that has no parts, in the order of the message. */
export function leavesOf(structure: MimeStructure): MimePart[] {
  const leaves: MimePart[] = [];
  const visit = (part: MimePart) => {
    if (part.children.length === 0) leaves.push(part);
    for (const child of part.children) visit(child);
  };
  visit(structure.root);
  return leaves;
}
