// What happens to the files before the log is written on: leftovers of a crash are removed, the rows are
// brought up to the log, a torn tail is cut, and everything that was wrong is reported.
import { readdirSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { isDiskFull } from "../errors.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import type { MessageScan } from "../store.ts";
import {
  asidePath,
  type DataDir,
  damagedName,
  largePath,
  listLarge,
  moveAside,
  setAside,
} from "./data-dir.ts";
import { hasComeBack, missingSegments } from "./lacking.ts";
import { assertInOrder } from "./order.ts";
import { messageIn } from "./record.ts";
import { type Damage, replay } from "./replay.ts";
import {
  isMergedInto,
  listSegments,
  loadSegment,
  PROLOGUE_BYTES,
  readHead,
  readSegment,
  type Segment,
  segmentPath,
} from "./segment.ts";

export interface RecoveryOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly startScan: () => MessageScan;
  readonly logger: Logger;
  /** The rows are made anew, though nothing may be wrong with them. */
  readonly anew: boolean;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

/** Segments in order, with what an interrupted compaction left behind removed. */
export function findSegments(dir: DataDir, salt: number): Segment[] {
  const { segments, leftovers } = surveySegments(dir, salt);
  for (const path of leftovers) rmSync(path);
  return segments;
}

/**
 * Of two generations of a segment the newer one counts: it was complete before it got its name. What is in a
 * segment that others were merged into is no longer needed from these. Throws when the rest is not in order.
 */
export function surveySegments(dir: DataDir, salt: number): { segments: Segment[]; leftovers: string[] } {
  const leftovers = readdirSync(dir.log)
    .filter((name) => name.endsWith(".new"))
    .map((name) => join(dir.log, name));
  const newest = new Map<number, Segment>();
  for (const name of listSegments(dir.log)) {
    const path = segmentPath(dir.log, name);
    const { size } = statSync(path);
    if (size === 0) {
      leftovers.push(path);
      continue;
    }
    const older = newest.get(name.number);
    if (older !== undefined) leftovers.push(segmentPath(dir.log, older));
    newest.set(name.number, { ...name, size });
  }
  const segments: Segment[] = [];
  for (const segment of newest.values()) {
    if (segment.number <= (segments.at(-1)?.mergedTo ?? 0)) leftovers.push(segmentPath(dir.log, segment));
    else segments.push(withMerged(segment, dir, salt));
  }
  assertInOrder(segments, { dir, salt });
  return { segments, leftovers };
}

/** Only a rewritten segment holds others. */
function withMerged(segment: Segment, dir: DataDir, salt: number): Segment {
  if (segment.generation === 0) return segment;
  const mergedTo = readHead(dir.log, segment, salt)?.merged_to;
  return mergedTo === undefined ? segment : { ...segment, mergedTo };
}

/** False when the rows cannot have come from these files and must be rebuilt. */
export function rowsFitLog(
  rows: Rows,
  segments: readonly Segment[],
  { dir, salt }: Pick<RecoveryOptions, "dir" | "salt">,
): boolean {
  const { segment, at } = rows.state;
  if (!rows.hasSoundState || hasComeBack(rows, segments, { dir, salt })) return false;
  // Rows that know of mail and stand nowhere were left by a full disk, to remember what the log lacks.
  if (segment === 0) return segments.length === 0 || rows.state.last_seq === 0;
  const files = new Map(segments.map((file) => [file.number, file]));
  const active = files.get(segment);
  if (active === undefined || active.size < at) return false;
  if (active.size > at && !endsRecord(active, at, dir, salt)) return false;
  if (missingSegments(rows, segments).length > 0) return false;
  return rows.segments.all().every((known) => {
    const file = files.get(known.number);
    if (file === undefined) return true;
    return known.size === 0 || file.generation > known.generation || file.size === known.size;
  });
}

/** Where bytes have slipped in, what follows the rows is not a torn tail but a piece of a sound record. */
function endsRecord(segment: Segment, at: number, dir: DataDir, salt: number): boolean {
  for (const { end } of readSegment(loadSegment(dir.log, segment), 0, salt)) if (end >= at) return end === at;
  return false;
}

/** Brings the rows up to the log; answers with what was wrong on the way. */
export async function catchUp(
  rows: Rows,
  found: readonly Segment[],
  options: RecoveryOptions,
): Promise<Damage[]> {
  const { dir, salt, startScan, onProgress } = options;
  relocateCompacted(rows, found, options);
  const damages: Damage[] = [];
  await replay(rows, found, { dir, salt, startScan, onProgress, onDamage: (damage) => damages.push(damage) });
  return damages;
}

/** Brings the files into a state to be written on, after the rows have caught up. */
export function tidyFiles(
  rows: Rows,
  found: readonly Segment[],
  all: readonly Damage[],
  { dir, logger }: Pick<RecoveryOptions, "dir" | "logger">,
): { segments: Segment[]; isDamaged: boolean } {
  const damages = all.filter(({ kind }) => kind === "damaged");
  for (const damage of damages) reportDamage(damage, dir, logger);
  const segments = withoutTornTail(found, damages, dir);
  rows.begin();
  for (const { number, generation } of segments) rows.segments.setGeneration(number, generation);
  rows.commit(rows.state);
  // Only the last segment can have been cut short by a kill.
  const isDamaged = damages.some(({ tail, segment }) => !tail || segment !== found.at(-1));
  return { segments: dropCleared(rows, segments, dir), isDamaged };
}

/** A compaction that finished its file but not its rows: the messages are where the file says. */
function relocateCompacted(rows: Rows, segments: readonly Segment[], { dir, salt }: RecoveryOptions): void {
  const known = new Map(rows.segments.all().map((segment) => [segment.number, segment]));
  for (const segment of segments) {
    const before = known.get(segment.number);
    if (before === undefined || before.size === 0 || before.generation === segment.generation) continue;
    rows.begin();
    for (const entry of readSegment(loadSegment(dir.log, segment), 0, salt)) {
      const held = entry.kind === "record" ? messageIn(entry.type, entry.payload) : null;
      if (held === null) continue;
      rows.move(held.seq, { segment: segment.number, at: entry.at, body_at: held.body_at });
    }
    rows.segments.replace({ ...segment, dead_bytes: 0 });
    for (const other of known.keys()) if (isMergedInto(segment, other)) rows.segments.drop(other);
    rows.commit(rows.state);
  }
}

function reportDamage({ segment, at, tail, bytes }: Damage, dir: DataDir, logger: Logger): void {
  if (bytes.length === 0) return;
  const copy = keptCopy(dir, damagedName(segment.number, segment.generation, at), bytes);
  const fields = { segment: segment.number, at, bytes: bytes.length, copy };
  if (tail) logger.warn("log_tail_dropped", fields);
  else logger.error("log_record_damaged", fields);
}

/** Null on a disk that has no room for it: to start is worth more. */
function keptCopy(dir: DataDir, name: string, bytes: Uint8Array): string | null {
  try {
    return setAside(dir, name, bytes);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return null;
  }
}

/** Cuts the last segment behind its last sound record, or removes it when there is none. */
function withoutTornTail(segments: readonly Segment[], damages: readonly Damage[], dir: DataDir): Segment[] {
  const last = segments.at(-1);
  const tail = damages.find((damage) => damage.tail && damage.segment === last);
  if (last === undefined || tail === undefined) return [...segments];
  const path = segmentPath(dir.log, last);
  if (tail.at <= PROLOGUE_BYTES) {
    rmSync(path);
    return segments.slice(0, -1);
  }
  truncateSync(path, tail.at);
  return [...segments.slice(0, -1), { ...last, size: tail.at }];
}

/** A clear empties the table of segments: files before it that are not in the table are void. */
function dropCleared(rows: Rows, segments: readonly Segment[], dir: DataDir): Segment[] {
  const known = new Set(rows.segments.all().map(({ number }) => number));
  const isVoid = ({ number }: Segment) => number < rows.state.segment && !known.has(number);
  for (const segment of segments.filter(isVoid)) rmSync(segmentPath(dir.log, segment));
  return segments.filter((segment) => !isVoid(segment));
}

/**
 * Removes bodies that no row names, and finds the messages whose body is gone. The bytes count as if all were there.
 * After damage, a body without a row may be all that is left of a message: it is kept aside, and comes back with
 * what names it. Its checksum is looked at before it is served.
 */
export function sweepLarge(
  rows: Rows,
  { dir, logger }: Pick<RecoveryOptions, "dir" | "logger">,
  hasLost: boolean,
): { bytes: number; lost: MessageRow[] } {
  const large = rows.largeRows();
  const unnamed = listLarge(dir).filter(({ id }) => rows.byId(id) === null);
  if (unnamed.length > 0) rows.assertComplete();
  for (const { path } of unnamed) {
    if (hasLost) moveAside(dir, path);
    else rmSync(path);
  }
  const isLost = ({ id, size }: MessageRow) => {
    if (isWhole(largePath(dir, id), size)) return false;
    if (!isWhole(asidePath(dir, id), size)) return true;
    renameSync(asidePath(dir, id), largePath(dir, id));
    logger.warn("large_body_taken_back", { id });
    return false;
  };
  return { bytes: large.reduce((sum, { size }) => sum + size, 0), lost: large.filter(isLost) };
}

/** Bytes that somebody has put behind the end harm nothing: they are never read. */
const isWhole = (path: string, size: number): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? -1) >= size;
