// Builds the tree of a message's parts with their byte ranges while the bytes arrive. To store a
// message, only a few facts are needed: no tree is kept, and the first attachment ends the scan.
import { startDecoder, type TransferDecoder } from "./decode/transfer.ts";
import {
  fieldFilter,
  MAX_FIELDS,
  type RawField,
  readFieldText,
  readSubject,
  splitHeaderBlock,
} from "./header/fields.ts";
import {
  DESCRIBING_FIELDS,
  describePart,
  effectiveType,
  isAtBeginning,
  type PartDescription,
  type PartRole,
  partRole,
  usableBoundary,
} from "./part.ts";
import { type PartVisitor, PartWalker, type WalkLimit } from "./part-walker.ts";

export interface MimePart extends PartDescription {
  /** The number of the part in the order of the message. The message itself is 0. */
  readonly index: number;
  /** In order and with duplicates. Values are unfolded octets, one character each. */
  readonly fields: readonly RawField[];
  /** The media type in lower case; if none is declared, a default. */
  readonly type: string;
  readonly charset: string | null;
  readonly role: PartRole;
  /** The index of the outermost multipart/alternative around the part. Equal indexes mean versions of one content. */
  readonly alternative: number | null;
  readonly isBeginning: boolean;
  /** Range of the body in the raw message, half-open. */
  readonly start: number;
  readonly end: number;
  readonly size: number;
  /** Whether a delimiter ended the part: for a multipart, its closing delimiter. */
  readonly closed: boolean;
  readonly children: readonly MimePart[];
}

export interface MimeStructure {
  readonly root: MimePart;
  /** Why the tree is incomplete, or null. */
  readonly truncated: WalkLimit | null;
}

type Growing = { -readonly [Key in keyof MimePart]: MimePart[Key] } & { children: Growing[] };

interface OpenPart {
  readonly part: Growing;
  /** The number of direct children so far. They are counted even if no tree is kept. */
  parts: number;
}

/** The limit for From and for To in a row of the index, enough for about 500 people. */
const MAX_PEOPLE_CHARS = 16_384;
/** If not all fields are needed, only these are read. */
const FACT_FIELDS = fieldFilter(...DESCRIBING_FIELDS, "subject", "from", "to");

interface ScanOptions {
  /** If false, sizes are of the encoded bodies and few fields are read, which is several times faster. */
  readonly measures?: boolean;
  /** Reads all fields of the message itself. */
  readonly allFields?: boolean;
  readonly maxParts?: number;
  readonly onlyFacts?: boolean;
}

const alternativeWithin = ({ alternative, type, index }: Growing): number | null =>
  alternative ?? (type === "multipart/alternative" ? index : null);

class Scan implements PartVisitor {
  readonly walker: PartWalker;
  readonly #open: OpenPart[] = [];
  #root: Growing | null = null;
  #parts = 0;
  #decoder: TransferDecoder | null = null;
  #decodedBytes = 0;
  #truncated: WalkLimit | null = null;
  readonly #measures: boolean;
  readonly #allFields: boolean;
  readonly #onlyFacts: boolean;
  hasAttachments = false;

  constructor({ measures = true, allFields = measures, maxParts, onlyFacts = false }: ScanOptions) {
    this.walker = new PartWalker(this, maxParts);
    this.#measures = measures;
    this.#allFields = allFields;
    this.#onlyFacts = onlyFacts;
  }

  open(block: string, bodyStart: number, canDescend: boolean): string | null {
    const container = this.#open.at(-1);
    const parent = container?.part ?? null;
    const context = { parent, isFirst: container === undefined || container.parts++ === 0 };
    const readsAll = parent === null ? this.#allFields : this.#measures;
    const fields = splitHeaderBlock(block, readsAll ? undefined : FACT_FIELDS);
    if (fields.length === MAX_FIELDS) this.exceeded("headers_too_big");
    const described = describePart(fields);
    const type = effectiveType(described, context);
    const role = partRole(described, type, context, canDescend);
    if (!canDescend && type.startsWith("multipart/")) this.exceeded("too_deep");
    const part: Growing = {
      ...described,
      index: this.#parts++,
      fields,
      type,
      charset: described.params.get("charset") ?? null,
      role,
      alternative: parent ? alternativeWithin(parent) : null,
      isBeginning: isAtBeginning(context),
      start: bodyStart,
      end: bodyStart,
      size: 0,
      closed: false,
      children: [],
    };
    this.#root ??= part;
    this.#open.push({ part, parts: 0 });
    if (!this.#onlyFacts) parent?.children.push(part);
    if (role === "attachment") {
      this.hasAttachments = true;
      if (this.#onlyFacts) this.walker.stop();
    }
    this.#decodedBytes = 0;
    this.#decoder = role === "multipart" || !this.#measures ? null : startDecoder(part.encoding);
    return role === "multipart" ? usableBoundary(described) : null;
  }

  content(octets: Uint8Array): void {
    if (this.#decoder) this.#decodedBytes += this.#decoder.push(octets).length;
  }

  close(bodyEnd: number, delimited: boolean, isNamed: boolean): void {
    const part = this.#open.pop()?.part;
    if (!part) return;
    part.end = Math.max(part.start, bodyEnd);
    part.closed = delimited;
    part.size = this.#decoder ? this.#decodedBytes + this.#decoder.finish().length : part.end - part.start;
    this.#decoder = null;
    // Text around delimiters is not content (RFC 2046 section 5.1.1). Without a delimiter the whole body is content.
    if (part.role === "multipart" && part.children.length === 0 && !isNamed) part.role = "text";
  }

  exceeded(limit: WalkLimit): void {
    this.#truncated ??= limit;
  }

  finish(): MimeStructure {
    this.walker.finish();
    if (this.#root === null) throw new Error("the walk ended without opening the message");
    return { root: this.#root, truncated: this.#truncated };
  }
}

export function startStructureScan(options: ScanOptions = {}) {
  const scan = new Scan(options);
  return { push: (chunk: Uint8Array) => scan.walker.push(chunk), finish: () => scan.finish() };
}

export function startScan() {
  const scan = new Scan({ measures: false, onlyFacts: true });
  return {
    push: (chunk: Uint8Array) => scan.walker.push(chunk),
    finish: () => {
      const { root } = scan.finish();
      return {
        subject: readSubject(root.fields),
        has_attachments: scan.hasAttachments,
        header_from: readFieldText(root.fields, "from", MAX_PEOPLE_CHARS),
        header_to: readFieldText(root.fields, "to", MAX_PEOPLE_CHARS),
      };
    },
  };
}

export function readStructure(raw: Uint8Array): MimeStructure {
  const scan = startStructureScan();
  scan.push(raw);
  return scan.finish();
}

const leavesIn = (part: MimePart): MimePart[] =>
  part.children.length === 0 ? [part] : part.children.flatMap(leavesIn);

export const leavesOf = ({ root }: MimeStructure): MimePart[] => leavesIn(root);
