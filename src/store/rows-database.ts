// The database that holds the rows, which may be exchanged for another while they are in use: for one made anew from
// the log where it is damaged, for one in memory where a full disk needs its room.
import type { Database } from "bun:sqlite";
import { closeDerived, derivedBytes } from "./derived-db.ts";
import { catchUp, type RecoveryOptions, tidyFiles } from "./log/recovery.ts";
import type { SegmentFiles } from "./log/segment-files.ts";
import type { OpenRows } from "./open-rows.ts";
import { type MakeRows, makeRowsAnew, makeRowsInMemory } from "./rows-anew.ts";

export interface RowsDatabaseOptions {
  readonly recovery: RecoveryOptions;
  readonly segments: SegmentFiles;
  /** `hasLost`: records of the log turned out to be damaged. */
  readonly onExchanged: (hasLost: boolean) => void;
}

/** More would take long to make anew, and much memory. */
const MAX_GIVEN_UP_BYTES = 64 << 20;

export class RowsDatabase {
  readonly #opened: Pick<OpenRows, "rows" | "knowLacking">;
  readonly #options: RowsDatabaseOptions;
  #db: Database;
  /** Of its file; `:memory:` without one. */
  #path: string;

  constructor(opened: OpenRows, options: RowsDatabaseOptions) {
    this.#opened = opened;
    this.#options = options;
    this.#db = opened.db;
    this.#path = opened.path;
  }

  rebuild(): Promise<void> {
    return this.#exchange(makeRowsAnew);
  }

  canBeGivenUp(): boolean {
    const { dir } = this.#options.recovery;
    return this.#path !== ":memory:" && derivedBytes(dir.rows) <= MAX_GIVEN_UP_BYTES;
  }

  /** Has the rows go on in memory; `onFreed` can take the room before others do. */
  giveUp(onFreed: () => void): Promise<void> {
    return this.#exchange(makeRowsInMemory, onFreed);
  }

  close(): void {
    closeDerived(this.#db, this.#path);
  }

  async #exchange(make: MakeRows, onTaken = () => {}): Promise<void> {
    const { rows, knowLacking } = this.#opened;
    const { recovery, segments, onExchanged } = this.#options;
    const made = await make(recovery.dir.rows, segments.all(), knowLacking, recovery);
    rows.finish();
    this.#db.close();
    ({ db: this.#db, path: this.#path } = made.take());
    onTaken();
    rows.use(this.#db);
    // A file that cannot be trusted right after it was written is an empty one by now.
    const damages = [...made.damages, ...(await catchUp(rows, segments.all(), recovery))];
    knowLacking(rows);
    const { isDamaged } = tidyFiles(rows, segments.all(), damages, recovery);
    onExchanged(isDamaged);
  }
}
