// Reads message bodies back from the log on disk, and never gives out bytes that fail their checksum.
import { existsSync, statSync } from "node:fs";
import { crc32 } from "../../lib/crc32.ts";
import type { RecordRow } from "../rows/row.ts";
import { StoreError } from "../store.ts";
import { type DataDir, damagedName, keepAside, largePath, setAside } from "./data-dir.ts";
import { streamLargeBody } from "./large-body.ts";
import { LargeChecks } from "./large-checks.ts";
import { type Bodies, type BodySource, DamagedRecord } from "./log.ts";
import { HEADER_BYTES, type LargeMeta, messageIn, readHeader, readJson } from "./record.ts";
import { loadSegment, readSegment, type Segment } from "./segment.ts";
import type { SegmentFiles } from "./segment-files.ts";

export interface FileBodiesOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly segments: SegmentFiles;
  /** Throws when the data folder is not there. */
  readonly assertInPlace: () => void;
}

export class FileBodies implements Bodies {
  readonly #options: FileBodiesOptions;
  readonly #largeChecks: LargeChecks;
  /** Names the folder of large bodies, as long as it is the same one. */
  readonly #largeFolder: string | null;

  constructor(options: FileBodiesOptions) {
    this.#options = options;
    this.#largeFolder = identityOf(options.dir.large);
    this.#largeChecks = new LargeChecks({
      path: ({ id }) => largePath(options.dir, id),
      read: (row) => this.#streamLarge(row, 0, row.size),
    });
  }

  async bytes(row: RecordRow, start: number, end: number): Promise<Uint8Array> {
    if (row.body_at === 0) return new Response(this.stream(row, start, end)).bytes();
    return this.#readBody(row).subarray(start, end);
  }

  stream(row: RecordRow, start: number, end: number): ReadableStream<Uint8Array> {
    if (row.body_at === 0) return this.#streamLarge(row, start, end);
    return this.blob(row, start, end).stream();
  }

  blob(row: RecordRow, start: number, end: number): Blob {
    if (row.body_at === 0) return Bun.file(largePath(this.#options.dir, row.id)).slice(start, end);
    return new Blob([this.#readBody(row).subarray(start, end)]);
  }

  source(row: RecordRow): BodySource {
    const { dir, segments } = this.#options;
    if (row.body_at === 0) return { path: largePath(dir, row.id), at: 0, size: row.size };
    return { path: segments.path(this.#segmentOf(row)), at: row.at + row.body_at, size: row.size };
  }

  async check(row: RecordRow): Promise<void> {
    if (row.body_at === 0) return this.#largeChecks.check(row).catch((error) => this.#failed(row, error));
    if (this.#recordLength(row) !== row.body_at + row.size) throw new DamagedRecord(row);
  }

  /** A segment that is not there at all: rows made from those that are will tell. */
  contradicts(rows: readonly RecordRow[]): boolean {
    const { dir, salt, segments } = this.#options;
    const segment = segments.get(rows[0]?.segment ?? 0);
    if (segment === undefined) return true;
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    for (const entry of readSegment(loadSegment(dir.log, segment), 0, salt)) {
      const held = entry.kind === "record" ? messageIn(entry.type, entry.payload) : null;
      const row = held === null ? undefined : bySeq.get(held.seq);
      if (held === null || row === undefined) continue;
      if (entry.at !== row.at || held.body_at !== row.body_at || held.size !== row.size) return true;
    }
    return false;
  }

  keepAside(row: RecordRow): string | null {
    const { dir } = this.#options;
    try {
      if (row.body_at === 0) return keepAside(dir, largePath(dir, row.id));
      const { number, generation } = this.#segmentOf(row);
      return setAside(dir, damagedName(number, generation, row.at), this.#readRecord(row));
    } catch {
      return null;
    }
  }

  /** Throws when the folder of large bodies was exchanged for one that lacks this body. */
  assertLargeInPlace(id: string): void {
    const { dir } = this.#options;
    if (!existsSync(largePath(dir, id))) this.#assertLargeFolder();
  }

  /** A file that is not there is damage, unless more than that is missing: then it may come back. */
  #failed(row: RecordRow, error: unknown): never {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
    this.#options.assertInPlace();
    this.#assertLargeFolder(error);
    throw new DamagedRecord(row);
  }

  #assertLargeFolder(cause?: unknown): void {
    if (identityOf(this.#options.dir.large) === this.#largeFolder) return;
    throw new StoreError("data_dir_unusable", "the large mails are gone from the data folder", { cause });
  }

  /** Read from beginning to end, a large body is checked on the way; what fails ends in an error. */
  #streamLarge(row: RecordRow, start: number, end: number): ReadableStream<Uint8Array> {
    const { dir, salt } = this.#options;
    const isWhole = start === 0 && end >= row.size;
    const check = isWhole ? { salt, crc: this.#largeCrc(row), failure: () => new DamagedRecord(row) } : null;
    return streamLargeBody(largePath(dir, row.id), start, Math.min(end, row.size), check);
  }

  #largeCrc(row: RecordRow): number {
    const length = this.#recordLength(row);
    if (length === null) throw new DamagedRecord(row);
    const payload = Buffer.alloc(length - HEADER_BYTES);
    this.#options.segments.read(this.#segmentOf(row), payload, row.at + HEADER_BYTES);
    return readJson<LargeMeta>(payload).crc;
  }

  /** Null when no sound header is there. */
  #recordLength(row: RecordRow): number | null {
    const { salt, segments } = this.#options;
    const header = Buffer.alloc(HEADER_BYTES);
    segments.read(this.#segmentOf(row), header, row.at);
    const length = readHeader(header, 0, salt)?.length;
    return length === undefined ? null : HEADER_BYTES + length;
  }

  #readBody(row: RecordRow): Buffer {
    const { salt } = this.#options;
    const record = this.#readRecord(row);
    const header = readHeader(record, 0, salt);
    const whole = record.length === row.body_at + row.size;
    if (header === null || !whole) throw new DamagedRecord(row);
    if (crc32(record.subarray(HEADER_BYTES), salt) !== header.crc) throw new DamagedRecord(row);
    return record.subarray(row.body_at);
  }

  /** The record of a message as it lies in its segment; shorter when the file is. */
  #readRecord(row: RecordRow): Buffer {
    const record = Buffer.allocUnsafe(row.body_at + row.size);
    return record.subarray(0, this.#options.segments.read(this.#segmentOf(row), record, row.at));
  }

  #segmentOf(row: RecordRow): Segment {
    const segment = this.#options.segments.get(row.segment);
    if (segment === undefined) throw new DamagedRecord(row);
    return segment;
  }
}

function identityOf(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`;
}
