// The log on disk: appends groups of records to the active segment with one write each, rolls to a new
// segment when it is full, reads bodies back. What a failed write left behind is cut off before the next one.
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "../../lib/crc32.ts";
import type { MessageChange } from "../../model/index.ts";
import type { MessageRow } from "../rows/row.ts";
import { StoreError } from "../store.ts";
import { type BytesUnderWay, DiskBodyFile } from "./body-file.ts";
import { type DataDir, damagedName, keepAside, largePath, listLarge, setAside } from "./data-dir.ts";
import { type Disk, syncFolder } from "./disk.ts";
import { streamLargeBody } from "./large-body.ts";
import { LargeChecks } from "./large-checks.ts";
import {
  type Body,
  type BodyFile,
  type BodySource,
  DamagedRecord,
  type Log,
  type LogPosition,
  type NewMessage,
  type Place,
} from "./log.ts";
import {
  HEADER_BYTES,
  type HeadPayload,
  type LargeMeta,
  readHeader,
  readJson,
  readMessage,
} from "./record.ts";
import { largeMetaOf, metaOf, RecordBuffer } from "./record-buffer.ts";
import { Removals } from "./removals.ts";
import type { Room } from "./room.ts";
import {
  loadSegment,
  prologue,
  readSegment,
  type Segment,
  type SegmentEntry,
  type SegmentName,
  segmentPath,
} from "./segment.ts";
import { SegmentReaders } from "./segment-readers.ts";

export type Durability = "os" | "disk";

export interface FileLogOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly durability: Durability;
  readonly largeBytes: number;
  readonly segmentBytes: number;
  readonly disk: Disk;
  readonly room: Room;
}

export class FileLog implements Log {
  readonly largeBytes: number;
  readonly #options: FileLogOptions;
  readonly #segments = new Map<number, Segment>();
  readonly #readers = new SegmentReaders();
  readonly #records: RecordBuffer;
  readonly #removals = new Removals();
  readonly #largeChecks: LargeChecks;
  #active: Segment;
  #activeFd: number;
  /** What a new segment has to repeat: as of the last group, and as of the group being staged. */
  #head: HeadPayload;
  #stagedHead: HeadPayload;
  /** Where the group in hand was written to. */
  #written: Segment | null = null;
  #clears = false;
  #newLarge: { path: string; size: number }[] = [];
  #deadLarge: { path: string; size: number }[] = [];
  #largeBytes: number;
  /** The active segment may hold bytes of a group that was refused. */
  #dirtyTail = false;
  #folderChanged = true;
  #bodyFiles = 0;
  readonly #bodiesUnderWay: BytesUnderWay = { bytes: 0 };

