// Rewriting a segment that is mostly dead. The new file keeps what still means something: live messages with
// their flags, changes to messages elsewhere, removals whose message still lies in an older segment.
import { close, closeSync, fsync, open, openSync, readSync, renameSync, rmSync, write } from "node:fs";
import { promisify } from "node:util";
import { nextTurn } from "../../lib/next-turn.ts";
import type { MessageChange } from "../../model/index.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import { type DataDir, FILE_MODE } from "./data-dir.ts";
import { syncFolder } from "./disk.ts";
import type { FileLog } from "./file-log.ts";
import type { LogPosition, Place } from "./log.ts";
import {
  type ChangePayload,
  type DeletePayload,
  type HeadPayload,
  type LargeMeta,
  readJson,
  readMessage,
} from "./record.ts";
import { RecordBuffer } from "./record-buffer.ts";
import {
  loadSegment,
  PROLOGUE_BYTES,
  prologue,
  readSegment,
  type Segment,
  type SegmentEntry,
  segmentPath,
} from "./segment.ts";

export interface CompactionOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly log: FileLog;
  readonly rows: Rows;
  /** Changes when the text index begins to read messages again that it has read before. */
  readonly searchLife: () => number;
  /** Runs a step while no group is being committed. */
  readonly between: <Result>(run: () => Result) => Promise<Result>;
}

interface Rewritten {
  readonly records: RecordBuffer;
  readonly places: Map<number, Place>;
  /** Whether there is anything but the head. */
  readonly isEmpty: boolean;
}

type SoundRecord = Extract<SegmentEntry, { kind: "record" }>;

/** Work between two turns of the event loop. */
const SLICE_MS = 2;
const MAX_HEAD_BYTES = 4096;
const openFile = promisify(open);
const syncFile = promisify(fsync);
const closeFile = promisify(close);

