// The header of a message as a person reads it: unfolded, decoded, order and duplicates kept.
import { type FieldFilter, type RawField, splitHeaderBlock } from "./header-block.ts";
import { decodeHeaderText } from "./header-text.ts";
import { MAX_MESSAGE_HEADER_BYTES } from "./limits.ts";

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** The header block at the start of a message, one character an octet. */
function headerBlock(raw: Uint8Array): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_MESSAGE_HEADER_BYTES));
  let line = 0;
  while (line < bytes.length) {
    const lf = bytes.indexOf(0x0a, line);
    if (lf < 0) return bytes.toString("latin1");
    if (lf === line || (lf === line + 1 && bytes[line] === 0x0d)) break;
    line = lf + 1;
  }
  return bytes.toString("latin1", 0, line);
}

/** Reads no further than the header. */
export const readFields = (raw: Uint8Array, filter: FieldFilter | null = null): RawField[] =>
  splitHeaderBlock(headerBlock(raw), filter);

export const readHeaders = (raw: Uint8Array): Header[] =>
  readFields(raw).map(({ name, value }) => ({ name, value: decodeHeaderText(value) }));
