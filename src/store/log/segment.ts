// Segment files, `<number>-<generation>.seg`: records back to back, the head first. The numbers are the order of the
// log and have no gaps. A compaction writes a segment again as the next generation.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { type DataDir, FILE_MODE, setAside, syncPath } from "./data-dir.ts";
import { type Disk, readBytes, writeAll } from "./disk.ts";
import { removeIfPossible } from "./large-files.ts";
import { type FoundRecord, findRecord, headOf, readRecord } from "./record.ts";

const MAX_HEAD_BYTES = 4096;
const NAME = /^(\d{10})-(\d{1,6})\.seg$/;

export interface SegmentName {
  readonly number: number;
  readonly generation: number;
}

export interface Segment extends SegmentName {
  /** Grows while the segment is the last one. */
  size: number;
  readonly firstSeq: number;
  readonly headBytes: number;
  /** Segments with a number below this were dropped. If the head is damaged, this is 0. */
  readonly oldest: number;
}

export const isEmpty = ({ size, headBytes }: Segment): boolean => size === headBytes;

export const segmentFileName = ({ number, generation }: SegmentName): string =>
  `${String(number).padStart(10, "0")}-${generation}.seg`;

export const segmentPath = (folder: string, name: SegmentName): string => join(folder, segmentFileName(name));

/** In the order of the log. A compaction that was killed may leave two files with one number. */
export function listSegments(folder: string): SegmentName[] {
  return (existsSync(folder) ? readdirSync(folder) : [])
    .map((name) => NAME.exec(name))
    .filter((match) => match !== null)
    .map((match) => ({ number: Number(match[1]), generation: Number(match[2]) }))
    .sort((a, b) => a.number - b.number || a.generation - b.generation);
}

/** A damaged head gets a `firstSeq` so high that readers do not skip the segment before it. */
export function readSegment(folder: string, name: SegmentName, salt: number): Segment {
  const path = segmentPath(folder, name);
  const { size } = statSync(path);
  const record = readRecord(readBytes(path, 0, MAX_HEAD_BYTES), 0, salt);
  if (record?.type !== "head")
    return { ...name, size, headBytes: 0, firstSeq: Number.MAX_SAFE_INTEGER, oldest: 0 };
  const { first_seq: firstSeq, oldest } = headOf(record.payload);
  return { ...name, size, headBytes: record.end, firstSeq, oldest };
}

/** Writes a segment file and returns its descriptor. After a kill the file is complete or missing. */
export function writeSegment(path: string, bytes: Uint8Array, disk: Disk, isSynced: boolean): number {
  const draft = `${path}.new`;
  const fd = openSync(draft, "w+", FILE_MODE);
  try {
    writeAll(disk, fd, bytes, 0);
    if (isSynced) fsyncSync(fd);
    renameSync(draft, path);
    if (isSynced) syncPath(dirname(path));
    return fd;
  } catch (error) {
    closeSync(fd);
    // If the file stayed, the next start would take it for the end of the log.
    for (const left of [draft, path]) removeIfPossible(left);
    throw error;
  }
}

export const loadSegment = (folder: string, name: SegmentName): Buffer<ArrayBuffer> =>
  readFileSync(segmentPath(folder, name));

/** Bytes that are not a valid record; `isTail` if no valid record follows. */
export interface DamagedBytes {
  readonly type: "damaged";
  readonly at: number;
  readonly end: number;
  readonly isTail: boolean;
}

export function* recordsIn(bytes: Buffer, salt: number): Generator<FoundRecord | DamagedBytes> {
  for (let at = 0; at < bytes.length; ) {
    const record = readRecord(bytes, at, salt);
    if (record !== null) {
      yield record;
      at = record.end;
      continue;
    }
    const end = findRecord(bytes, at + 1, salt);
    yield { type: "damaged", at, end, isTail: end === bytes.length };
    at = end;
  }
}

export const damagedName = (segment: SegmentName, at: number): string =>
  `${segmentFileName(segment)}-${at}.bin`;

/** Keeps a copy of damaged bytes and logs them once. */
export class DamageReport {
  readonly #dir: DataDir;
  readonly #logger: Logger;
  /** Whether there is damage that was not known before this start. */
  isNew = false;

  constructor(dir: DataDir, logger: Logger) {
    this.#dir = dir;
    this.#logger = logger;
  }

  add(segment: SegmentName, bytes: Buffer, { at, end }: DamagedBytes): void {
    const name = damagedName(segment, at);
    if (existsSync(join(this.#dir.damaged, name))) return;
    const copy = setAside(this.#dir, name, bytes.subarray(at, end));
    this.#logger.error("log damaged", { file: segmentFileName(segment), at, bytes: end - at, copy });
    this.isNew = true;
  }
}
