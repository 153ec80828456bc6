// Wins back the space of deleted messages in the background, a segment or a few neighbours at a time.
import type { Logger } from "../../lib/logger.ts";
import { isDiskFull, isIndexDamage } from "../errors.ts";
import { StoreError } from "../store.ts";
import { areCurrent, type CompactionOptions, compactSegments, goOnIn } from "./compaction.ts";
import { type CompactionLimits, chooseSegments, type SegmentUse } from "./compaction-choice.ts";
import { readHead, type Segment } from "./segment.ts";

export interface CompactorOptions extends CompactionOptions, CompactionLimits {
  readonly logger: Logger;
  /** Resolves when the text index needs no file of the log any more. */
  readonly searchSettled: () => Promise<void>;
  /** Makes the rows anew from the log. */
  readonly healIndex: (cause: unknown) => Promise<void>;
  /** Runs something with the room that a full disk keeps for deleting. */
  readonly onReserve: <Result>(run: () => Promise<Result>) => Promise<Result>;
}

const WAIT_MS = 100;

export class Compactor {
  readonly #options: CompactorOptions;
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;
  readonly #unmergeable = new Set<number>();
  /** Segments to be rewritten, however little of them is dead. */
  readonly #due = new Set<number>();

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

  /**
   * A record that is no message was lost: what it has changed is only in the rows. Rewritten, the segments up to it
   * say the same; it is in the last of them, so a kill in the middle leaves nothing worse.
   */
  rewriteUpTo(number: number): void {
    for (const segment of this.#options.log.segments.all())
      if (segment.number <= number) this.#due.add(segment.number);
    this.poke();
  }

  /** Rewrites until nothing is worth it. */
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
    const { logger, healIndex } = this.#options;
    try {
      while (await this.#compactNext());
    } catch (error) {
      if (this.#stopped) return;
      logger.warn("compaction_failed", { reason: String(error) });
      if (isIndexDamage(error)) await healIndex(error).catch(() => {});
    }
  }

  /** A full disk needs it most. False when nothing is worth it. */
  async #compactNext(): Promise<boolean> {
    try {
      return await this.#compact();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return this.#options.onReserve(() => this.#compact());
    }
  }

  async #compact(): Promise<boolean> {
    const { log, logger, searchSettled } = this.#options;
    await log.freed();
    await log.segments.assertLeft();
    const chosen = await this.#next();
    if (chosen === null) return false;
    await searchSettled();
    // A clear may have taken the files meanwhile.
    if (!areCurrent(chosen, log)) return true;
    const isMending = chosen.some(({ number }) => this.#due.has(number));
    await compactSegments(chosen, isMending, this.#options);
    for (const { number } of chosen) this.#due.delete(number);
    await log.freed();
    const bytes = chosen.reduce((sum, { size }) => sum + size, 0);
    logger.debug("segment_compacted", { segment: chosen[0].number, of: chosen.length, bytes });
    return true;
  }

  async #next(): Promise<[Segment, ...Segment[]] | null> {
    if (this.#stopped) return null;
    const { log, between } = this.#options;
    const [first, ...others] = this.#choose();
    if (first === undefined) return null;
    await between(() => this.#goOnBehind(others.at(-1) ?? first));
    const segment = log.segments.get(first.number);
    if (segment === undefined) return null;
    return [segment, ...others.flatMap(({ number }) => log.segments.get(number) ?? [])];
  }

  /** Segments are chosen again without those that turn out not to be merged. */
  #choose(): readonly SegmentUse[] {
    const segments = this.#segments();
    const due = segments.find(({ number }) => this.#due.has(number));
    if (due !== undefined && this.#options.rows.segments.lacking().length === 0) return [due];
    for (;;) {
      const chosen = chooseSegments(this.#segments(), this.#options);
      const apart = chosen.length < 2 ? undefined : chosen.find(({ number }) => !this.#canMerge(number));
      if (apart === undefined) return chosen;
      this.#unmergeable.add(apart.number);
    }
  }

  /**
   * What may say something of messages in a segment that is missing or cut short stays as it is: what was deleted there
   * would be back with its file. Nor is anything merged up to there, across the place of one.
   */
  #segments(): SegmentUse[] {
    const { log, rows } = this.#options;
    const dead = new Map(rows.segments.all().map(({ number, dead_bytes }) => [number, dead_bytes]));
    const active = log.segments.active.number;
    const lacking = rows.segments.lacking();
    const tellsOfLacking = (number: number) =>
      lacking.some((one) => one.number <= number && number <= one.newest);
    return log.segments.all().map(({ number, size }) => ({
      number,
      size,
      dead: tellsOfLacking(number) ? 0 : (dead.get(number) ?? 0),
      isActive: number === active,
      staysAlone: lacking.some(({ newest }) => number <= newest) || this.#unmergeable.has(number),
    }));
  }

  /** What is merged has one head: it must be readable, and no clear may lie in between. */
  #canMerge(number: number): boolean {
    const { dir, salt, log, rows } = this.#options;
    const segment = log.segments.get(number);
    const head = segment === undefined ? null : readHead(dir.log, segment, salt);
    return head !== null && head.cleared_seq === rows.state.cleared_seq;
  }

  /**
   * A segment that is written on, or at which the rows stand, is left for the active one before it is rewritten: the
   * rows expect the segment where they stand to be as long as it was at their last commit.
   */
  #goOnBehind({ number }: SegmentUse): void {
    const { log, rows } = this.#options;
    if (number === log.segments.active.number && !log.roll())
      throw new StoreError("disk_full", "there is no room for a new segment");
    if (rows.state.segment <= number) goOnIn(rows, log.segments.active);
  }
}
