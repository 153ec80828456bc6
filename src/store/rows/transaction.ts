// The transaction of the rows. New messages are in the log, and after a crash their rows are made again from
// there. So a row waits a moment before it is written, and its transaction a moment before it is committed:
// whoever reads has the waiting ones written first, whatever else changes is committed at once with all of them.
import type { Database } from "bun:sqlite";
import type { MessageRow } from "./row.ts";

const MAX_WAIT_MS = 100;
const MAX_WAITING_ROWS = 500;

export class RowsTransaction {
  readonly #db: Database;
  readonly #saveState: () => void;
  readonly #write: (rows: readonly MessageRow[]) => void;
  /** Rows of groups that are not committed yet, and where those of the group in hand begin. */
  #rows: MessageRow[] = [];
  #groupStart = 0;
  /** How many of them are written, that is, visible to readers. None when SQLite has ended the transaction by itself. */
  #written = 0;
  #timer: Timer | null = null;

  constructor(db: Database, saveState: () => void, write: (rows: readonly MessageRow[]) => void) {
    this.#db = db;
    this.#saveState = saveState;
    this.#write = write;
  }

  begin(): void {
    this.#groupStart = this.#rows.length;
  }

  insert(row: MessageRow): void {
    this.#rows.push(row);
  }

  /** Makes every row visible. */
  settle(): void {
    if (this.#written > 0 && !this.#db.inTransaction) this.#written = 0;
    if (this.#written < this.#rows.length) this.#writeRows();
  }

  /** Makes every row visible, and what is changed next a part of the transaction. */
  open(): void {
    this.settle();
    if (!this.#db.inTransaction) this.#db.run("BEGIN IMMEDIATE");
  }

  /** Ends a group that has done nothing but insert. */
  commitSoon(): void {
    if (this.#rows.length > MAX_WAITING_ROWS) {
      this.commit();
      return;
    }
    this.#groupStart = this.#rows.length;
    this.#commitLater();
  }

  commit(): void {
    this.#stopTimer();
    this.open();
    this.#saveState();
    this.#db.run("COMMIT");
    this.#rows = [];
    this.#groupStart = 0;
    this.#written = 0;
  }

  /** Takes back the group in hand; those before it were acknowledged and stay. */
  rollback(): void {
    this.#rows.length = this.#groupStart;
    this.#startOver();
  }

  /** What cannot be saved any more is made from the log at the next start. */
  close(): void {
    try {
      if (this.#rows.length > 0) this.commit();
    } catch {
      this.#startOver();
    } finally {
      this.#stopTimer();
    }
  }

  /** Where that fails, some of them may be written, or SQLite has taken back all that were. */
  #writeRows(): void {
    if (!this.#db.inTransaction) this.#db.run("BEGIN IMMEDIATE");
    try {
      this.#write(this.#rows.slice(this.#written));
      this.#written = this.#rows.length;
    } catch (error) {
      this.#startOver();
      throw error;
    }
  }

  #commitLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      try {
        this.commit();
      } catch {
        // The rows stay; the next group tries again and is the one to report it.
        this.#startOver();
      }
    }, MAX_WAIT_MS);
  }

  #startOver(): void {
    if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    this.#written = 0;
    if (this.#rows.length > 0) this.#commitLater();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
