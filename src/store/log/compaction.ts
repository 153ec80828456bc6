// Rewriting a segment that is mostly dead, or neighbours of which little is left into one. The new file is
// complete before it takes the place of the first; it names the others, which a kill may leave behind.
import { close, fsync, open, renameSync, rmSync, write } from "node:fs";
import { promisify } from "node:util";
import { nextTurn } from "../../lib/next-turn.ts";
import type { Rows } from "../rows/rows.ts";
import { type DataDir, FILE_MODE } from "./data-dir.ts";
import { syncFolder } from "./disk.ts";
import type { FileLog } from "./file-log.ts";
import type { LogPosition, Place } from "./log.ts";
import { loadSegment, readHead, readSegment, type Segment, segmentPath } from "./segment.ts";
import { SegmentWriter } from "./segment-writer.ts";

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

/** Work between two turns of the event loop. */
const SLICE_MS = 2;
const openFile = promisify(open);
const syncFile = promisify(fsync);
const closeFile = promisify(close);

/** Sealed segments, in order and without others in between; none of them a clear but the first. */
export async function compactSegments(
  segments: readonly [Segment, ...Segment[]],
  isMending: boolean,
  options: CompactionOptions,
): Promise<void> {
  const { dir, log, rows } = options;
  const { life } = rows;
  const searchLife = options.searchLife();
  // Rows that were rebuilt meanwhile were not all there when the records were judged by them.
  const isCurrent = () =>
    rows.life === life && options.searchLife() === searchLife && areCurrent(segments, log);
  const [{ number, generation }, ...merged] = segments;
  const { records, places, isEmpty } = await rewrite(segments, isMending, options);
  if (isEmpty) {
    await options.between(() => {
      log.assertInPlace();
      if (!isCurrent()) return;
      inTransaction(rows, () => dropRows(rows, segments));
      for (const segment of segments) log.segments.drop(segment.number);
    });
    return;
  }
  const next: Segment = { number, generation: generation + 1, size: records.length };
  const path = segmentPath(dir.log, next);
  try {
    await writeSynced(`${path}.new`, records.bytes);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
  await options.between(() => {
    log.assertInPlace();
    if (!isCurrent()) {
      rmSync(`${path}.new`, { force: true });
      return;
    }
    renameSync(`${path}.new`, path);
    try {
      syncFolder(dir.log);
      inTransaction(rows, () => {
        moveRows(rows, next, places);
        dropRows(rows, merged);
      });
    } catch (error) {
      // The old file is still the one in use: once that is dropped, the next start would find this one instead.
      log.segments.takeAway(next);
      throw error;
    }
    log.segments.replace(next);
    for (const segment of merged) log.segments.drop(segment.number);
  });
}

/** Whether these are the files that the log has now. */
export const areCurrent = (segments: readonly Segment[], log: FileLog): boolean =>
  segments.every(({ number, generation }) => log.segments.get(number)?.generation === generation);

function dropRows(rows: Rows, segments: readonly Segment[]): void {
  for (const { number } of segments) rows.segments.drop(number);
}

function moveRows(rows: Rows, segment: Segment, places: ReadonlyMap<number, Place>): void {
  let gone = 0;
  for (const [seq, place] of places) if (!rows.move(seq, place)) gone++;
  // What was deleted while the file was written is dead in the new one as well; its share is near enough.
  const dead_bytes = places.size === 0 ? 0 : Math.floor((segment.size * gone) / places.size);
  rows.segments.replace({ ...segment, dead_bytes });
}

function inTransaction(rows: Rows, change: () => void, position: LogPosition = rows.state): void {
  try {
    rows.begin();
    change();
    rows.commit(position);
  } catch (error) {
    rows.rollback();
    throw error;
  }
}

/** Seals the segment that the rows are at: its size is what they know of it. */
export const goOnIn = (rows: Rows, { number, size }: Segment): void =>
  inTransaction(rows, () => {}, { segment: number, at: size });

async function rewrite(
  segments: readonly [Segment, ...Segment[]],
  isMending: boolean,
  { dir, salt, log, rows }: CompactionOptions,
): Promise<SegmentWriter> {
  const [first] = segments;
  const older = log.segments.all().filter(({ number }) => number < first.number);
  const owners = seqRanges(older, first, dir, salt);
  const liesInOlder = (seq: number) => owners.some(({ from, to }) => seq > from && seq <= to);
  const writer = new SegmentWriter({ segments, rows, salt, isMending, liesInOlder });
  // All are read before the first pause: a clear drops the files.
  const files = segments.map((segment) => ({ ...segment, bytes: loadSegment(dir.log, segment) }));
  let sliceStart = performance.now();
  for (const { number, bytes } of files) {
    for (const entry of readSegment(bytes, 0, salt)) {
      if (entry.kind === "record") writer.add(entry, bytes.subarray(entry.at, entry.end), number);
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await nextTurn();
      sliceStart = performance.now();
    }
  }
  writer.finish();
  return writer;
}

/**
 * Which seqs lie in which of the older segments, by the heads: a head names the last seq before it.
 * An unreadable head widens the ranges on both sides, so that a removal is rather kept than lost.
 */
function seqRanges(older: readonly Segment[], segment: Segment, dir: DataDir, salt: number) {
  const ordered = [...older, segment].sort((a, b) => a.number - b.number);
  const starts = ordered.map((one) => readHead(dir.log, one, salt)?.last_seq);
  return ordered.slice(0, -1).map((_, index) => ({
    from: starts[index] ?? 0,
    to: starts.slice(index + 1).find((start) => start !== undefined) ?? Number.MAX_SAFE_INTEGER,
  }));
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
