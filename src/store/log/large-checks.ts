// Whether large bodies are still what was stored. A part of one cannot be checked by itself, so before the
// first read, and whenever its file has changed, the whole is; what was found sound is remembered.
import { statSync } from "node:fs";
import type { RecordRow } from "../rows/row.ts";

export interface LargeChecksOptions {
  readonly path: (row: RecordRow) => string;
  /** The whole body; ends in an error when it does not match its checksum. */
  readonly read: (row: RecordRow) => ReadableStream<Uint8Array>;
}

const MAX_REMEMBERED = 100_000;

export class LargeChecks {
  readonly #options: LargeChecksOptions;
  /** When the file was last written, by message. */
  readonly #sound = new Map<number, number>();
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(options: LargeChecksOptions) {
    this.#options = options;
  }

  /** Those who ask at the same time share one reading. */
  check(row: RecordRow): Promise<void> {
    const known = this.#underWay.get(row.seq);
    if (known !== undefined) return known;
    const checked = this.#check(row).finally(() => this.#underWay.delete(row.seq));
    this.#underWay.set(row.seq, checked);
    return checked;
  }

  async #check(row: RecordRow): Promise<void> {
    // Nothing is awaited before the checksum is looked up: a compaction may move the record any time.
    const { mtimeMs } = statSync(this.#options.path(row));
    if (this.#sound.get(row.seq) === mtimeMs) return;
    for await (const _ of this.#options.read(row)) {
      // The reading checks.
    }
    if (this.#sound.size >= MAX_REMEMBERED) this.#sound.clear();
    this.#sound.set(row.seq, mtimeMs);
  }
}
