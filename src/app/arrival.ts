// What is read of a mail while it arrives: the start of its header, what matches a pattern, and the tags that it brings
// with it.
import { readHeaders } from "../mime/index.ts";
import { MAX_TAGS, Tag } from "../model/index.ts";
import type { Envelope } from "../store/index.ts";

/** Finds something out while the bytes of a mail come. */
export interface Collector<Found> {
  /** The chunk belongs to the caller. */
  push(chunk: Uint8Array): void;
  finish(): Found;
}

/** The rest of the header is not looked at. */
const MAX_HEADER_BYTES = 256 * 1024;
const END_OF_HEADER = /\r?\n\r?\n/;

export class HeaderStart {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** The chunk belongs to the caller. */
  push(chunk: Uint8Array): void {
    if (this.#bytes >= MAX_HEADER_BYTES) return;
    this.#chunks.push(new Uint8Array(chunk));
    const hasEnded = END_OF_HEADER.test(Buffer.from(chunk).toString("latin1"));
    this.#bytes = hasEnded ? MAX_HEADER_BYTES : this.#bytes + chunk.length;
  }

  /** The header, with or without some of the body. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

export function inHeader<Found>(find: (start: Buffer) => Found): Collector<Found> {
  const start = new HeaderStart();
  return { push: (chunk) => start.push(chunk), finish: () => find(start.bytes) };
}

/** `*` stands for anything. Upper and lower case are the same. */
export function wildcard(pattern: string): (text: string) => boolean {
  const expression = new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "isu");
  return (text) => expression.test(text);
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** `X-Test: checkout*`, or the name of a field alone. */
export function headerPattern(pattern: string): (fields: readonly Field[]) => boolean {
  const [name = "", ...value] = pattern.split(":");
  const isName = wildcard(name.trim());
  const isValue = wildcard(value.length === 0 ? "*" : value.join(":").trim());
  return (fields) => fields.some((field) => isName(field.name) && isValue(field.value));
}

// Tags: the word of a plus-address, the words of a header. Those that could not be set by hand (too long, control
// characters, too many) are left out.

export interface ArrivalTagging {
  /** `user+word@…` tags with `word`. */
  readonly plusAddresses: boolean;
  /** The comma-separated words of this header are tags. */
  readonly header: string | undefined;
}

export const NO_TAGGING: ArrivalTagging = { plusAddresses: false, header: undefined };

const TAG = new RegExp(Tag.pattern ?? "");

const UNTAGGED: Collector<string[]> = { push: () => {}, finish: () => [] };

export function startTagging(
  { plusAddresses, header }: ArrivalTagging,
  envelope: Envelope,
): Collector<string[]> {
  if (!plusAddresses && header === undefined) return UNTAGGED;
  const fromAddresses = plusAddresses ? envelope.recipients.flatMap(plusWord) : [];
  if (header === undefined) return { push: () => {}, finish: () => acceptable(fromAddresses) };
  return inHeader((start) => acceptable([...fromAddresses, ...headerWords(start, header)]));
}

/** `"u+q r"` means the same as its content (RFC 5321 section 4.1.2). */
const unquoted = (local: string) =>
  local.length > 1 && local.startsWith('"') && local.endsWith('"')
    ? local.slice(1, -1).replace(/\\(.)/g, "$1")
    : local;

/** The word of `user+word@…`, or nothing. */
export function plusWord(address: string): string[] {
  const local = unquoted(address.slice(0, address.lastIndexOf("@")));
  const plus = local.indexOf("+");
  return plus < 0 ? [] : [local.slice(plus + 1)];
}

function headerWords(raw: Uint8Array, header: string): string[] {
  const wanted = header.toLowerCase();
  return readHeaders(raw)
    .filter(({ name }) => name.toLowerCase() === wanted)
    .flatMap(({ value }) => value.split(","));
}

function acceptable(words: readonly string[]): string[] {
  const tags = new Set(words.map((word) => word.trim()).filter((word) => TAG.test(word)));
  return [...tags].slice(0, MAX_TAGS);
}
