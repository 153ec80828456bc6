// The log on disk: appends groups of records to the active segment with one write each, and rolls to a new
// segment when it is full.
import type { Logger } from "../../lib/logger.ts";
import type { MessageChange } from "../../model/index.ts";
import type { MessageRow } from "../rows/row.ts";
import type { DataDir } from "./data-dir.ts";
import type { Disk } from "./disk.ts";
import type { HeldFile } from "./held-file.ts";
import { LargeFiles } from "./large-files.ts";
import type { Body, BodyFile, Log, LogPosition, NewMessage, Note, Place, Removal } from "./log.ts";
import type { ChangePayload, DeletePayload, HeadPayload } from "./record.ts";
import { largeMetaOf, metaOf, RecordBuffer } from "./record-buffer.ts";
import { Removals } from "./removals.ts";
import type { Room } from "./room.ts";
import { prologue, type Segment } from "./segment.ts";
import { type Durability, SegmentFiles } from "./segment-files.ts";

export interface FileLogOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly durability: Durability;
  readonly largeBytes: number;
  readonly segmentBytes: number;
  readonly disk: Disk;
  readonly room: Room;
  /** Whoever has lost it must not touch the files: they may be another's by now. */
  readonly lock: HeldFile;
  readonly logger: Logger;
  readonly lastMissing: number;
}

/** In one segment: a compaction moves the rows of all that live there in one step, for which everybody waits. */
const MAX_MESSAGES = 10_000;

export class FileLog implements Log {
  readonly largeBytes: number;
  readonly isConfirmed: boolean;
  readonly segments: SegmentFiles;
  readonly #options: FileLogOptions;
  readonly #large: LargeFiles;
  readonly #records: RecordBuffer;
  readonly #removals: Removals;
  /** What a new segment has to repeat: as of the last group, and as of the group being staged. */
  #head: HeadPayload;
  #stagedHead: HeadPayload;
  /** Where the group in hand was written to. */
  #written: Segment | null = null;
  #clears = false;
  /** Messages that were written to the active segment since it was opened, or a few more. */
  #messages = 0;

