// Finds the log in its folder at the start: which segments count, where the last one ends. A torn tail is cut off;
// a missing segment ends the start, because mail would be missing with it.
import { rmSync, truncateSync } from "node:fs";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";
import type { DamageReport } from "./damage.ts";
import { type DataDir, setAside } from "./data-dir.ts";
import { realDisk } from "./disk.ts";
import type { FoundLog } from "./file-log.ts";
import { decodeRecord, type FoundRecord, RecordBuffer } from "./record.ts";
import {
  type DamagedBytes,
  listSegments,
  loadSegment,
  readHead,
  recordsIn,
  type Segment,
  type SegmentName,
  segmentFileName,
  segmentPath,
  writeSegment,
} from "./segment.ts";

export interface RecoveryOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly logger: Logger;
  readonly damage: DamageReport;
  /** The generation of each segment that the rows know. */
  readonly generations: ReadonlyMap<number, number>;
  /** The newest segment that the rows know. */
  readonly lastSegment: number;
  /** Go on without segments that are missing. */
  readonly acceptLoss: boolean;
}

interface FoundSegment extends Segment {
  readonly oldest: number;
  readonly lastId: string;
}

export interface RecoveredLog extends FoundLog {
  /** An unfinished record was cut off the end. */
  readonly isTailCut: boolean;
  /** Segments were missing, and that was accepted. */
  readonly hasLoss: boolean;
}

export function recoverLog(options: RecoveryOptions): RecoveredLog {
  const { dir } = options;
  const found = chooseGenerations(options).map((name) => readSegment(name, options));
  const last = found.at(-1);
  const oldest = last?.oldest || (found[0]?.number ?? 1);
  for (const segment of found)
    if (segment.number < oldest) rmSync(segmentPath(dir.log, segment), { force: true });
  const kept = new Map(
    found.filter(({ number }) => number >= oldest).map((segment) => [segment.number, segment]),
  );
  const hasLoss = acceptHoles(kept, oldest, options);
  if (last === undefined) return { segments: [], lastSeq: 0, lastId: "", isTailCut: false, hasLoss };
  const { segment, ...end } = recoverEnd(last, numbersBefore(found, found.length - 1, options), options);
  kept.set(segment.number, segment);
  return { ...end, hasLoss, segments: [...kept.values()].sort((a, b) => a.number - b.number) };
}

/** A kill during a compaction leaves two generations; either is whole, and the rows know one of them. */
function chooseGenerations({ dir, generations }: RecoveryOptions): SegmentName[] {
  const byNumber = new Map<number, SegmentName[]>();
  for (const name of listSegments(dir.log))
    byNumber.set(name.number, [...(byNumber.get(name.number) ?? []), name]);
  return [...byNumber.values()].map((names) => {
    const known = names.find(({ number, generation }) => generations.get(number) === generation);
    const chosen = known ?? (names.at(-1) as SegmentName);
    for (const name of names) if (name !== chosen) rmSync(segmentPath(dir.log, name));
    return chosen;
  });
}

/** A head that cannot be read is damage like any other. No number is known to be before it, so nothing is skipped. */
function readSegment(name: SegmentName, { dir, salt }: RecoveryOptions): FoundSegment {
  const { head, headBytes, size } = readHead(dir.log, name, salt);
  const { first_seq: firstSeq = Number.MAX_SAFE_INTEGER, oldest = 0, last_id: lastId = "" } = head ?? {};
  return { ...name, size, firstSeq, headBytes, oldest, lastId };
}

/** An empty segment takes the place of each that is missing, so that the next start finds no hole. */
function acceptHoles(
  segments: Map<number, FoundSegment>,
  oldest: number,
  { dir, salt, logger, lastSegment, acceptLoss }: RecoveryOptions,
): boolean {
  const last = Math.max(...segments.keys(), oldest - 1);
  const missing: SegmentName[] = [];
  for (let number = Math.max(last, lastSegment); number >= oldest; number--)
    if (!segments.has(number)) missing.push({ number, generation: 0 });
  if (missing.length === 0) return false;
  const names = missing.reverse().map(segmentFileName);
  if (!acceptLoss)
    throw new StoreError(
      "log_incomplete",
      `${dir.log} is missing ${names.join(", ")}: restore the files, or start with --accept-loss to continue without their mail`,
    );
  logger.error("log_incomplete", { folder: dir.log, missing: names });
  for (const name of missing.reverse()) {
    const next = segments.get(name.number + 1);
    if (next === undefined) continue;
    const records = new RecordBuffer(salt);
    records.addHead({ first_seq: next.firstSeq, last_id: next.lastId, oldest });
    writeSegment(segmentPath(dir.log, name), records.bytes, realDisk, true);
    const { firstSeq, lastId } = next;
    segments.set(name.number, {
      ...name,
      oldest,
      firstSeq,
      lastId,
      size: records.length,
      headBytes: records.length,
    });
  }
  return true;
}

interface Numbers {
  readonly lastSeq: number;
  readonly lastId: string;
}

/** The last number and id before a segment: its head says them, or the records before it do. */
function numbersBefore(segments: readonly FoundSegment[], at: number, options: RecoveryOptions): Numbers {
  const [before, segment] = [segments[at - 1], segments[at]];
  if (segment !== undefined && segment.headBytes > 0)
    return { lastSeq: segment.firstSeq - 1, lastId: segment.lastId };
  if (before === undefined) return { lastSeq: 0, lastId: "" };
  let numbers = numbersBefore(segments, at - 1, options);
  for (const found of recordsIn(loadSegment(options.dir.log, before), options.salt))
    numbers = numbersAfter(numbers, found);
  return numbers;
}

function numbersAfter({ lastSeq, lastId }: Numbers, found: FoundRecord | DamagedBytes): Numbers {
  if (found.type === "damaged") return { lastSeq, lastId };
  const record = decodeRecord(found)?.record;
  return { lastSeq: Math.max(lastSeq, found.seq), lastId: record?.kind === "message" ? record.id : lastId };
}

/** Reads the last segment to its end, and cuts off what a kill has left of a record. */
function recoverEnd(last: FoundSegment, before: Numbers, { dir, salt, logger, damage }: RecoveryOptions) {
  const bytes = loadSegment(dir.log, last);
  let numbers = before;
  let { size } = last;
  let isTailCut = false;
  for (const found of recordsIn(bytes, salt)) {
    numbers = numbersAfter(numbers, found);
    if (found.type !== "damaged") continue;
    if (found.isTail) {
      const file = segmentFileName(last);
      const copy = setAside(dir, `${file}-${found.at}.tail`, bytes.subarray(found.at));
      logger.warn("log_tail_cut", { file, at: found.at, bytes: found.end - found.at, copy });
      truncateSync(segmentPath(dir.log, last), found.at);
      size = found.at;
      isTailCut = true;
    } else damage.add(last, bytes, found);
  }
  return { segment: { ...last, size }, ...numbers, isTailCut };
}
