// The record format of the log, version 2. A record is a header of 28 bytes and a payload, little-endian:
//
//   magic u32 · type u32 · seq f64 · payload length u32 · CRC of the payload u32 · CRC of the header u32
//
// The payload of a message is the length of its JSON (u32), the JSON, and the raw bytes. A large
// message has its bytes in its own file, and their CRC in the JSON. All other payloads are JSON.
// Each CRC is a CRC-32 seeded with the store's secret salt, so the sender of a mail cannot forge a
// record inside the mail.
import { DEFAULT_INBOX } from "../../model/index.ts";
import { type DataDir, largePath } from "./data-dir.ts";
import type { LogEntry, LogRecord, MessageRecord, NewRecord } from "./log.ts";

const TYPES = { message: 1, large: 2, change: 3, delete: 4, clear: 5, head: 6, setting: 7 } as const;
export type RecordType = keyof typeof TYPES;

/** The first record of every segment. */
export interface SegmentHead {
  /** The lowest seq in this segment, apart from settings kept when all mail was deleted. */
  readonly first_seq: number;
  /** The newest id that was given before this segment began. */
  readonly last_id: string;
  /** Segments with lower numbers were dropped. */
  readonly oldest: number;
}

export const HEADER_BYTES = 28;
const META_LENGTH_BYTES = 4;
const MAGIC = 0x726b_6d02;
const MAGIC_BYTES = new Uint8Array(Uint32Array.of(MAGIC).buffer);
const TYPE_NAMES = new Map<number, RecordType>(
  Object.entries(TYPES).map(([name, code]) => [code, name as RecordType]),
);
const FIRST_BUFFER_BYTES = 64 << 10;
/** A larger buffer is not used again. */
const KEPT_BUFFER_BYTES = 4 << 20;
const MAX_UTF8_BYTES = 3;

/** Writes records back to back into one buffer, which is used again for the next group. */
export class RecordBuffer {
  readonly #salt: number;
  #buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  #length = 0;

  constructor(salt: number) {
    this.#salt = salt;
  }

  get length(): number {
    return this.#length;
  }

  /** Valid until the next record is added. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  reset(): void {
    this.#length = 0;
    if (this.#buffer.length > KEPT_BUFFER_BYTES) this.#buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  }

  addHead(head: SegmentHead): void {
    this.#addJson("head", head.first_seq - 1, head);
  }

  /** Returns the offset of the raw bytes in the record; 0 if there are none, or they have their own file. */
  add({ record, body }: NewRecord): number {
    const meta = payloadOf(record);
    if (record.kind !== "message") {
      this.#addJson(record.kind, record.seq, meta);
      return 0;
    }
    if (body instanceof Uint8Array) return this.#addMessage(record.seq, meta, body);
    this.#addJson("large", record.seq, { ...meta, crc: body?.crc });
    return 0;
  }