  /** `found` is what recovery found on disk, in order. */
  constructor(options: FileLogOptions, found: readonly Segment[], head: HeadPayload, largeBytes: number) {
    this.#options = options;
    this.largeBytes = options.largeBytes;
    this.isConfirmed = options.durability === "disk";
    const { last_seq, last_id, cleared_seq, last_change } = head;
    this.#head = { last_seq, last_id, cleared_seq, last_change };
    this.#stagedHead = this.#head;
    this.#records = new RecordBuffer(options.salt);
    const removals = new Removals(options.disk);
    this.#removals = removals;
    this.#large = new LargeFiles({ ...options, removals }, largeBytes);
    this.segments = new SegmentFiles({ ...options, removals }, found, () => this.#segmentStart());
  }

  openBodyFile(): BodyFile {
    this.assertInPlace();
    return this.#large.open();
  }

  stageMessage(message: NewMessage, body: Body): Place {
    if (body.kind === "blocks") throw new Error("no body lies in blocks where there are files");
    if (body.kind === "file") this.#large.add(message.id, body);
    this.#messages++;
    const { segment, at } = this.#stagedEnd();
    const { cleared_seq, last_change } = this.#stagedHead;
    this.#stagedHead = { last_seq: message.seq, last_id: message.id, cleared_seq, last_change };
    if (body.kind === "chunks") {
      return { segment, at, body_at: this.#records.addMessage(metaOf(message), body.chunks, body.size) };
    }
    this.#records.addText("large", largeMetaOf(message, body.size, body.crc));
    return { segment, at, body_at: 0 };
  }

  stageChange(number: number, seqs: readonly number[], change: MessageChange): Note {
    this.#stagedHead = { ...this.#stagedHead, last_change: number };
    return this.#stageNote("change", { number, seqs, change } satisfies ChangePayload);
  }

  stageDelete(rows: readonly MessageRow[], why: Removal): Note {
    const seqs = rows.map(({ seq }) => seq);
    const payload: DeletePayload = why === "lost" ? { seqs, lost: true } : { seqs };
    const note = this.#stageNote("delete", payload);
    for (const { id, size, body_at } of rows) if (body_at === 0) this.#large.remove(id, size);
    return note;
  }

  /** A clear is a new segment whose head says so: what was staged before it need not be written at all. */
  stageClear(): void {
    this.#clears = true;
    this.#stagedHead = { ...this.#stagedHead, cleared_seq: this.#stagedHead.last_seq };
    this.#large.removeAll();
    this.#records.reset();
    this.#addSegmentStart(this.#records, this.#stagedHead);
  }

  stageBlank(number: number, bytes: number): Note {
    this.#stagedHead = { ...this.#stagedHead, last_change: number };
    const blank = " ".repeat(bytes);
    return this.#stageNote("change", { number, seqs: [], change: {}, blank } satisfies ChangePayload);
  }

  write(): LogPosition {
    const { segments } = this;
    this.#options.lock.assertLatelyInPlace();
    const { bytes } = this.#records;
    const written = this.#clears
      ? segments.create(segments.active.number + 1, bytes)
      : segments.append(bytes);
    this.#written = written;
    // After the write: whoever removes the file from now on removes this group with it.
    this.segments.assertLatelyInPlace();
    return { segment: written.number, at: written.size };
  }

  assertInPlace(): void {
    this.segments.assertInPlace();
    this.#options.lock.assertInPlace();
  }

  discard(): void {
    if (this.#clears && this.#written !== null) this.segments.remove(this.#written);
    this.#stagedHead = this.#head;
    this.#endGroup();
    this.#large.discard();
    try {
      this.#options.lock.assertInPlace();
      this.segments.cleanUp();
    } catch {
      // Tried again before the next write; until it succeeds nothing is accepted.
    }
  }

  settle(): void {
    const written = this.#written;
    if (written === null) return;
    this.#head = this.#stagedHead;
    if (this.#clears) this.segments.startOver(written);
    else this.segments.grow(written);
    this.#large.settle();
    this.#endGroup();
    if (written.size >= this.#options.segmentBytes || this.#messages >= MAX_MESSAGES) this.roll();
  }

  async confirm(): Promise<void> {
    this.#large.syncFolder();
    await this.segments.sync(this.#written ?? this.segments.active);
  }

  freed(): Promise<void> | null {
    return this.#removals.areUnderWay ? this.#removals.done() : null;
  }

  /** Seals the active segment and starts the next. Where that fails, the old one just grows. */
  roll(): boolean {
    try {
      this.assertInPlace();
      this.segments.switchTo(this.segments.create(this.segments.active.number + 1, this.#segmentStart()));
      this.#messages = 0;
      return true;
    } catch {
      return false;
    }
  }

  size(): number {
    return this.segments.size() + this.#large.bytes;
  }

  async close(): Promise<void> {
    this.segments.closeReaders();
    try {
      if (this.isConfirmed) await this.confirm();
      await this.freed();
    } finally {
      this.segments.close();
    }
  }

  #stageNote(type: "change" | "delete", payload: ChangePayload | DeletePayload): Note {
    const { segment, at } = this.#stagedEnd();
    this.#records.addJson(type, payload);
    return { segment, bytes: this.#stagedEnd().at - at };
  }

  #stagedEnd(): LogPosition {
    const { number, size } = this.segments.active;
    return this.#clears
      ? { segment: number + 1, at: this.#records.length }
      : { segment: number, at: size + this.#records.length };
  }

  #segmentStart(): Uint8Array {
    const records = new RecordBuffer(this.#options.salt);
    this.#addSegmentStart(records, this.#head);
    return records.bytes;
  }

  #addSegmentStart(records: RecordBuffer, head: HeadPayload): void {
    records.addRecord(prologue(this.#options.salt));
    records.addJson("head", head);
  }

  #endGroup(): void {
    this.#records.reset();
    this.#written = null;
    this.#clears = false;
  }
}
