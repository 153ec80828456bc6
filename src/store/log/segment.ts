// Segment files: `<number>-<generation>.seg`, a prologue and then records. Numbers give the order of the
// log; a compaction writes the same number again with the next generation.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "../../lib/crc32.ts";
import {
  findHeader,
  HEADER_BYTES,
  type HeadPayload,
  type RecordType,
  readHeader,
  readJson,
} from "./record.ts";

export const FORMAT_VERSION = 1;
export const PROLOGUE_BYTES = 16;
const PROLOGUE_MAGIC = "MAILKEEP";
const MAX_HEAD_BYTES = 4096;
const NAMED_FILES = 5;
const NAME = /^(\d{10})-(\d{1,6})\.seg$/;

export interface SegmentName {
  readonly number: number;
  readonly generation: number;
}

/** A segment as it lies on disk. */
export interface Segment extends SegmentName {
  readonly size: number;
  /** The last of the segments that were merged into this one, where that was asked for. */
  readonly mergedTo?: number;
}

/** Whether what the segment of that number held is in this one now. */
export const isMergedInto = ({ number, mergedTo = 0 }: Segment, other: number): boolean =>
  number < other && other <= mergedTo;

export const segmentPath = (dir: string, { number, generation }: SegmentName): string =>
  join(dir, `${String(number).padStart(10, "0")}-${generation}.seg`);

/** All segment files in log order; a number may occur with two generations after a crash. */
export function listSegments(dir: string): SegmentName[] {
  return readdirSync(dir)
    .map((name) => NAME.exec(name))
    .filter((match) => match !== null)
    .map((match) => ({ number: Number(match[1]), generation: Number(match[2]) }))
    .sort((a, b) => a.number - b.number || a.generation - b.generation);
}

export function prologue(salt: number): Buffer {
  const bytes = Buffer.alloc(PROLOGUE_BYTES);
  bytes.write(PROLOGUE_MAGIC, "latin1");
  bytes.writeUInt32LE(FORMAT_VERSION, 8);
  bytes.writeUInt32LE(salt, 12);
  return bytes;
}

/** Null when this is not the beginning of a segment. */
export function readPrologue(bytes: Buffer): { version: number; salt: number } | null {
  if (bytes.length < PROLOGUE_BYTES || bytes.toString("latin1", 0, 8) !== PROLOGUE_MAGIC) return null;
  return { version: bytes.readUInt32LE(8), salt: bytes.readUInt32LE(12) };
}

export interface SoundRecord {
  readonly kind: "record";
  readonly type: RecordType;
  readonly at: number;
  readonly end: number;
  readonly payload: Buffer;
}

export type SegmentEntry =
  | SoundRecord
  /** Bytes that are no sound record; `tail` when nothing sound follows. */
  | { readonly kind: "damaged"; readonly at: number; readonly end: number; readonly tail: boolean };

/** Walks the records from a position on, stepping over what is damaged. */
export function* readSegment(bytes: Buffer, from: number, salt: number): Generator<SegmentEntry> {
  let at = from;
  if (at < PROLOGUE_BYTES) {
    const intact = readPrologue(bytes)?.salt === salt;
    at = Math.min(PROLOGUE_BYTES, bytes.length);
    if (!intact) yield { kind: "damaged", at: 0, end: at, tail: at === bytes.length };
  }
  yield* readRecords(bytes, at, salt);
}

/** Walks records that lie back to back, stepping over what is damaged. */
export function* readRecords(bytes: Buffer, from: number, salt: number): Generator<SegmentEntry> {
  let at = from;
  while (at < bytes.length) {
    const entry = soundRecord(bytes, at, salt) ?? damage(bytes, at, salt);
    yield entry;
    at = entry.end;
  }
}

function soundRecord(bytes: Buffer, at: number, salt: number): SegmentEntry | null {
  const header = readHeader(bytes, at, salt);
  if (header === null) return null;
  const end = at + HEADER_BYTES + header.length;
  if (end > bytes.length) return null;
  const payload = bytes.subarray(at + HEADER_BYTES, end);
  return crc32(payload, salt) === header.crc ? { kind: "record", type: header.type, at, end, payload } : null;
}

/**
 * A record ends where it says only if another begins there: where bytes are missing in it, that lies inside the next
 * one. Then it ends at the next sound header, which may lie before.
 */
function damage(bytes: Buffer, at: number, salt: number): SegmentEntry {
  const header = readHeader(bytes, at, salt);
  const told = header === null ? at : at + HEADER_BYTES + header.length;
  const isTrue = told > at && (told === bytes.length || readHeader(bytes, told, salt) !== null);
  const end = isTrue ? told : nextRecord(bytes, at, salt);
  return { kind: "damaged", at, end, tail: end === bytes.length };
}

/**
 * Whether damaged bytes may have been, or may hide, a change or a deletion. The record of a message stays in the log
 * even so: with the file from a backup it is back.
 */
export function mayHoldNotes(bytes: Buffer, { at, end }: { at: number; end: number }, salt: number): boolean {
  const header = readHeader(bytes, at, salt);
  const isOne = header !== null && at + HEADER_BYTES + header.length === end;
  return !isOne || (header.type !== "message" && header.type !== "large");
}

function nextRecord(bytes: Buffer, at: number, salt: number): number {
  const found = findHeader(bytes, at + 1, salt);
  return found < 0 ? bytes.length : found;
}

/** The first bytes of a segment: its prologue, and its head as a whole. */
export function readStart(dir: string, name: SegmentName): Buffer {
  const fd = openSync(segmentPath(dir, name), "r");
  try {
    const bytes = Buffer.alloc(MAX_HEAD_BYTES);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** What a segment with this start begins with; null when that is damaged. */
export function headIn(start: Buffer, salt: number): HeadPayload | null {
  const first = readSegment(start, PROLOGUE_BYTES, salt).next();
  if (first.done || first.value.kind !== "record" || first.value.type !== "head") return null;
  return readJson<HeadPayload>(first.value.payload);
}

export const readHead = (dir: string, name: SegmentName, salt: number): HeadPayload | null =>
  headIn(readStart(dir, name), salt);

export const loadSegment = (dir: string, name: SegmentName): Buffer => readFileSync(segmentPath(dir, name));

/** Names of files for a person, the first of many. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMED_FILES;
  return names.slice(0, NAMED_FILES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