export async function compactSegment(segment: Segment, options: CompactionOptions): Promise<void> {
  const { dir, log, rows } = options;
  const { life } = rows;
  const searchLife = options.searchLife();
  // Rows that were rebuilt meanwhile were not all there when the records were judged by them.
  const isCurrent = () =>
    rows.life === life &&
    options.searchLife() === searchLife &&
    log.segments.get(segment.number)?.generation === segment.generation;
  const { records, places, isEmpty } = await rewrite(segment, options);
  if (isEmpty) {
    await options.between(() => {
      if (isCurrent()) inTransaction(rows, () => rows.segments.drop(segment.number));
      if (isCurrent()) log.segments.drop(segment.number);
    });
    return;
  }
  const next: Segment = { number: segment.number, generation: segment.generation + 1, size: records.length };
  const path = segmentPath(dir.log, next);
  try {
    await writeSynced(`${path}.new`, records.bytes);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
  await options.between(() => {
    if (!isCurrent()) {
      rmSync(`${path}.new`, { force: true });
      return;
    }
    renameSync(`${path}.new`, path);
    syncFolder(dir.log);
    inTransaction(rows, () => moveRows(rows, next, places));
    log.segments.replace(next);
  });
}

function moveRows(rows: Rows, segment: Segment, places: ReadonlyMap<number, Place>): void {
  let gone = 0;
  for (const [seq, place] of places) if (!rows.move(seq, place)) gone++;
  // What was deleted while the file was written is dead in the new one as well; its share is near enough.
  const dead_bytes = places.size === 0 ? 0 : Math.floor((segment.size * gone) / places.size);
  rows.segments.replace({ ...segment, dead_bytes });
}

export function inTransaction(rows: Rows, change: () => void, position: LogPosition = rows.state): void {
  try {
    rows.begin();
    change();
    rows.commit(position);
  } catch (error) {
    rows.rollback();
    throw error;
  }
}

async function rewrite(segment: Segment, { dir, salt, log, rows }: CompactionOptions): Promise<Rewritten> {
  const bytes = loadSegment(dir.log, segment);
  const older = log.segments.all().filter(({ number }) => number < segment.number);
  const owners = seqRanges(older, segment, dir, salt);
  const writer = new SegmentWriter(segment.number, rows, salt, (seq) =>
    owners.some(({ from, to }) => seq > from && seq <= to),
  );
  let sliceStart = performance.now();
  for (const entry of readSegment(bytes, 0, salt)) {
    if (entry.kind === "record") writer.add(entry, bytes.subarray(entry.at, entry.end));
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await nextTurn();
    sliceStart = performance.now();
  }
  return { records: writer.records, places: writer.places, isEmpty: writer.kept === 0 };
}

/** Copies the records of one segment that are still needed, one by one. */
class SegmentWriter {
  readonly records: RecordBuffer;
  readonly places = new Map<number, Place>();
  kept = 0;
  readonly #number: number;
  readonly #rows: Rows;
  readonly #liesInOlder: (seq: number) => boolean;

  constructor(number: number, rows: Rows, salt: number, liesInOlder: (seq: number) => boolean) {
    this.#number = number;
    this.#rows = rows;
    this.#liesInOlder = liesInOlder;
    this.records = new RecordBuffer(salt);
    this.records.addRecord(prologue(salt));
  }

  add(entry: SoundRecord, record: Buffer): void {
    this.#add[entry.type](entry, record);
  }

  readonly #add: Record<SoundRecord["type"], (entry: SoundRecord, record: Buffer) => void> = {
    head: (_entry, record) => this.records.addRecord(record),
    message: (entry, record) => this.#addMessage(entry, record),
    large: ({ payload, at }) => {
      const meta = readJson<LargeMeta>(payload);
      const row = this.#alive(meta.seq, at);
      if (row === null) return;
      this.#place(meta.seq, 0);
      this.records.addJson("large", { ...meta, state: stateOf(row) } satisfies LargeMeta);
    },
    change: ({ payload }) => {
      const { seqs, ...rest } = readJson<ChangePayload>(payload);
      const elsewhere = this.#rows.rowsOf(seqs).filter(({ segment }) => segment !== this.#number);
      if (elsewhere.length === 0) return;
      this.kept++;
      this.records.addJson("change", {
        ...rest,
        seqs: elsewhere.map(({ seq }) => seq),
      } satisfies ChangePayload);
    },
    delete: ({ payload }) => {
      const seqs = readJson<DeletePayload>(payload).seqs.filter(this.#liesInOlder);
      if (seqs.length === 0) return;
      this.kept++;
      this.records.addJson("delete", { seqs } satisfies DeletePayload);
    },
  };

  #addMessage({ payload, at }: SoundRecord, record: Buffer): void {
    const { meta, raw, rawAt } = readMessage(payload);
    const row = this.#alive(meta.seq, at);
    if (row === null) return;
    this.#place(meta.seq, rawAt);
    if (meta.state === undefined && isUntouched(row)) {
      this.records.addRecord(record);
      return;
    }
    const start = this.records.length;
    const body_at = this.records.addMessage(
      JSON.stringify({ ...meta, state: stateOf(row) }),
      [raw],
      raw.length,
    );
    this.places.set(meta.seq, { segment: this.#number, at: start, body_at });
  }

  #alive(seq: number, at: number): MessageRow | null {
    const row = this.#rows.bySeq(seq);
    return row !== null && row.segment === this.#number && row.at === at ? row : null;
  }

  #place(seq: number, body_at: number): void {
    this.kept++;
    this.places.set(seq, { segment: this.#number, at: this.records.length, body_at });
  }
}

const isUntouched = (row: MessageRow): boolean =>
  row.is_read === 0 && row.is_starred === 0 && row.tags === null;

const stateOf = (row: MessageRow): MessageChange => ({
  is_read: row.is_read === 1,
  is_starred: row.is_starred === 1,
  tags: row.tags === null ? [] : JSON.parse(row.tags),
});

/**
 * Which seqs lie in which of the older segments, by the heads: a head names the last seq before it.
 * An unreadable head widens the ranges on both sides, so that a removal is rather kept than lost.
 */
function seqRanges(older: readonly Segment[], segment: Segment, dir: DataDir, salt: number) {
  const ordered = [...older, segment].sort((a, b) => a.number - b.number);
  const starts = ordered.map((one) => headOf(one, dir, salt)?.last_seq);
  return ordered.slice(0, -1).map((_, index) => ({
    from: starts[index] ?? 0,
    to: starts.slice(index + 1).find((start) => start !== undefined) ?? Number.MAX_SAFE_INTEGER,
  }));
}

function headOf(segment: Segment, dir: DataDir, salt: number): HeadPayload | null {
  const fd = openSync(segmentPath(dir.log, segment), "r");
  try {
    const bytes = Buffer.alloc(MAX_HEAD_BYTES);
    const start = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    const first = readSegment(start, PROLOGUE_BYTES, salt).next();
    if (first.done || first.value.kind !== "record" || first.value.type !== "head") return null;
    return readJson<HeadPayload>(first.value.payload);
  } finally {
    closeSync(fd);
  }
}

/** Nothing that was safe may become unsafe: the file is on disk before it takes the old one's place. */
async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const fd = await openFile(path, "w", FILE_MODE);
  try {
    for (let done = 0; done < bytes.length; ) done += await writeFrom(fd, bytes, done);
    await syncFile(fd);
  } finally {
    await closeFile(fd);
  }
}

function writeFrom(fd: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, from, (error, written) =>
      error ? reject(error) : resolve(written),
    );
  });
}
