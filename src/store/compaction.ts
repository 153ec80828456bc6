// Frees the space of deleted messages in the background, one segment at a time: copies the records that
// are still needed to a file of the next generation, updates the rows, and removes the old file. A kill in
// between may leave both files, and both are complete. A segment without needed records keeps only its
// head until `roll` drops it.
import { renameSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { nextTurn } from "../lib/runtime.ts";
import { FILE_MODE, syncPath } from "./log/data-dir.ts";
import type { FileLog } from "./log/file-log.ts";
import { removeIfPossible } from "./log/large-files.ts";
import type { LogRecord, Place } from "./log/log.ts";
import { entryOf } from "./log/record.ts";
import { isEmpty, loadSegment, recordsIn, type Segment } from "./log/segment.ts";
import type { Rows } from "./rows/rows.ts";
import type { Search } from "./search/search.ts";

/** Runs a step while nothing is written to the log. */
type Between = <Result>(run: () => Result) => Promise<Result>;

const WAIT_MS = 100;
const RETRY_MS = 5000;
const RECORDS_PER_TURN = 1000;
/** The share of dead bytes above which a segment is rewritten: lower while disk space is short. */
const WORTH_WHEN_SHORT = 1 / 8;
const WORTH = 1 / 2;

export class Compactor {
  readonly #log: FileLog;
  readonly #rows: Rows;
  readonly #search: Search;
  #between: Between = async (run) => run();
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;
  /** Segments that stay as they are, because the rows of damaged messages must not point to other bytes. */
  readonly #damaged = new Set<number>();

  constructor(log: FileLog, rows: Rows, search: Search) {
    this.#log = log;
    this.#rows = rows;
    this.#search = search;
  }

  start(between: Between): void {
    this.#between = between;
    this.poke();
  }

  /** Starts a run a little later, so that one run frees the space of many deletions. */
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
    try {
      for (;;) {
        const segment = await this.#next();
        if (segment === null) return;
        await this.#compact(segment);
      }
    } catch (error) {
      if (this.#isStopped) return;
      this.#log.options.logger.warn("compaction failed", { reason: String(error) });
      this.poke(RETRY_MS);
    }
  }

  /** The segment with the most dead bytes, sealed if it was active. Null if none is worth it. */
  #next(): Promise<Segment | null> {
    const { space, segmentBytes } = this.#log.options;
    return this.#between(() => {
      if (this.#isStopped) return null;
      const share = space.isShort ? WORTH_WHEN_SHORT : WORTH;
      const dead = this.#rows.deadBytes();
      const deadIn = ({ number }: Segment) => dead.get(number) ?? 0;
      const { segments } = this.#log;
      const active = segments.at(-1);
      const [worst] = segments
        .filter((segment) => deadIn(segment) > segment.size * share && !this.#damaged.has(segment.number))
        .filter((segment) => segment !== active || deadIn(segment) > segmentBytes / 16)
        .sort((a, b) => deadIn(b) - deadIn(a));
      if (worst === undefined || (worst === active && !this.#log.roll())) return null;
      return worst;
    });
  }

  async #compact(segment: Segment): Promise<void> {
    const log = this.#log;
    const { dir, salt, space, logger, damage } = log.options;
    const places = new Map<number, Place>();
    const { headBytes } = segment;
    let [size, count] = [headBytes, 0];
    const isOldest = log.segments.find((one) => !isEmpty(one))?.number === segment.number;
    const bytes = loadSegment(dir.log, segment);
    for (const found of recordsIn(bytes, salt)) {
      if (++count % RECORDS_PER_TURN === 0) await nextTurn();
      if (found.type === "damaged") {
        damage.add(segment, bytes, found);
        this.#damaged.add(segment.number);
        return;
      }
      const entry = entryOf(dir, segment.number, found);
      if (entry === null || !this.#isNeeded(entry.record, isOldest)) continue;
      if (entry.record.kind === "message") places.set(found.seq, { ...entry.place, at: size });
      // Moved within the loaded bytes, because a second buffer would be as large as the segment.
      bytes.copyWithin(size, found.at, found.end);
      size += found.end - found.at;
    }
    space.releaseIfFull(size);
    const rewritten = { ...segment, generation: segment.generation + 1, size };
    const draft = `${log.path(rewritten)}.new`;
    try {
      await writeFile(draft, bytes.subarray(0, size), { mode: FILE_MODE, flush: true });
      await this.#between(() => this.#exchange(segment, rewritten, draft, places));
    } finally {
      removeIfPossible(draft);
      // Freed at once, because one deletion may cause many compactions before garbage is collected.
      bytes.buffer.transfer(0);
    }
    // The new file must be safe on disk before the old one is removed.
    syncPath(dir.log);
    removeIfPossible(log.path(segment));
    logger.debug("segment compacted", {
      segment: segment.number,
      freed_bytes: segment.size - rewritten.size,
    });
  }

  #exchange(segment: Segment, rewritten: Segment, draft: string, places: ReadonlyMap<number, Place>): void {
    const log = this.#log;
    // In the meantime, a deletion of all mail may have dropped the segment.
    if (!log.segments.includes(segment)) return;
    const path = log.path(rewritten);
    renameSync(draft, path);
    try {
      this.#rows.relocate(segment.number, places);
    } catch (error) {
      removeIfPossible(path);
      throw error;
    }
    log.replace(rewritten);
  }

  /** Whether indexes that are built from the log would be wrong without this record. */
  #isNeeded(record: LogRecord, isInOldest: boolean): boolean {
    const [rows, search] = [this.#rows, this.#search];
    switch (record.kind) {
      case "message":
        return rows.bySeq(record.seq) !== null;
      case "change":
        return rows.isLastChange(record);
      // Needed until the text index has saved the deletion, and while an older segment may hold the
      // message.
      case "delete":
        return record.seq > search.committed || !isInOldest;
      case "clear":
        return record.seq > search.committed;
      case "setting":
        return record.value === null ? !isInOldest : rows.isLastSetting(record);
    }
  }
}
