// Damaged bytes of the log: kept aside for a person to look at, and named in one line, once.
import type { Logger } from "../../lib/logger.ts";
import { type DataDir, setAside } from "./data-dir.ts";
import { type DamagedBytes, type SegmentName, segmentFileName } from "./segment.ts";

export class DamageReport {
  readonly #dir: DataDir;
  readonly #logger: Logger;
  /** By segment and place. */
  readonly #reported = new Set<string>();

  constructor(dir: DataDir, logger: Logger) {
    this.#dir = dir;
    this.#logger = logger;
  }

  /** Whether damage was found since the start. */
  get hasAny(): boolean {
    return this.#reported.size > 0;
  }

  add(segment: SegmentName, bytes: Buffer, { at, end }: DamagedBytes): void {
    const file = segmentFileName(segment);
    const place = `${file}-${at}`;
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    const copy = setAside(this.#dir, `${place}.bin`, bytes.subarray(at, end));
    this.#logger.error("log_damaged", { file, at, bytes: end - at, copy });
  }
}
