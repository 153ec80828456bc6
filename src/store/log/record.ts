// The record format of the log, version 1. A record is a header of 20 bytes and a payload:
//   magic u32 · type u32 · payload length u32 · checksum of the payload u32 · checksum of the header u32
// Both checksums are CRC-32 seeded with the store's salt, so bytes inside a mail can never pass for a record.
// Seqs, ids and the numbers of changes grow along the log.
import { crc32, crc32OfFew } from "../../lib/crc32.ts";
import type { MessageChange } from "../../model/index.ts";

export const RECORD_TYPES = { head: 1, message: 2, large: 3, change: 4, delete: 5 } as const;
export type RecordType = keyof typeof RECORD_TYPES;

/** Opens every segment: what must stay known when everything before it is gone. */
export interface HeadPayload {
  readonly last_seq: number;
  readonly last_id: string;
  /** Everything up to this seq was removed by a clear. */
  readonly cleared_seq: number;
  /** The number of the last change; unknown to logs of before changes were counted. */
  readonly last_change?: number | undefined;
  /** The segments up to this number were merged into this one: a file of theirs is what a kill has left. */
  readonly merged_to?: number;
}

/** Precedes the raw bytes of a message. Its state is there when it was tagged on arrival or rewritten since. */
export interface MessageMeta {
  readonly seq: number;
  readonly id: string;
  readonly time: number;
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly state?: MessageChange;
}

/** A message whose bytes have a file of their own. */
export interface LargeMeta extends MessageMeta {
  readonly size: number;
  readonly crc: number;
}

export interface ChangePayload {
  /** Changes are counted, so that one that is in the log twice is known. Logs of before that have no numbers. */
  readonly number?: number;
  readonly seqs: readonly number[];
  readonly change: MessageChange;
  /** Takes up room, nothing else. */
  readonly blank?: string;
}

export interface DeletePayload {
  readonly seqs: readonly number[];
  /** Nobody has deleted them, their bytes were gone or damaged: what is whole again when the log is read is back. */
  readonly lost?: true;
}

export const HEADER_BYTES = 20;
const META_LENGTH_BYTES = 4;
const MAGIC = 0x726b_6d01;
const MAGIC_BYTES = new Uint8Array(Uint32Array.of(MAGIC).buffer);
const TYPE_NAMES = new Map<number, RecordType>(
  Object.entries(RECORD_TYPES).map(([name, code]) => [code, name as RecordType]),
);

/** Bytes of a record before the raw bytes of its message. */
export const bodyOffset = (metaBytes: number): number => HEADER_BYTES + META_LENGTH_BYTES + metaBytes;

/** Seals the record whose payload already lies at `at + HEADER_BYTES`. */
export function writeHeader(
  buffer: Buffer,
  at: number,
  type: RecordType,
  length: number,
  salt: number,
): void {
  const payload = at + HEADER_BYTES;
  buffer.writeUInt32LE(MAGIC, at);
  buffer.writeUInt32LE(RECORD_TYPES[type], at + 4);
  buffer.writeUInt32LE(length, at + 8);
  buffer.writeUInt32LE(crc32(buffer.subarray(payload, payload + length), salt), at + 12);
  buffer.writeUInt32LE(crc32OfFew(buffer, at, at + 16, salt), at + 16);
}

export interface RecordHeader {
  readonly type: RecordType;
  readonly length: number;
  readonly crc: number;
}

/** Null when there is no sound header at this place. */
export function readHeader(buffer: Buffer, at: number, salt: number): RecordHeader | null {
  if (at + HEADER_BYTES > buffer.length || buffer.readUInt32LE(at) !== MAGIC) return null;
  if (crc32OfFew(buffer, at, at + 16, salt) !== buffer.readUInt32LE(at + 16)) return null;
  const type = TYPE_NAMES.get(buffer.readUInt32LE(at + 4));
  if (type === undefined) return null;
  return { type, length: buffer.readUInt32LE(at + 8), crc: buffer.readUInt32LE(at + 12) };
}

/** The next place with a sound header, or -1. */
export function findHeader(buffer: Buffer, from: number, salt: number): number {
  let at = buffer.indexOf(MAGIC_BYTES, from);
  while (at >= 0 && readHeader(buffer, at, salt) === null) at = buffer.indexOf(MAGIC_BYTES, at + 1);
  return at;
}

export const readJson = <Payload>(payload: Buffer): Payload => JSON.parse(payload.toString("utf8"));

/** Takes a message's payload apart into its meta data and the raw bytes. */
export function readMessage(payload: Buffer): { meta: MessageMeta; raw: Buffer; rawAt: number } {
  const rawAt = META_LENGTH_BYTES + payload.readUInt32LE(0);
  return {
    meta: readJson(payload.subarray(META_LENGTH_BYTES, rawAt)),
    raw: payload.subarray(rawAt),
    rawAt: HEADER_BYTES + rawAt,
  };
}

/** Which message a record holds, and where in it the raw bytes begin (0: in a file of their own); null for none. */
export function messageIn(
  type: RecordType,
  payload: Buffer,
): { seq: number; body_at: number; size: number } | null {
  if (type === "message") {
    const { meta, raw, rawAt } = readMessage(payload);
    return { seq: meta.seq, body_at: rawAt, size: raw.length };
  }
  if (type !== "large") return null;
  const { seq, size } = readJson<LargeMeta>(payload);
  return { seq, body_at: 0, size };
}

/** What a record says of the message that it holds; null for none. */
export function metaIn(type: RecordType, payload: Buffer): MessageMeta | null {
  if (type === "message") return readMessage(payload).meta;
  return type === "large" ? readJson<LargeMeta>(payload) : null;
}
