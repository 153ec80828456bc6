// The header of a message as a person reads it: unfolded, decoded, order and duplicates kept.
import { MAX_MESSAGE_HEADER_BYTES } from "../limits.ts";
import { findEmptyLine, findLineEnd, findLineOfDashes, isEmptyLine } from "../line-search.ts";
import { type FieldFilter, type RawField, splitHeaderBlock } from "./header-block.ts";
import { fieldsEnd, hasHeader, isFirstDelimiter } from "./header-extent.ts";
import { decodeHeaderText } from "./header-text.ts";

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** The header block at the start of a message, one character an octet. */
function headerBlock(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, headerEnd(raw)).toString("latin1");
}

/** Where the header ends: before the first empty line, or where the body begins without one. */
export function headerEnd(raw: Uint8Array): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_MESSAGE_HEADER_BYTES));
  if (isEmptyLine(bytes, 0) || !hasHeader(bytes, true)) return 0;
  const empty = findEmptyLine(bytes, 0);
  const end = empty < 0 ? bytes.length : empty;
  const dashes = findLineOfDashes(bytes.subarray(0, end), 0) + 1;
  if (dashes > 0) {
    const line = bytes.toString("latin1", dashes, findLineEnd(bytes, dashes));
    if (isFirstDelimiter(line, bytes.toString("latin1", 0, dashes))) return dashes;
  }
  const isAll = empty >= 0 || bytes.length < MAX_MESSAGE_HEADER_BYTES;
  return (isAll && fieldsEnd(bytes.toString("latin1", 0, end), empty >= 0)) || end;
}

/** Reads no further than the header. */
export const readFields = (raw: Uint8Array, filter: FieldFilter | null = null): RawField[] =>
  splitHeaderBlock(headerBlock(raw), filter);

export const readHeaders = (raw: Uint8Array): Header[] =>
  readFields(raw).map(({ name, value }) => ({ name, value: decodeHeaderText(value) }));
