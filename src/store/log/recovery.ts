// At the start, finds the segments of the log and the end of the last segment. An incomplete record at the end is cut
// off. If a segment is missing, the start fails unless `--accept-loss` is given.
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";
import { type DataDir, FILE_MODE, setAside } from "./data-dir.ts";
import { entryOf, headOf } from "./record.ts";
import {
  type DamageReport,
  damagedName,
  listSegments,
  loadSegment,
  readSegment,
  recordsIn,
  type Segment,
  type SegmentName,
  segmentFileName,
  segmentPath,
} from "./segment.ts";

export interface RecoveryOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly logger: Logger;
  readonly damage: DamageReport;
  /** The segment of the newest message in the rows; 0 without one. */
  readonly lastSegment: number;
  readonly acceptLoss: boolean;
}

/** Returns the segments in the order of the log; a new log has none. New records go into the last one. */
export function recoverLog(options: RecoveryOptions) {
  const { dir, salt, lastSegment } = options;
  const { kept, dropped, missing } = findSegments(dir.log, salt, lastSegment);
  for (const segment of dropped) rmSync(segmentPath(dir.log, segment), { force: true });
  if (missing.length > 0) acceptHoles(missing, kept, options);
  const segments = kept.sort((a, b) => a.number - b.number);
  // A file of 0 bytes is damaged, because it has no head. Readers of records would not notice that.
  for (const segment of segments.slice(0, -1).filter(({ size }) => size === 0))
    options.damage.add(segment, Buffer.alloc(0), { type: "damaged", at: 0, end: 0, isTail: true });
  return { segments, ...readEnd(segments, options), hasLoss: missing.length > 0 };
}

/**
 * A killed process may leave files of dropped segments. Each number from the oldest segment that
 * counts to the newest, and at least to `lastSegment`, must have a file.
 */
export function findSegments(folder: string, salt: number, lastSegment = 0) {
  const found = listSegments(folder).map((name) => readSegment(folder, name, salt));
  const oldest = found.at(-1)?.oldest || (found[0]?.number ?? 1);
  const kept = found.filter(({ number }) => number >= oldest);
  const dropped = found.filter(({ number }) => number < oldest);
  const numbers = new Set(kept.map(({ number }) => number));
  const missing: SegmentName[] = [];
  for (let number = oldest; number <= Math.max(...numbers, lastSegment); number++)
    if (!numbers.has(number)) missing.push({ number, generation: 0 });
  return { kept, dropped, missing };
}

/**
 * Makes an empty file for each segment that is missing before the last, so that the next start finds no gap. Throws
 * without `--accept-loss`.
 */
function acceptHoles(missing: readonly SegmentName[], kept: Segment[], options: RecoveryOptions): void {
  const { dir, salt, logger, acceptLoss } = options;
  const names = missing.map(segmentFileName);
  if (!acceptLoss)
    throw new StoreError(
      "log_incomplete",
      `${dir.log} is missing ${names.join(", ")}: restore the files, or start with --accept-loss to continue without their mail`,
    );
  logger.error("log incomplete", { folder: dir.log, missing: names });
  const last = kept.at(-1)?.number ?? 0;
  for (const name of missing.filter(({ number }) => number < last)) {
    writeFileSync(segmentPath(dir.log, name), "", { mode: FILE_MODE });
    kept.push(readSegment(dir.log, name, salt));
    // The loss is logged above. Because of this empty copy, DamageReport does not log it again.
    setAside(dir, damagedName(name, 0), Buffer.alloc(0));
  }
}

/**
 * Reads the last segment and cuts off an incomplete record at its end. If its head is damaged, segments before it are
 * read, too, because they hold the last number and id.
 */
function readEnd(segments: Segment[], { dir, salt, logger, damage }: RecoveryOptions) {
  let [lastSeq, lastId] = [0, ""];
  const first = segments.findLastIndex(({ headBytes }) => headBytes > 0);
  for (const segment of segments.slice(Math.max(first, 0))) {
    const bytes = loadSegment(dir.log, segment);
    for (const found of recordsIn(bytes, salt)) {
      if (found.type !== "damaged") {
        lastSeq = Math.max(lastSeq, found.seq);
        const record = entryOf(dir, segment.number, found)?.record;
        if (record === undefined) lastId = headOf(found.payload).last_id;
        else if (record.kind === "message") lastId = record.id;
      } else if (found.isTail && segment === segments.at(-1)) {
        const file = segmentFileName(segment);
        const copy = setAside(dir, `${file}-${found.at}.tail`, bytes.subarray(found.at));
        logger.warn("unfinished record removed from the log", {
          file,
          at: found.at,
          bytes: found.end - found.at,
          copy,
        });
        truncateSync(segmentPath(dir.log, segment), found.at);
        segment.size = found.at;
      } else damage.add(segment, bytes, found);
    }
  }
  return { lastSeq, lastId };
}
