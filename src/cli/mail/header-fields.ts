// The header block of a mail (RFC 5322 section 2.2), by byte offsets, with CRLF or bare LF as line ends.
import { addressesIn } from "./address-list.ts";

export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  /** Unfolded, trimmed, encoded words left alone. */
  readonly value: string;
  /** Half-open range of bytes, line end included. */
  readonly start: number;
  readonly end: number;
}

const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const FIELD = /^([!-9;-~]+)[ \t]*:([\s\S]*)$/;

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end === -1 ? bytes.length : end + 1;
}

const isFolded = (bytes: Buffer, at: number) => bytes[at] === 0x20 || bytes[at] === 0x09;

/** Behind a byte order mark, which is no part of the first name. */
export const headerStart = (bytes: Buffer): number =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;

/** What is no field (an mbox's "From " line, garbage) is passed over. */
export function readHeaderFields(mail: Uint8Array): HeaderField[] {
  const bytes = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength);
  const fields: HeaderField[] = [];
  for (let start = headerStart(bytes); start < bytes.length; ) {
    let end = lineEnd(bytes, start);
    if (/^\r?\n$/.test(bytes.toString("latin1", start, Math.min(end, start + 3)))) break;
    while (end < bytes.length && isFolded(bytes, end)) end = lineEnd(bytes, end);
    const [, name, value = ""] = FIELD.exec(bytes.toString("utf8", start, end)) ?? [];
    if (name !== undefined) {
      fields.push({
        name: name.toLowerCase(),
        value: value.replace(/\r?\n(?=[ \t])/g, "").trim(),
        start,
        end,
      });
    }
    start = end;
  }
  return fields;
}

/** The addresses of all fields with these names, each once, in order; groups are opened. */
export function addressesOf(fields: readonly HeaderField[], ...names: readonly string[]): string[] {
  const found = fields.filter(({ name }) => names.includes(name)).flatMap(({ value }) => addressesIn(value));
  return [...new Set(found)];
}
