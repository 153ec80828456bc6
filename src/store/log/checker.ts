// Looks for damage in records that the rows already know, and in large bodies: a flipped bit would otherwise
// show only when somebody reads that message. The newest records are checked before the store serves, the
// rest in the background.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { type MessageRow, recordBytes } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import { type DataDir, damagedName, setAside } from "./data-dir.ts";
import type { Bodies } from "./log.ts";
import { loadSegment, mayHoldNotes, readSegment, type Segment } from "./segment.ts";
import type { SegmentFiles } from "./segment-files.ts";

export interface CheckerOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly segments: SegmentFiles;
  readonly bodies: Bodies;
  readonly rows: Rows;
  readonly logger: Logger;
  /** Says again, up to this segment, what a record that is lost has changed. */
  readonly rewriteUpTo: (segment: number) => void;
  readonly setAside: (damaged: readonly MessageRow[]) => Promise<unknown>;
  /** Makes the rows anew from the log. */
  readonly healIndex: () => Promise<void>;
  /** Reads a large body; reports it and takes it out when it is damaged. */
  readonly isSound: (seq: number) => Promise<boolean>;
}

const CHECKED_AT_START_BYTES = 32 << 20;
const PAUSE_MS = 100;

export class Checker {
  readonly #options: CheckerOptions;
  /** What is still to be checked, the newest last. */
  readonly #segments: number[];
  /** Large messages still to be checked, the newest last; listed when the segments are done. */
  #large: number[] | null = null;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#segments = options.segments.all().map(({ number }) => number);
  }

  async checkNewest(): Promise<void> {
    for (let budget = CHECKED_AT_START_BYTES; this.#segments.length > 0; ) {
      const segment = this.#options.segments.get(this.#segments.at(-1) ?? 0);
      if (segment !== undefined && segment.size > budget) break;
      this.#segments.pop();
      if (segment === undefined) continue;
      budget -= segment.size;
      await this.#takeOut(this.#findDamaged(segment));
    }
  }

  /** Goes on with one segment, then one large body at a time, with pauses. */
  checkRest(): void {
    this.#later(PAUSE_MS);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #later(pause: number): void {
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#checkNext(), pause);
  }

  /** Rests at least as long as it worked. */
  async #checkNext(): Promise<void> {
    const start = performance.now();
    try {
      if (!(await this.#checkOne())) return;
    } catch (error) {
      if (!this.#stopped) this.#options.logger.warn("log_check_failed", { reason: String(error) });
    }
    this.#later(Math.max(PAUSE_MS, performance.now() - start));
  }

  /** False when nothing is left to check. */
  async #checkOne(): Promise<boolean> {
    const { segments, rows, isSound } = this.#options;
    const number = this.#segments.pop();
    if (number !== undefined) {
      const segment = segments.get(number);
      if (segment !== undefined) await this.#takeOut(this.#findDamaged(segment));
      return true;
    }
    this.#large ??= rows.largeRows().map(({ seq }) => seq);
    const seq = this.#large.pop();
    if (seq === undefined) return false;
    await isSound(seq);
    return true;
  }

  /** Where bytes have slipped in or out, the rows point beside sound records: those must not leave. */
  async #takeOut(damaged: readonly MessageRow[]): Promise<void> {
    const { bodies, setAside, healIndex } = this.#options;
    if (damaged.length === 0) return;
    if (bodies.contradicts(damaged)) await healIndex();
    else await setAside(damaged);
  }

  /** The messages of this segment whose records are damaged; what is left of them is copied aside. */
  #findDamaged(segment: Segment): MessageRow[] {
    const { dir, salt, bodies, rows, logger, rewriteUpTo } = this.#options;
    const { number, generation } = segment;
    const bytes = loadSegment(dir.log, segment);
    const damaged: MessageRow[] = [];
    for (const entry of readSegment(bytes, 0, salt)) {
      if (entry.kind !== "damaged" || entry.at >= segment.size) continue;
      const hit = rows.within({ segment: number, at: entry.at }, entry.end);
      const name = damagedName(number, generation, entry.at);
      const isReported = hit.length === 0 && existsSync(join(dir.damaged, name));
      const copy = isReported ? null : setAside(dir, name, bytes.subarray(entry.at, entry.end));
      // Not only when it is found: a kill may have come before it was done.
      if (mayHoldNotes(bytes, entry, salt) && !covers(hit, entry)) rewriteUpTo(number);
      if (isReported) continue;
      const where = { segment: number, at: entry.at, copy };
      if (hit.length === 0) logger.error("log_record_damaged", { ...where, bytes: entry.end - entry.at });
      for (const row of hit) {
        if (row.body_at === 0) bodies.keepAside(row);
        logger.error("message_damaged", { id: row.id, ...where });
      }
      damaged.push(...hit);
    }
    return damaged;
  }
}

/** A message by itself, whose record is all that is damaged. */
function covers([row, ...others]: readonly MessageRow[], { at, end }: { at: number; end: number }): boolean {
  return row !== undefined && others.length === 0 && row.at === at && recordBytes(row) === end - at;
}
