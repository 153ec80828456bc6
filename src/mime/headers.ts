// The header of a message as a person reads it: unfolded, decoded, order and duplicates kept.
import { type FieldFilter, hasHeader, type RawField, splitHeaderBlock } from "./header-block.ts";
import { decodeHeaderText } from "./header-text.ts";
import { MAX_MESSAGE_HEADER_BYTES } from "./limits.ts";

export interface Header {
  readonly name: string;
  readonly value: string;
}

const CR = 0x0d;
const LF = 0x0a;

/** The header block at the start of a message, one character an octet. */
function headerBlock(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, headerEnd(raw)).toString("latin1");
}

/** Where the header ends: before the first empty line, or at once where there is none. */
export function headerEnd(raw: Uint8Array): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_MESSAGE_HEADER_BYTES));
  if (bytes[0] === LF || (bytes[0] === CR && bytes[1] === LF) || !hasHeader(bytes, true)) return 0;
  const ends = ["\n\n", "\n\r\n"].map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  return ends.length === 0 ? bytes.length : Math.min(...ends) + 1;
}

/** Reads no further than the header. */
export const readFields = (raw: Uint8Array, filter: FieldFilter | null = null): RawField[] =>
  splitHeaderBlock(headerBlock(raw), filter);

export const readHeaders = (raw: Uint8Array): Header[] =>
  readFields(raw).map(({ name, value }) => ({ name, value: decodeHeaderText(value) }));
