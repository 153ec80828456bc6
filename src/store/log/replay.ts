// Applies the log to the rows from where they stand: a few records after a kill, all of them after the
// index was lost. Damage is stepped over and reported, never fatal; so is what the log holds a second time.
import { readFileSync } from "node:fs";
import { crc32 } from "../../lib/crc32.ts";
import { nextTurn } from "../../lib/next-turn.ts";
import type { MessageChange } from "../../model/index.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import type { MessageFacts, MessageScan } from "../store.ts";
import { asidePath, type DataDir, largePath } from "./data-dir.ts";
import { assertFile } from "./file-kind.ts";
import type { LogPosition, Place } from "./log.ts";
import {
  type ChangePayload,
  type DeletePayload,
  type HeadPayload,
  type LargeMeta,
  type MessageMeta,
  type RecordType,
  readJson,
  readMessage,
} from "./record.ts";
import { loadSegment, readSegment, type Segment, type SoundRecord } from "./segment.ts";

export interface Damage {
  /** `repeated`: sound records that are in the log before; they were passed over. */
  readonly kind: "damaged" | "repeated";
  readonly segment: Segment;
  readonly at: number;
  readonly end: number;
  /** Nothing sound follows in this segment: most likely a write that was cut short. */
  readonly tail: boolean;
  readonly bytes: Uint8Array;
}

export interface ReplayOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly startScan: () => MessageScan;
  readonly onDamage: (damage: Damage) => void;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

interface Replay extends ReplayOptions {
  /** Where it began. */
  readonly from: LogPosition;
  /** Large messages whose file is there and sound. */
  readonly whole: Set<number>;
}

interface ReplayedRecord extends SoundRecord {
  readonly segment: number;
  /** The record before this one was a repeated one. */
  readonly followsRepeated: boolean;
}

const RECORDS_PER_TRANSACTION = 1000;
const NO_FACTS: MessageFacts = { subject: "", has_attachments: false };

/** `segments` are all segments in order; those before the rows' position are not read. */
export async function replay(
  rows: Rows,
  segments: readonly Segment[],
  options: ReplayOptions,
): Promise<void> {
  const { segment: start, at: startAt } = rows.state;
  const run: Replay = { ...options, from: { segment: start, at: startAt }, whole: new Set() };
  const todo = segments.filter(({ number }) => number >= start);
  const total = todo.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const segment of todo) {
    const from = segment.number === start ? startAt : 0;
    const isLast = segment === segments.at(-1);
    if (from < segment.size) {
      await replaySegment(rows, segment, from, isLast, run, (at) => options.onProgress(done + at, total));
    }
    done += segment.size;
  }
}

async function replaySegment(
  rows: Rows,
  segment: Segment,
  from: number,
  isLast: boolean,
  options: Replay,
  onProgress: (at: number) => void,
): Promise<void> {
  // Behind its end there may lie what was refused and could not be cut off.
  const bytes = loadSegment(options.dir.log, segment).subarray(0, segment.size);
  const { number } = segment;
  let records = 0;
  let at = from;
  let repeated: { at: number; end: number } | null = null;
  const reportRepeated = () => {
    if (repeated === null) return;
    const stretch = bytes.subarray(repeated.at, repeated.end);
    options.onDamage({ kind: "repeated", segment, tail: false, ...repeated, bytes: stretch });
    repeated = null;
  };
  rows.begin();
  for (const entry of readSegment(bytes, from, options.salt)) {
    at = entry.end;
    if (entry.kind === "damaged") {
      reportRepeated();
      options.onDamage({ ...entry, segment, bytes: bytes.subarray(entry.at, entry.end) });
      // The last segment is cut there and written on.
      if (entry.tail && isLast) at = entry.at;
      continue;
    }
    const record = { ...entry, segment: number, followsRepeated: repeated !== null };
    if (APPLY[entry.type](rows, record, options) === "repeated") {
      repeated = { at: (repeated ?? entry).at, end: entry.end };
      continue;
    }
    reportRepeated();
    if (++records % RECORDS_PER_TRANSACTION !== 0) continue;
    rows.commit({ segment: number, at });
    onProgress(at);
    await nextTurn();
    rows.begin();
  }
  reportRepeated();
  rows.commit({ segment: number, at });
  onProgress(at);
}

type Effect = "applied" | "repeated";

