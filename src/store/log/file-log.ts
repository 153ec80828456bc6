// The log in files: records are appended to the active segment; a full segment is sealed and the next one begins.
// Until the remains of a failed write are cut off, only a deletion of all mail is accepted.
import { accessSync, closeSync, constants, fstatSync, openSync, renameSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "../../lib/runtime.ts";
import { type RawMessage, StoreError } from "../store.ts";
import { largePath, moveAside, setAside, syncPath } from "./data-dir.ts";
import { type Disk, readBytes, writeAll } from "./disk.ts";
import type { DiskSpace } from "./disk-space.ts";
import { isSound, LargeBodyFile, largeMessage, listLarge, removeIfPossible } from "./large-files.ts";
import {
  bytesMessage,
  type LargeBodyWriter,
  type Log,
  type LogEntry,
  type LogRecord,
  type NewRecord,
  type StoredMessage,
} from "./log.ts";
import { entryOf, HEADER_BYTES, RecordBuffer, readHeader, readRecord } from "./record.ts";
import { type RecoveryOptions, recoverLog } from "./recovery.ts";
import {
  damagedName,
  isEmpty,
  loadSegment,
  recordsIn,
  type Segment,
  segmentPath,
  writeSegment,
} from "./segment.ts";

export type Durability = "os" | "disk";

export interface FileLogOptions extends RecoveryOptions {
  readonly durability: Durability;
  readonly segmentBytes: number;
  readonly largeBytes: number;
  readonly disk: Disk;
  readonly space: DiskSpace;
}

const READ_RECORDS = 500;
const READ_BYTES = 1 << 20;

export class FileLog implements Log {
  readonly shared = null;
  readonly largeBytes: number;
  lastSeq: number;
  lastId: string;
  readonly options: FileLogOptions;
  /** Whether segments are missing. If so, the user has accepted the loss. */
  readonly hasLoss: boolean;
  readonly #segments: Map<number, Segment>;
  readonly #records: RecordBuffer;
  /** Ids of large messages whose files were checked since the start. */
  readonly #knownSound = new Set<string>();
  /** Files that no record needs any more. */
  #obsolete: string[] = [];
  #active: Segment;
  #fd = -1;
  /** The active segment may end with bytes of a group that could not be written or synced. */
  #hasDirtyTail = false;
  #incoming = 0;
  /** Bytes of all bodies that have files of their own. */
  #largeSize: number;

  constructor(options: FileLogOptions) {
    const { segments, lastSeq, lastId, hasLoss } = recoverLog(options);
    this.options = options;
    this.#records = new RecordBuffer(options.salt);
    this.largeBytes = options.largeBytes;
    this.lastSeq = lastSeq;
    this.lastId = lastId;
    this.hasLoss = hasLoss;
    this.#segments = new Map(segments.map((segment) => [segment.number, segment]));
    this.#largeSize = listLarge(options.dir).reduce((sum, { path }) => sum + statSync(path).size, 0);
    const last = segments.at(-1);
    this.#active = last ?? this.#beginSegment(1, 1);
    if (last !== undefined) this.#fd = openSync(this.path(last), "r+");
  }

  get size(): number {
    let bytes = this.#largeSize;
    for (const { size } of this.#segments.values()) bytes += size;
    return bytes;
  }

  /** The segments in the order of the log. New records go to the last segment. */
  get segments(): Segment[] {
    return [...this.#segments.values()];
  }

  path(segment: Segment): string {
    return segmentPath(this.options.dir.log, segment);
  }

  openLargeBody(): LargeBodyWriter {
    const { dir, salt, durability, space } = this.options;
    const path = join(dir.incoming, `${process.pid}-${++this.#incoming}.part`);
    return new LargeBodyFile({ path, salt, isSynced: durability === "disk", space });
  }

  append(records: readonly NewRecord[]): LogEntry[] | Promise<LogEntry[]> {
    this.#assertInPlace();
    const [first] = records;
    if (first?.record.kind === "clear") return this.#startOver(first);
    this.#cutTail();
    const entries = this.#stage(records);
    const placed: string[] = [];
    try {
      for (const { record, body } of records) {
        if (record.kind !== "message" || body === undefined || body instanceof Uint8Array) continue;
        const path = largePath(this.options.dir, record.id);
        renameSync(body.path, path);
        placed.push(path);
      }
      this.#hasDirtyTail = true;
      writeAll(this.options.disk, this.#fd, this.#records.bytes, this.#active.size);
    } catch (error) {
      return this.#refuse(error, placed);
    }
    if (this.options.durability === "os") return this.#settle(entries);
    return this.#sync(placed.length > 0).then(
      () => this.#settle(entries),
      (error) => this.#refuse(error, placed),
    );
  }

  async *read(seq: number): AsyncGenerator<LogEntry[], void, void> {
    const { dir, salt, damage } = this.options;
    for (const { number } of this.segments) {
      const segment = this.#segments.get(number);
      if (segment === undefined || this.#endsBefore(number, seq + 1)) continue;
      const bytes = loadSegment(dir.log, segment).subarray(0, segment.size);
      let batch: LogEntry[] = [];
      let batchStart = 0;
      for (const found of recordsIn(bytes, salt)) {
        if (found.type === "damaged") damage.add(segment, bytes, found);
        else if (found.seq > seq) {
          const entry = entryOf(dir, number, found);
          if (entry !== null) batch.push(entry);
        }
        if (batch.length < READ_RECORDS && found.end - batchStart < READ_BYTES) continue;
        yield batch;
        await nextTurn();
        batch = [];
        batchStart = found.end;
      }
      if (batch.length > 0) yield batch;
      // Freed at once, because the garbage collector lets many segments pile up.
      bytes.buffer.transfer(0);
      await nextTurn();
    }
  }

  async body(message: StoredMessage): Promise<RawMessage | null> {
    const { dir, salt } = this.options;
    const record = readRecord(this.#bytesAt(message), 0, salt);
    const body = record?.seq === message.seq ? entryOf(dir, message.segment, record)?.body : null;
    if (!body) return null;
    if (body instanceof Uint8Array) return bytesMessage(body);
    if (!this.#knownSound.has(message.id)) {
      if (!(await isSound(body, salt))) return null;
      this.#knownSound.add(message.id);
    }
    return largeMessage(body);
  }

  isMisplaced(message: StoredMessage): boolean {
    return readHeader(this.#bytesAt(message), 0, this.options.salt)?.seq !== message.seq;
  }

  keepAside(message: StoredMessage): string | null {
    const { dir } = this.options;
    try {
      if (message.body_at === 0) return moveAside(dir, largePath(dir, message.id));
      const segment = this.#segments.get(message.segment);
      if (segment === undefined) return null;
      return setAside(dir, damagedName(segment, message.at), this.#bytesAt(message));
    } catch {
      return null;
    }
  }

  async free(deleted: readonly StoredMessage[]): Promise<void> {
    const { dir, logger } = this.options;
    const large = deleted.filter(({ body_at }) => body_at === 0);
    for (const { size } of large) this.#largeSize -= size;
    const paths = [...large.map(({ id }) => largePath(dir, id)), ...this.#obsolete.splice(0)];
    try {
      await Promise.all(paths.map((path) => rm(path, { force: true })));
    } catch (error) {
      logger.warn("files of deleted mail not removed", { reason: String(error) });
    }
  }

  check(): void {
    this.#assertInPlace();
    accessSync(this.options.dir.log, constants.W_OK);
  }

  async close(): Promise<void> {
    try {
      if (this.options.durability === "disk") await this.#sync(true);
    } finally {
      closeSync(this.#fd);
    }
  }

  /** Starts the next segment and drops empty old ones. If that fails, the active segment continues to grow. */
  roll(): boolean {
    try {
      this.#cutTail();
      const sealed = this.segments;
      const oldest = sealed.find((segment) => !isEmpty(segment))?.number ?? this.#active.number + 1;
      this.#beginSegment(this.#active.number + 1, oldest);
      for (const segment of sealed) if (segment.number < oldest) this.#drop(segment);
      return true;
    } catch (error) {
      this.options.logger.warn("log file not created", { reason: String(error) });
      return false;
    }
  }

  /** Called when a compaction has put a new generation of this segment in place. */
  replace(segment: Segment): void {
    this.#segments.set(segment.number, segment);
  }

  /** Whether all records of this segment have numbers below `seq`. */
  #endsBefore(number: number, seq: number): boolean {
    const next = this.#segments.get(number + 1);
    return next !== undefined && next.firstSeq <= seq;
  }

  #bytesAt({ segment: number, at }: StoredMessage): Buffer {
    const segment = this.#segments.get(number);
    if (segment === undefined) return Buffer.alloc(0);
    const path = this.path(segment);
    const header = readHeader(readBytes(path, at, HEADER_BYTES), 0, this.options.salt);
    return readBytes(path, at, HEADER_BYTES + (header?.length ?? 0));
  }

  #stage(records: readonly NewRecord[]): LogEntry[] {
    const { number: segment, size } = this.#active;
    const buffer = this.#records;
    buffer.reset();
    return records.map((added) => {
      const start = buffer.length;
      const body_at = buffer.add(added);
      const place = { segment, at: size + start, body_at, length: buffer.length - start };
      return { record: added.record, place, body: this.#placedBody(added) };
    });
  }

  #placedBody({ record, body }: NewRecord): LogEntry["body"] {
    if (body === undefined || body instanceof Uint8Array || record.kind !== "message") return body ?? null;
    return { ...body, path: largePath(this.options.dir, record.id) };
  }

  #settle(entries: LogEntry[]): LogEntry[] {
    this.#hasDirtyTail = false;
    this.#active.size += this.#records.length;
    for (const { record, body } of entries) {
      this.lastSeq = record.seq;
      if (body !== null && !(body instanceof Uint8Array)) this.#largeSize += body.size;
      if (record.kind === "message") this.lastId = record.id;
    }
    if (this.#active.size >= this.options.segmentBytes) this.roll();
    return entries;
  }

  #refuse(error: unknown, placed: readonly string[]): never {
    for (const path of placed) removeIfPossible(path);
    try {
      this.#cutTail();
    } catch {
      // Every append but a clear tries to cut the tail again before it writes.
    }
    throw error;
  }

  /** A clear deletes all mail: it begins a new segment, and then all older segments are dropped. */
  #startOver({ record, kept = [] }: NewRecord): LogEntry[] {
    const { dir } = this.options;
    const dropped = this.segments;
    const large = listLarge(dir);
    const number = this.#active.number + 1;
    this.#beginSegment(number, number, [...kept, record]);
    this.#hasDirtyTail = false;
    this.lastSeq = record.seq;
    for (const segment of dropped) this.#drop(segment);
    this.#obsolete.push(...large.map(({ path }) => path));
    this.#largeSize = 0;
    const { size, headBytes } = this.#active;
    const place = { segment: number, at: headBytes, body_at: 0, length: size - headBytes };
    return [{ record, place, body: null }];
  }

  /** If this fails, the log continues in the old segment. */
  #beginSegment(number: number, oldest: number, first: readonly LogRecord[] = []): Segment {
    const { disk, salt, durability } = this.options;
    const records = new RecordBuffer(salt);
    const firstSeq = this.lastSeq + 1;
    records.addHead({ first_seq: firstSeq, last_id: this.lastId, oldest });
    const headBytes = records.length;
    for (const record of first) records.add({ record });
    const segment = { number, generation: 0, size: records.length, firstSeq, headBytes, oldest };
    const fd = writeSegment(this.path(segment), records.bytes, disk, durability === "disk");
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = fd;
    this.#active = segment;
    this.#segments.set(number, segment);
    return segment;
  }

  #drop(segment: Segment): void {
    this.#segments.delete(segment.number);
    this.#obsolete.push(this.path(segment));
  }

  /** Bytes written to a removed file would be lost. */
  #assertInPlace(): void {
    if (fstatSync(this.#fd).nlink > 0) return;
    throw new StoreError("data_dir_unusable", `${this.options.dir.root} has been removed`);
  }

  #cutTail(): void {
    if (!this.#hasDirtyTail) return;
    this.options.disk.cut(this.#fd, this.#active.size);
    this.#hasDirtyTail = false;
  }

  async #sync(hasLarge: boolean): Promise<void> {
    const { dir, disk } = this.options;
    if (hasLarge) syncPath(dir.large);
    await disk.sync(this.#fd);
  }
}
