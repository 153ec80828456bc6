// Tags that a mail brings with it: the word of a plus-address, the words of a header. Tags that could not be set by
// hand (too long, control characters, too many) are left out.
import { readHeaders } from "../mime/index.ts";
import { MAX_TAGS, Tag } from "../model/index.ts";
import type { Envelope } from "../store/index.ts";
import { HeaderStart } from "./header-start.ts";

export interface ArrivalTagging {
  /** `user+word@…` tags with `word`. */
  readonly plusAddresses: boolean;
  /** The comma-separated words of this header are tags. */
  readonly header: string | undefined;
}

export const NO_TAGGING: ArrivalTagging = { plusAddresses: false, header: undefined };

export interface TagCollector {
  /** The chunk belongs to the caller. */
  push(chunk: Uint8Array): void;
  finish(): string[];
}

const TAG = new RegExp(Tag.pattern ?? "");

const UNTAGGED: TagCollector = { push: () => {}, finish: () => [] };

export function startTagging({ plusAddresses, header }: ArrivalTagging, envelope: Envelope): TagCollector {
  if (!plusAddresses && header === undefined) return UNTAGGED;
  const fromAddresses = plusAddresses ? envelope.recipients.flatMap(plusWord) : [];
  if (header === undefined) return { push: () => {}, finish: () => acceptable(fromAddresses) };
  const start = new HeaderStart();
  return {
    push: (chunk) => start.push(chunk),
    finish: () => acceptable([...fromAddresses, ...headerWords(start.bytes, header)]),
  };
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
