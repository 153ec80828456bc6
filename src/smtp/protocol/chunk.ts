// BDAT (RFC 3030): a message, or a piece of one, as a counted run of bytes.
import { BDAT_SYNTAX, type Reply } from "./replies.ts";

export interface Chunk {
  readonly bytes: number;
  readonly last: boolean;
  /** Given once the chunk is read and thrown away, or its bytes would be taken for commands; null: it is wanted. */
  refusal: Reply | null;
  left: number;
}

/**
 * Null when not even the size can be read: then there is nothing to skip. A size may have any number of digits, and
 * counts whatever stands behind it.
 */
export function parseChunk(args: string): Chunk | null {
  const words = /^(\d+)(|[\x00-\x20\x7f].*)$/s.exec(args);
  if (words === null) return null;
  const [, digits, rest = ""] = words;
  const bytes = Number(digits);
  const last = /^[ \t]+LAST$/i.test(rest);
  const wellFormed = last || rest === "";
  return { bytes, last, refusal: wellFormed ? null : BDAT_SYNTAX, left: bytes };
}

/** A chunk of more bytes than can be counted has no end to wait for. */
export const isEndless = (chunk: Chunk): boolean => !Number.isSafeInteger(chunk.bytes);
