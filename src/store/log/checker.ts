// Looks for damage in records that the rows already know: a flipped bit in an old segment would otherwise
// show only when somebody reads that message. The newest bytes are checked before the store serves, the
// rest in the background.
import type { Logger } from "../../lib/logger.ts";
import type { MessageRow } from "../rows/row.ts";
import type { Rows } from "../rows/rows.ts";
import { type DataDir, setAside } from "./data-dir.ts";
import type { FileLog } from "./file-log.ts";
import { loadSegment, readSegment, type Segment } from "./segment.ts";

export interface CheckerOptions {
  readonly dir: DataDir;
  readonly salt: number;
  readonly log: FileLog;
  readonly rows: Rows;
  readonly logger: Logger;
  readonly setAside: (damaged: readonly MessageRow[]) => Promise<unknown>;
}

const CHECKED_AT_START_BYTES = 32 << 20;
const PAUSE_MS = 100;

export class Checker {
  readonly #options: CheckerOptions;
  /** What is still to be checked, the newest last. */
  readonly #segments: number[];
  #timer: Timer | null = null;

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#segments = [...options.log.segments.keys()];
  }

  async checkNewest(): Promise<void> {
    const damaged: MessageRow[] = [];
    for (let budget = CHECKED_AT_START_BYTES; this.#segments.length > 0; ) {
      const segment = this.#options.log.segments.get(this.#segments.at(-1) ?? 0);
      if (segment !== undefined && segment.size > budget) break;
      this.#segments.pop();
      if (segment === undefined) continue;
      budget -= segment.size;
      damaged.push(...this.#findDamaged(segment));
    }
    if (damaged.length > 0) await this.#options.setAside(damaged);
  }

  /** Goes on with one segment at a time, with pauses. */
  checkRest(): void {
    const segment = this.#options.log.segments.get(this.#segments.pop() ?? 0);
    if (segment === undefined) return;
    this.#timer = setTimeout(() => void this.#checkOne(segment), PAUSE_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#segments.length = 0;
  }

  async #checkOne(segment: Segment): Promise<void> {
    try {
      const damaged = this.#findDamaged(segment);
      if (damaged.length > 0) await this.#options.setAside(damaged);
    } catch (error) {
      this.#options.logger.warn("log_check_failed", { segment: segment.number, reason: String(error) });
    }
    if (this.#timer !== null) this.checkRest();
  }

  /** The messages of this segment whose records are damaged; what is left of them is copied aside. */
  #findDamaged({ number, generation }: Segment): MessageRow[] {
    const { dir, salt, log, rows, logger } = this.#options;
    // A compaction may have replaced the file since.
    const segment = log.segments.get(number);
    if (segment === undefined || segment.generation !== generation) return [];
    const bytes = loadSegment(dir.log, segment);
    const damaged: MessageRow[] = [];
    for (const entry of readSegment(bytes, 0, salt)) {
      if (entry.kind !== "damaged" || entry.at >= segment.size) continue;
      const hit = rows
        .within({ segment: number, at: entry.at }, entry.end)
        .filter(({ body_at }) => body_at > 0);
      if (hit.length === 0) continue;
      const copy = setAside(
        dir,
        `${number}-${generation}-${entry.at}.bin`,
        bytes.subarray(entry.at, entry.end),
      );
      for (const { id } of hit) logger.error("message_damaged", { id, segment: number, at: entry.at, copy });
      damaged.push(...hit);
    }
    return damaged;
  }
}
