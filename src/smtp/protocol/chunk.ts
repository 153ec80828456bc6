// BDAT (RFC 3030): a message, or a piece of one, as a counted run of bytes.
import { BDAT_SYNTAX, type Reply } from "./replies.ts";

export interface Chunk {
  readonly bytes: number;
  readonly last: boolean;
  /** Given once the chunk is read and thrown away, or its bytes would be taken for commands; null: it is wanted. */
  refusal: Reply | null;
  left: number;
}

/** Null when not even the size can be read: then there is nothing to skip. */
export function parseChunk(args: string): Chunk | null {
  const words = /^(\d{1,15})(?:[ \t]+(.*))?$/.exec(args);
  if (words === null) return null;
  const bytes = Number(words[1]);
  const last = words[2]?.toUpperCase() === "LAST";
  const wellFormed = last || words[2] === undefined;
  return { bytes, last, refusal: wellFormed ? null : BDAT_SYNTAX, left: bytes };
}
