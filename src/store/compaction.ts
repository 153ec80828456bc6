// Frees the space of deleted messages in the background, a segment at a time. Its remaining messages go to a file
// of the next generation; the rows then point there, and the old file is removed. A kill leaves both, and either is
// whole. A segment with nothing alive is cut down to its head, which needs no room, until the log goes on without it
// (see `roll`).
import { renameSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import { nextTurn } from "../lib/runtime.ts";
import { FILE_MODE, syncPath } from "./log/data-dir.ts";
import type { FileLog, FileLogOptions } from "./log/file-log.ts";
import { removeIfPossible } from "./log/large-files.ts";
import type { LogRecord, Place } from "./log/log.ts";
import { entryOf } from "./log/record.ts";
import { isEmpty, loadSegment, recordsIn, reportDamage, type Segment } from "./log/segment.ts";
import type { Rows } from "./rows/rows.ts";
import type { Search } from "./search/search.ts";

export interface CompactorOptions
  extends Pick<FileLogOptions, "dir" | "salt" | "space" | "logger" | "segmentBytes"> {
  readonly log: FileLog;
  readonly rows: Rows;
  readonly search: Search;
  readonly between: <Result>(run: () => Result) => Promise<Result>;
}

const WAIT_MS = 100;
/** When there was no room, there may be some later. */
const RETRY_MS = 5000;
const RECORDS_PER_TURN = 1000;
/** On a full disk even segments that are mostly alive are rewritten. */
const WORTH_WHEN_SHORT = 1 / 8;
const WORTH = 1 / 2;

export class Compactor {
  readonly #options: CompactorOptions;
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Called after deletions. Looks soon, once for many of them. */
  poke(waitMs = WAIT_MS): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.run();
    }, waitMs).unref();
  }

  run(): Promise<void> {
    this.#running ??= this.#compactAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #compactAll(): Promise<void> {
    const { logger } = this.#options;
    try {
      for (;;) {
        const segment = await this.#next();
        if (segment === null) return;
        await this.#compact(segment);
      }
    } catch (error) {
      if (this.#isStopped) return;
      logger.warn("compaction failed", { reason: String(error) });
      this.poke(RETRY_MS);
    }
  }

  /** The segment with the most dead bytes, if it is worth it. The active one is sealed for it. */
  #next(): Promise<Segment | null> {
    const { log, rows, space, segmentBytes, between } = this.#options;
    return between(() => {
      if (this.#isStopped) return null;
      const share = space.isShort ? WORTH_WHEN_SHORT : WORTH;
      const dead = rows.deadBytes();
      const deadIn = ({ number }: Segment) => dead.get(number) ?? 0;
      const segments = log.segments;
      const active = segments.at(-1);
      const [worst] = segments
        .filter((segment) => deadIn(segment) > segment.size * share)
        .filter((segment) => segment !== active || deadIn(segment) > segmentBytes / 16)
        .sort((a, b) => deadIn(b) - deadIn(a));
      if (worst === undefined || (worst === active && !log.roll())) return null;
      return worst;
    });
  }

  async #compact(segment: Segment): Promise<void> {
    const { dir, salt, log, space, logger, between } = this.#options;
    const places = new Map<number, Place>();
    const { headBytes } = segment;
    let [size, count] = [headBytes, 0];
    const isOldest = log.segments.find((one) => !isEmpty(one))?.number === segment.number;
    const bytes = loadSegment(dir.log, segment);
    const kept = [bytes.subarray(0, headBytes)];
    for (const found of recordsIn(bytes, salt)) {
      if (++count % RECORDS_PER_TURN === 0) await nextTurn();
      if (found.type === "damaged") {
        reportDamage(dir, logger, segment, bytes, found);
        continue;
      }
      const entry = entryOf(dir, segment.number, found);
      if (entry === null || !this.#isNeeded(entry.record, isOldest)) continue;
      if (entry.record.kind === "message") places.set(found.seq, { ...entry.place, at: size });
      kept.push(bytes.subarray(found.at, found.end));
      size += found.end - found.at;
    }
    if (size === headBytes) return between(() => this.#empty(segment));
    space.lend(size);
    const rewritten = { ...segment, generation: segment.generation + 1, size };
    const draft = `${log.path(rewritten)}.new`;
    try {
      await writeSynced(draft, Buffer.concat(kept));
      await between(() => this.#exchange(segment, rewritten, draft, places));
    } finally {
      removeIfPossible(draft);
    }
    // The new file must be safe on disk before the old one is removed.
    syncPath(dir.log);
    removeIfPossible(log.path(segment));
    logger.debug("segment compacted", {
      segment: segment.number,
      freed_bytes: segment.size - rewritten.size,
    });
  }

  #empty(segment: Segment): void {
    const { log, rows } = this.#options;
    // A clear may have dropped it.
    if (!log.segments.includes(segment)) return;
    truncateSync(log.path(segment), segment.headBytes);
    segment.size = segment.headBytes;
    rows.relocate(segment.number, new Map());
  }

  #exchange(segment: Segment, rewritten: Segment, draft: string, places: ReadonlyMap<number, Place>): void {
    const { log, rows } = this.#options;
    if (!log.segments.includes(segment)) return;
    const path = log.path(rewritten);
    renameSync(draft, path);
    try {
      rows.relocate(segment.number, places);
    } catch (error) {
      removeIfPossible(path);
      throw error;
    }
    log.replace(rewritten);
  }

  /** Whether an index that is built from the log would be wrong without this record. */
  #isNeeded(record: LogRecord, isInOldest: boolean): boolean {
    const { rows, search } = this.#options;
    switch (record.kind) {
      case "message":
        return rows.bySeq(record.seq) !== null;
      case "change":
        return rows.isLastChange(record);
      // A removal is needed while an older segment may hold what it removes.
      case "delete":
        return record.seq > search.committed || !isInOldest;
      case "clear":
        return record.seq > search.committed;
      case "setting":
        return record.value === null ? !isInOldest : rows.isLastSetting(record);
    }
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w", FILE_MODE);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
