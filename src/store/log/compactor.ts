// Decides in the background which segment is worth rewriting, one at a time.
import type { Logger } from "../../lib/logger.ts";
import type { SegmentRow } from "../rows/segment-rows.ts";
import { type CompactionOptions, compactSegment, inTransaction } from "./compaction.ts";
import type { Segment } from "./segment.ts";

export interface CompactorOptions extends CompactionOptions {
  readonly logger: Logger;
  /** Dead bytes below which a segment is left alone. */
  readonly minDeadBytes: number;
  /** Resolves when the text index needs no file of the log any more. */
  readonly searchSettled: () => Promise<void>;
}

const WAIT_MS = 100;

export class Compactor {
  readonly #options: CompactorOptions;
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Something was deleted: looks soon, once for many deletions. */
  poke(): void {
    if (this.#stopped || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.run();
    }, WAIT_MS);
  }

  /** Rewrites until no segment is worth it. */
  run(): Promise<void> {
    this.#running ??= this.#compactAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #compactAll(): Promise<void> {
    const { logger, searchSettled } = this.#options;
    try {
      for (let segment = await this.#next(); segment !== null; segment = await this.#next()) {
        await searchSettled();
        await compactSegment(segment, this.#options);
        await this.#options.log.freed();
        logger.debug("segment_compacted", { segment: segment.number, bytes: segment.size });
      }
    } catch (error) {
      if (!this.#stopped) logger.warn("compaction_failed", { reason: String(error) });
    }
  }

  async #next(): Promise<Segment | null> {
    if (this.#stopped) return null;
    const { log, rows, between } = this.#options;
    const worth = rows.segments.all().find((row) => this.#isWorth(row));
    if (worth === undefined) return null;
    if (worth.number === log.segments.active.number && !(await between(() => this.#seal()))) return null;
    return log.segments.get(worth.number) ?? null;
  }

  #isWorth({ number, dead_bytes }: SegmentRow): boolean {
    const size = this.#options.log.segments.get(number)?.size ?? 0;
    return dead_bytes >= this.#options.minDeadBytes && dead_bytes * 2 > size;
  }

  /** The active segment is sealed first; false when that is not possible now. */
  #seal(): boolean {
    const { log, rows } = this.#options;
    if (!log.roll()) return false;
    const { number, size } = log.segments.active;
    inTransaction(rows, () => {}, { segment: number, at: size });
    return true;
  }
}