/**
 * What each type of record does to the rows. What is not newer than what was seen is there a second time. Changes
 * that a compaction has put together share a number; the last of all may be made twice, which does no harm.
 */
const APPLY: Record<RecordType, (rows: Rows, record: ReplayedRecord, run: Replay) => Effect> = {
  head: (rows, { payload }) => {
    const head = readJson<HeadPayload>(payload);
    if (head.last_seq < rows.state.last_seq) return "repeated";
    rows.sawMessage(head.last_seq, head.last_id);
    rows.sawChange(head.last_change ?? 0);
    if (head.cleared_seq > rows.state.cleared_seq) rows.clear(head.cleared_seq);
    return "applied";
  },
  message: (rows, { payload, segment, at }, { startScan }) => {
    const { meta, raw, rawAt } = readMessage(payload);
    return insert(rows, meta, raw.length, { segment, at, body_at: rawAt }, () => scanned(startScan(), raw));
  },
  large: (rows, { payload, segment, at }, run) => {
    const meta = readJson<LargeMeta>(payload);
    return insert(rows, meta, meta.size, { segment, at, body_at: 0 }, () => scannedFile(run, meta));
  },
  change: (rows, { payload, followsRepeated, segment, at, end }) => {
    const { number, seqs, change } = readJson<ChangePayload>(payload);
    const { last_change } = rows.state;
    const counted = number ?? last_change;
    if (counted < last_change || (counted === last_change && followsRepeated)) return "repeated";
    rows.segments.addNote({ segment, bytes: end - at });
    rows.sawChange(number ?? 0);
    for (const row of rows.rowsOf(seqs)) rows.change(row, change);
    return "applied";
  },
  delete: (rows, { payload, followsRepeated, segment, at, end }, run) => {
    const { seqs, lost = false } = readJson<DeletePayload>(payload);
    const found = rows.rowsOf(seqs);
    rows.segments.addNote({ segment, bytes: end - at });
    for (const row of found) if (!lost || !isBack(row, run)) rows.delete(row, lost ? "lost" : "deleted");
    return found.length === 0 && followsRepeated ? "repeated" : "applied";
  },
};

/** Whether a message that was taken out for its bytes was read whole. */
function isBack({ seq, segment, at, body_at }: MessageRow, { from, whole }: Replay): boolean {
  if (body_at === 0) return whole.has(seq);
  return segment > from.segment || (segment === from.segment && at >= from.at);
}

function insert(
  rows: Rows,
  meta: MessageMeta,
  size: number,
  place: Place,
  facts: () => MessageFacts,
): Effect {
  const { last_seq, last_id } = rows.state;
  if (meta.seq <= last_seq || meta.id <= last_id) return "repeated";
  const { subject, has_attachments } = facts();
  const state: MessageChange = meta.state ?? {};
  const row: MessageRow = {
    seq: meta.seq,
    id: meta.id,
    created: meta.time,
    size,
    ...place,
    is_read: Number(state.is_read ?? false),
    is_starred: Number(state.is_starred ?? false),
    has_attachments: Number(has_attachments),
    sender: meta.sender,
    recipients: JSON.stringify(meta.recipients),
    subject,
    tags: state.tags === undefined || state.tags.length === 0 ? null : JSON.stringify(state.tags),
  };
  rows.insert(row);
  return "applied";
}

function scanned(scan: MessageScan, raw: Uint8Array): MessageFacts {
  scan.push(raw);
  return scan.finish();
}

/**
 * A body that was set aside is taken back by the sweep after the replay, if it is sound also for a message that was
 * lost. One that is nowhere is found missing there, or belongs to a message deleted further on.
 */
function scannedFile(
  { dir, salt, startScan, whole }: Replay,
  { seq, id, size, crc }: LargeMeta,
): MessageFacts {
  const found = bodyIn(largePath(dir, id), size) ?? bodyIn(asidePath(dir, id), size);
  if (found !== null && crc32(found, salt) === crc) whole.add(seq);
  return found === null ? NO_FACTS : scanned(startScan(), found);
}

/** Null when not all of it is there. */
function bodyIn(path: string, size: number): Buffer | null {
  try {
    assertFile(path);
    const bytes = readFileSync(path);
    return bytes.length < size ? null : bytes.subarray(0, size);
  } catch {
    return null;
  }
}
