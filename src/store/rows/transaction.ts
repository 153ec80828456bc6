// The transaction of the rows. New messages are in the log, and after a crash their rows are made again from
// there: so their transaction stays open for a moment and takes in further groups, visible to every reader.
// Whatever else changes is committed at once, with all that waited.
import type { Database } from "bun:sqlite";
import type { MessageRow } from "./row.ts";

const MAX_OPEN_MS = 100;
const MAX_OPEN_ROWS = 500;

export class RowsTransaction {
  readonly #db: Database;
  readonly #saveState: () => void;
  readonly #insert: (row: MessageRow) => void;
  /** New rows of the group in hand, and of groups before it that are not committed yet. */
  #fresh: MessageRow[] = [];
  #waiting: MessageRow[] = [];
  #timer: Timer | null = null;

  constructor(db: Database, saveState: () => void, insert: (row: MessageRow) => void) {
    this.#db = db;
    this.#saveState = saveState;
    this.#insert = insert;
  }

  begin(): void {
    if (!this.#db.inTransaction) this.#db.run("BEGIN IMMEDIATE");
  }

  insert(row: MessageRow): void {
    this.#insert(row);
    this.#fresh.push(row);
  }

  /** Ends a group that has done nothing but insert. */
  commitSoon(): void {
    if (this.#waiting.length + this.#fresh.length > MAX_OPEN_ROWS) {
      this.commit();
      return;
    }
    this.#waiting.push(...this.#fresh);
    this.#fresh = [];
    this.#timer ??= setTimeout(() => this.#commitWaiting(), MAX_OPEN_MS);
  }

  commit(): void {
    this.#stopTimer();
    this.#saveState();
    this.#db.run("COMMIT");
    this.#fresh = [];
    this.#waiting = [];
  }

  /** Takes back the group in hand; those before it were acknowledged and stay. */
  rollback(): void {
    this.#fresh = [];
    if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    if (this.#waiting.length === 0) return;
    this.begin();
    for (const row of this.#waiting) this.#insert(row);
    this.#timer ??= setTimeout(() => this.#commitWaiting(), MAX_OPEN_MS);
  }

  /** What cannot be saved any more is made from the log at the next start. */
  close(): void {
    this.#stopTimer();
    try {
      if (this.#db.inTransaction) this.commit();
    } catch {
      this.#db.run("ROLLBACK");
    }
  }

  #commitWaiting(): void {
    this.#timer = null;
    try {
      if (this.#db.inTransaction) this.commit();
    } catch {
      // The rows stay visible; the next group tries again and is the one to report it.
      this.rollback();
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