  /** `segments` is what recovery found on disk, in order; the last one is written on. */
  constructor(options: FileLogOptions, segments: readonly Segment[], head: HeadPayload, largeBytes: number) {
    this.#options = options;
    this.largeBytes = options.largeBytes;
    this.#largeBytes = largeBytes;
    this.#records = new RecordBuffer(options.salt);
    this.#largeChecks = new LargeChecks({
      path: ({ id }) => largePath(options.dir, id),
      read: (row) => this.#streamLarge(row, 0, row.size),
    });
    this.#head = head;
    this.#stagedHead = head;
    for (const segment of segments) this.#segments.set(segment.number, segment);
    this.#active = segments.at(-1) ?? this.#createSegment(1);
    this.#activeFd = openSync(this.path(this.#active), "r+");
  }

  get active(): Segment {
    return this.#active;
  }

  get segments(): ReadonlyMap<number, Segment> {
    return this.#segments;
  }

  path(name: SegmentName): string {
    return segmentPath(this.#options.dir.log, name);
  }

  openBodyFile(): BodyFile {
    const { dir, salt, durability, room } = this.#options;
    const path = join(dir.incoming, `${++this.#bodyFiles}.part`);
    return new DiskBodyFile(path, salt, durability === "disk", this.#bodiesUnderWay, room);
  }

  stageMessage(message: NewMessage, body: Body): Place {
    const { segment, at } = this.#stagedEnd();
    const { cleared_seq } = this.#stagedHead;
    this.#stagedHead = { last_seq: message.seq, last_id: message.id, cleared_seq };
    if (body.kind === "chunks") {
      return { segment, at, body_at: this.#records.addMessage(metaOf(message), body.chunks, body.size) };
    }
    const path = largePath(this.#options.dir, message.id);
    renameSync(body.path, path);
    this.#newLarge.push({ path, size: body.size });
    this.#records.addText("large", largeMetaOf(message, body.size, body.crc));
    return { segment, at, body_at: 0 };
  }

  stageChange(seqs: readonly number[], change: MessageChange): void {
    this.#records.addJson("change", { seqs, change });
  }

  stageDelete(rows: readonly MessageRow[]): void {
    this.#records.addJson("delete", { seqs: rows.map(({ seq }) => seq) });
    for (const { id, size, body_at } of rows) {
      if (body_at === 0) this.#deadLarge.push({ path: largePath(this.#options.dir, id), size });
    }
  }

  /** A clear is a new segment whose head says so: what was staged before it need not be written at all. */
  stageClear(): void {
    this.#clears = true;
    this.#stagedHead = { ...this.#stagedHead, cleared_seq: this.#stagedHead.last_seq };
    this.#deadLarge = listLarge(this.#options.dir);
    this.#newLarge = [];
    this.#records.reset();
    this.#addSegmentStart(this.#records, this.#stagedHead);
  }

  write(): LogPosition {
    if (this.#clears) {
      this.#written = this.#writeNewSegment(this.#active.number + 1, this.#records);
    } else {
      if (this.#dirtyTail) this.#cutTail();
      this.#dirtyTail = true;
      this.#writeAll(this.#activeFd, this.#records.bytes, this.#active.size);
      this.#written = { ...this.#active, size: this.#active.size + this.#records.length };
    }
    return { segment: this.#written.number, at: this.#written.size };
  }

  discard(): void {
    for (const { path } of this.#newLarge) rmSync(path, { force: true });
    if (this.#clears && this.#written !== null) rmSync(this.path(this.#written), { force: true });
    this.#stagedHead = this.#head;
    this.#endGroup();
    try {
      if (this.#dirtyTail) this.#cutTail();
    } catch {
      // Tried again before the next write; until it succeeds nothing is accepted.
    }
  }

  settle(): void {
    const written = this.#written;
    if (written === null) return;
    this.#head = this.#stagedHead;
    if (this.#clears) this.#switchTo(written, [...this.#segments.keys()]);
    else this.#setActive(written);
    this.#settleLarge();
    this.#dirtyTail = false;
    this.#endGroup();
    if (this.#active.size >= this.#options.segmentBytes) this.roll();
  }

  sync(): Promise<void> | null {
    const waits: Promise<void>[] = [];
    if (this.#options.durability === "disk") waits.push(this.#syncActive());
    if (this.#removals.areUnderWay) waits.push(this.#removals.done());
    return waits.length === 0 ? null : Promise.all(waits).then(() => {});
  }

  /** Resolves when the files of dropped segments are gone. */
  freed(): Promise<void> {
    return this.#removals.done();
  }

  /** Seals the active segment and starts the next. Without room for that, the old one just grows. */
  roll(): boolean {
    try {
      const next = this.#createSegment(this.#active.number + 1);
      this.#switchTo(next, []);
      return true;
    } catch {
      return false;
    }
  }

  /** A compaction has put a new generation of this segment in place. */
  replace(segment: Segment): void {
    this.drop(segment.number);
    this.#segments.set(segment.number, segment);
  }

  drop(number: number): void {
    const segment = this.#segments.get(number);
    if (segment === undefined) return;
    this.#readers.forget(number);
    this.#segments.delete(number);
    this.#removals.add(this.path(segment));
  }

  async bytes(row: MessageRow, start: number, end: number): Promise<Uint8Array> {
    if (row.body_at === 0) return new Response(this.stream(row, start, end)).bytes();
    return this.#readBody(row).subarray(start, end);
  }

  stream(row: MessageRow, start: number, end: number): ReadableStream<Uint8Array> {
    if (row.body_at === 0) return this.#streamLarge(row, start, end);
    return new Blob([this.#readBody(row).subarray(start, end)]).stream();
  }

  source(row: MessageRow): BodySource {
    if (row.body_at === 0) return { path: largePath(this.#options.dir, row.id), at: 0, size: row.size };
    return { path: this.path(this.#segmentOf(row)), at: row.at + row.body_at, size: row.size };
  }

  async check(row: MessageRow): Promise<void> {
    if (row.body_at === 0) return this.#largeChecks.check(row);
    if (this.#recordLength(row) !== row.body_at + row.size) throw new DamagedRecord(row);
  }

  /** A segment that is not there at all: rows made from those that are will tell. */
  contradicts(row: MessageRow): boolean {
    const segment = this.#segments.get(row.segment);
    if (segment === undefined) return true;
    for (const entry of readSegment(loadSegment(this.#options.dir.log, segment), 0, this.#options.salt)) {
      const held = entry.kind === "record" ? messageIn(entry) : null;
      if (held?.seq !== row.seq) continue;
      return entry.at !== row.at || held.body_at !== row.body_at || held.size !== row.size;
    }
    return false;
  }

  keepAside(row: MessageRow): string | null {
    const { dir } = this.#options;
    try {
      if (row.body_at === 0) return keepAside(dir, largePath(dir, row.id));
      const { number, generation } = this.#segmentOf(row);
      return setAside(dir, damagedName(number, generation, row.at), this.readRecord(row));
    } catch {
      return null;
    }
  }

  /** The record of a message as it lies in its segment; shorter when the file is. */
  readRecord(row: MessageRow): Buffer {
    const record = Buffer.allocUnsafe(row.body_at + row.size);
    const fd = this.#readers.get(row.segment, () => this.path(this.#segmentOf(row)));
    return record.subarray(0, readSync(fd, record, 0, record.length, row.at));
  }

  size(): number {
    let bytes = this.#largeBytes;
    for (const { size } of this.#segments.values()) bytes += size;
    return bytes;
  }

  async close(): Promise<void> {
    this.#readers.closeAll();
    await this.sync();
    closeSync(this.#activeFd);
  }

  /** Read from beginning to end, a large body is checked on the way; what fails ends in an error. */
  #streamLarge(row: MessageRow, start: number, end: number): ReadableStream<Uint8Array> {
    const { dir, salt } = this.#options;
    const isWhole = start === 0 && end >= row.size;
    const check = isWhole ? { salt, crc: this.#largeCrc(row), failure: () => new DamagedRecord(row) } : null;
    return streamLargeBody(largePath(dir, row.id), start, Math.min(end, row.size), check);
  }

  /** Null when no sound header is there. */
  #recordLength(row: MessageRow): number | null {
    const fd = this.#readers.get(row.segment, () => this.path(this.#segmentOf(row)));
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(fd, header, 0, HEADER_BYTES, row.at);
    const length = readHeader(header, 0, this.#options.salt)?.length;
    return length === undefined ? null : HEADER_BYTES + length;
  }

  #largeCrc(row: MessageRow): number {
    const fd = this.#readers.get(row.segment, () => this.path(this.#segmentOf(row)));
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(fd, header, 0, HEADER_BYTES, row.at);
    const length = readHeader(header, 0, this.#options.salt)?.length;
    if (length === undefined) throw new DamagedRecord(row);
    const payload = Buffer.alloc(length);
    readSync(fd, payload, 0, length, row.at + HEADER_BYTES);
    return readJson<LargeMeta>(payload).crc;
  }

  #readBody(row: MessageRow): Buffer {
    const record = this.readRecord(row);
    const header = readHeader(record, 0, this.#options.salt);
    const whole = record.length === row.body_at + row.size;
    if (header === null || !whole) throw new DamagedRecord(row);
    if (crc32(record.subarray(HEADER_BYTES), this.#options.salt) !== header.crc) throw new DamagedRecord(row);
    return record.subarray(row.body_at);
  }

  #segmentOf(row: MessageRow): Segment {
    const segment = this.#segments.get(row.segment);
    if (segment === undefined) throw new DamagedRecord(row);
    return segment;
  }

  #settleLarge(): void {
    for (const { path } of this.#deadLarge) this.#removals.add(path);
    this.#largeBytes = this.#clears ? 0 : this.#largeBytes - sum(this.#deadLarge);
    this.#largeBytes += sum(this.#newLarge);
    if (this.#newLarge.length > 0) this.#folderChanged = true;
  }

  #stagedEnd(): LogPosition {
    const { number, size } = this.#active;
    return this.#clears
      ? { segment: number + 1, at: this.#records.length }
      : { segment: number, at: size + this.#records.length };
  }

  #createSegment(number: number): Segment {
    const records = new RecordBuffer(this.#options.salt);
    this.#addSegmentStart(records, this.#head);
    const segment = this.#writeNewSegment(number, records);
    this.#segments.set(number, segment);
    return segment;
  }

  #addSegmentStart(records: RecordBuffer, head: HeadPayload): void {
    records.addRecord(prologue(this.#options.salt));
    records.addJson("head", head);
  }

  #writeNewSegment(number: number, records: RecordBuffer): Segment {
    const segment = { number, generation: 0, size: records.length };
    const fd = this.#options.disk.create(this.path(segment));
    try {
      this.#writeAll(fd, records.bytes, 0);
    } catch (error) {
      rmSync(this.path(segment), { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
    this.#folderChanged = true;
    return segment;
  }

  #switchTo(segment: Segment, dropped: readonly number[]): void {
    const fd = openSync(this.path(segment), "r+");
    if (this.#options.durability === "disk") fsyncSync(this.#activeFd);
    closeSync(this.#activeFd);
    this.#activeFd = fd;
    for (const number of dropped) this.drop(number);
    this.#setActive(segment);
  }

  #setActive(segment: Segment): void {
    this.#active = segment;
    this.#segments.set(segment.number, segment);
  }

  #writeAll(fd: number, bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += this.#options.disk.write(fd, bytes.subarray(done), position + done);
    }
  }

  #cutTail(): void {
    ftruncateSync(this.#activeFd, this.#active.size);
    this.#dirtyTail = false;
  }

  #syncActive(): Promise<void> {
    if (this.#folderChanged) this.#syncFolders();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fdatasync(this.#activeFd, (cause) =>
      cause ? reject(new StoreError("io_error", "the disk did not confirm the write", { cause })) : resolve(),
    );
    return promise;
  }

  #syncFolders(): void {
    syncFolder(this.#options.dir.root);
    syncFolder(this.#options.dir.log);
    syncFolder(this.#options.dir.large);
    this.#folderChanged = false;
  }

  #endGroup(): void {
    this.#records.reset();
    this.#written = null;
    this.#clears = false;
    this.#newLarge = [];
    this.#deadLarge = [];
  }
}

const sum = (files: readonly { size: number }[]): number =>
  files.reduce((total, { size }) => total + size, 0);

/** What a record says of its message; null when it holds none. */
function messageIn({ type, payload }: Extract<SegmentEntry, { kind: "record" }>) {
  if (type === "message") {
    const { meta, raw, rawAt } = readMessage(payload);
    return { seq: meta.seq, body_at: rawAt, size: raw.length };
  }
  if (type !== "large") return null;
  const { seq, size } = readJson<LargeMeta>(payload);
  return { seq, body_at: 0, size };
}