  #addMessage(seq: number, meta: object, body: Uint8Array): number {
    const json = JSON.stringify(meta);
    this.#reserve(HEADER_BYTES + META_LENGTH_BYTES + json.length * MAX_UTF8_BYTES + body.length);
    const at = this.#length;
    const metaAt = at + HEADER_BYTES + META_LENGTH_BYTES;
    const metaBytes = this.#buffer.write(json, metaAt, "utf8");
    this.#buffer.writeUInt32LE(metaBytes, at + HEADER_BYTES);
    this.#buffer.set(body, metaAt + metaBytes);
    this.#finish("message", seq, META_LENGTH_BYTES + metaBytes + body.length);
    return HEADER_BYTES + META_LENGTH_BYTES + metaBytes;
  }

  #addJson(type: RecordType, seq: number, payload: object): void {
    const json = JSON.stringify(payload);
    this.#reserve(HEADER_BYTES + json.length * MAX_UTF8_BYTES);
    this.#finish(type, seq, this.#buffer.write(json, this.#length + HEADER_BYTES, "utf8"));
  }

  #finish(type: RecordType, seq: number, length: number): void {
    const at = this.#length;
    const end = at + HEADER_BYTES + length;
    const buffer = this.#buffer;
    buffer.writeUInt32LE(MAGIC, at);
    buffer.writeUInt32LE(TYPES[type], at + 4);
    buffer.writeDoubleLE(seq, at + 8);
    buffer.writeUInt32LE(length, at + 16);
    buffer.writeUInt32LE(crc32(buffer.subarray(at + HEADER_BYTES, end), this.#salt), at + 20);
    buffer.writeUInt32LE(crc32(buffer.subarray(at, at + 24), this.#salt), at + 24);
    this.#length = end;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** crc32(b, crc32(a, seed)) is the checksum of a and b together. */
export const crc32 = (bytes: Uint8Array, seed: number): number =>
  Bun.hash.crc32(bytes as Uint8Array<ArrayBuffer>, seed);

/** The part of a record that is stored as JSON. */
export function payloadOf(record: LogRecord): object {
  if (record.kind === "message") return metaOf(record);
  const { kind: _, seq: __, ...rest } = record;
  return rest;
}

export const recordOf = (kind: LogRecord["kind"], seq: number, payload: object): LogRecord =>
  kind === "message" ? messageOf(seq, payload as Meta) : ({ ...payload, kind, seq } as LogRecord);

/** The JSON of a message. Mail in the default inbox names no inbox. */
type Meta = Omit<MessageRecord, "kind" | "seq" | "inbox"> & { readonly inbox?: string | undefined };

/** Field by field, because a rest pattern is several times slower and this runs for every mail. */
const metaOf = (record: MessageRecord): Meta => ({
  id: record.id,
  inbox: record.inbox === DEFAULT_INBOX ? undefined : record.inbox,
  time: record.time,
  sender: record.sender,
  recipients: record.recipients,
  subject: record.subject,
  has_attachments: record.has_attachments,
  header_from: record.header_from,
  header_to: record.header_to,
  tags: record.tags,
  size: record.size,
});

export function readHeader(bytes: Buffer, at: number, salt: number) {
  if (at + HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return null;
  if (crc32(bytes.subarray(at, at + 24), salt) !== bytes.readUInt32LE(at + 24)) return null;
  const type = TYPE_NAMES.get(bytes.readUInt32LE(at + 4));
  if (type === undefined) return null;
  return {
    type,
    seq: bytes.readDoubleLE(at + 8),
    length: bytes.readUInt32LE(at + 16),
    crc: bytes.readUInt32LE(at + 20),
  };
}

export interface FoundRecord {
  readonly type: RecordType;
  readonly seq: number;
  readonly at: number;
  readonly end: number;
  readonly payload: Buffer;
}

export function readRecord(bytes: Buffer, at: number, salt: number): FoundRecord | null {
  const header = readHeader(bytes, at, salt);
  if (header === null) return null;
  const end = at + HEADER_BYTES + header.length;
  if (end > bytes.length) return null;
  const payload = bytes.subarray(at + HEADER_BYTES, end);
  if (crc32(payload, salt) !== header.crc) return null;
  return { type: header.type, seq: header.seq, at, end, payload };
}

/** The offset of the next valid record, or the end of the bytes. */
export function findRecord(bytes: Buffer, from: number, salt: number): number {
  let at = bytes.indexOf(MAGIC_BYTES, from);
  while (at >= 0 && readRecord(bytes, at, salt) === null) at = bytes.indexOf(MAGIC_BYTES, at + 1);
  return at < 0 ? bytes.length : at;
}

/** Null for a segment's head, which is not an entry of the log. */
export function entryOf(dir: DataDir, segment: number, found: FoundRecord): LogEntry | null {
  const { type, seq, at, end, payload } = found;
  const place = { segment, at, body_at: 0, length: end - at };
  if (type === "head") return null;
  if (type === "message") {
    const metaEnd = META_LENGTH_BYTES + payload.readUInt32LE(0);
    const record = messageOf(seq, jsonOf(payload.subarray(META_LENGTH_BYTES, metaEnd)));
    return { record, place: { ...place, body_at: HEADER_BYTES + metaEnd }, body: payload.subarray(metaEnd) };
  }
  if (type === "large") {
    const { crc, ...meta } = jsonOf<Meta & { crc: number }>(payload);
    return {
      record: messageOf(seq, meta),
      place,
      body: { path: largePath(dir, meta.id), size: meta.size, crc },
    };
  }
  return { record: recordOf(type, seq, jsonOf(payload)), place, body: null };
}

const messageOf = (seq: number, { inbox = DEFAULT_INBOX, ...meta }: Meta): MessageRecord => ({
  kind: "message",
  seq,
  inbox,
  ...meta,
});

export const headOf = (payload: Buffer): SegmentHead => jsonOf(payload);

const jsonOf = <Value>(bytes: Buffer): Value => JSON.parse(bytes.toString("utf8"));
