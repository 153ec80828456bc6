// The row index: one SQLite connection on the main thread, written with the group that commits.
// Counters live in memory and in the `state` row, so that totals cost nothing. Here is what changes it.
import type { Database, Statement } from "bun:sqlite";
import type { MessageChange } from "../../model/index.ts";
import { isDiskFull } from "../errors.ts";
import type { LogPosition, Place, Removal } from "../log/log.ts";
import { changedRow, charsOf, foldedUnlessAscii, type MessageRow, recordBytes, sumOf } from "./row.ts";
import { RowQueries } from "./row-queries.ts";
import { SegmentRows } from "./segment-rows.ts";
import { type RowsState, sumOfState, valuesOf } from "./state.ts";
import { Statements } from "./statements.ts";
import { RowsTransaction } from "./transaction.ts";

type Value = string | number | null;

/** Rows go in a block at a time: a call costs as much as half a row. */
const BLOCK_ROWS = 20;
const ONE_ROW = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
const insertRows = (count: number) => `INSERT INTO message VALUES ${Array(count).fill(ONE_ROW).join(",")}`;

export class Rows extends RowQueries {
  readonly segments: SegmentRows;
  #insert!: Statement<unknown, Value[]>;
  #insertBlock!: Statement<unknown, Value[]>;
  #saveState!: Statement<unknown, Value[]>;
  #transaction!: RowsTransaction;
  #state!: RowsState;
  #stateBefore: RowsState | null = null;
  #hasSoundState = true;
  /** Counts the databases these rows have had: whoever worked on an older one must begin again. */
  #life = 0;

  constructor(db: Database) {
    const statements = new Statements();
    super(statements);
    this.segments = new SegmentRows(statements);
    this.use(db);
  }

  get life(): number {
    return this.#life;
  }

  /** Goes on with another database, after `finish` has let go of the one before. */
  use(db: Database): void {
    this.#life++;
    this.#insert = db.prepare(insertRows(1));
    this.#insertBlock = db.prepare(insertRows(BLOCK_ROWS));
    this.#saveState = db.prepare(
      "UPDATE state SET segment=?, at=?, last_seq=?, last_id=?, cleared_seq=?, last_change=?, messages=?, unread=?, bytes=?, sum=? WHERE one = 1",
    );
    const { sum, ...state } = db.query("SELECT * FROM state").get() as RowsState & { sum: number };
    this.#state = state;
    this.#hasSoundState = sum === sumOfState(state);
    this.#transaction = new RowsTransaction(
      db,
      () => this.#writeState(),
      (rows) => this.#writeRows(rows),
    );
    this.statements.use(db, this.#transaction);
  }

  get state(): Readonly<RowsState> {
    return this.#state;
  }

  /** Whether the state, as it was found, is what was written. */
  get hasSoundState(): boolean {
    return this.#hasSoundState;
  }

  begin(): void {
    this.#stateBefore = { ...this.#state };
    this.#transaction.begin();
  }

  /** `soon` is for a group that has done nothing but insert. */
  commit({ segment, at }: LogPosition, when: "now" | "soon" = "now"): void {
    const state = this.#state;
    const isNextSegment = segment !== state.segment;
    if (isNextSegment && state.segment !== 0) this.segments.seal(state.segment, state.at);
    this.segments.saveDead();
    state.segment = segment;
    state.at = at;
    if (when === "soon" && !isNextSegment) this.#transaction.commitSoon();
    else this.#transaction.commit();
    this.#stateBefore = null;
  }

  rollback(): void {
    this.segments.forgetDead();
    if (this.#stateBefore !== null) this.#state = this.#stateBefore;
    this.#stateBefore = null;
    this.#transaction.rollback();
  }

  insert(row: MessageRow): void {
    this.#transaction.insert(row);
    this.#state.messages++;
    this.#state.bytes += row.size;
    if (row.is_read === 0) this.#state.unread++;
    this.sawMessage(row.seq, row.id);
  }

  /** Seqs and ids never repeat, also when the message itself is gone. */
  sawMessage(seq: number, id: string): void {
    if (seq > this.#state.last_seq) this.#state.last_seq = seq;
    if (id > this.#state.last_id) this.#state.last_id = id;
  }

  sawChange(number: number): void {
    if (number > this.#state.last_change) this.#state.last_change = number;
  }

  change(row: MessageRow, change: MessageChange): void {
    const changed = changedRow(row, change);
    this.statements.change(
      "UPDATE message SET is_read = ?, is_starred = ?, tags = ?, sum = ? WHERE seq = ?",
      changed.is_read,
      changed.is_starred,
      changed.tags,
      sumOf(changed),
      row.seq,
    );
    if (change.tags !== undefined) {
      this.#deleteTags(row);
      this.#insertTags(row.seq, change.tags);
    }
    this.#state.unread += row.is_read - changed.is_read;
  }

  delete(row: MessageRow, why: Removal = "deleted"): void {
    this.statements.change("DELETE FROM message WHERE seq = ?", row.seq);
    this.#deleteTags(row);
    this.statements.change("INSERT OR IGNORE INTO unsearched_delete VALUES (?)", row.seq);
    if (why === "lost" && row.body_at === 0)
      this.statements.change("INSERT OR IGNORE INTO lost_body VALUES (?)", row.id);
    this.segments.addDead(row.segment, recordBytes(row));
    this.#state.messages--;
    this.#state.bytes -= row.size;
    if (row.is_read === 0) this.#state.unread--;
  }

  /** Removes everything up to this seq, by default the newest. */
  clear(upTo = this.#state.last_seq): void {
    if (upTo < this.#state.last_seq) {
      this.#clearOlder(upTo);
      return;
    }
    this.segments.forgetDead();
    for (const table of ["message", "tag", "unsearched_delete", "lost_body", "segment", "lacking"])
      this.statements.change(`DELETE FROM ${table}`);
    // The files of the segments are dropped, so the one being written is not to be sealed.
    this.#state = { ...this.#state, segment: 0, cleared_seq: upTo, messages: 0, unread: 0, bytes: 0 };
  }

  /** Only a log whose clear was damaged needs this: newer messages were seen before the clear. */
  #clearOlder(upTo: number): void {
    this.#state.cleared_seq = upTo;
    const older = this.statements.all<{ seq: number }>("SELECT seq FROM message WHERE seq <= ?", upTo);
    for (const row of this.rowsOf(older.map(({ seq }) => seq))) this.delete(row);
  }

  /** False when the message is gone. */
  move(seq: number, { segment, at, body_at }: Place): boolean {
    const sql = "UPDATE message SET segment = ?, at = ?, body_at = ? WHERE seq = ?";
    return this.statements.change(sql, segment, at, body_at, seq) > 0;
  }

  /** Gives the space of removed rows back to the disk; cheap when there are few left. A full disk may not let it. */
  shrink(): void {
    if (!this.#vacuumed()) {
      this.giveBackSpace();
      this.#vacuumed();
    }
    this.giveBackSpace();
  }

  /** False when there was no room for it. */
  #vacuumed(): boolean {
    try {
      this.statements.run("VACUUM");
      return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return false;
    }
  }

  /** On a full disk: what lies in the write-ahead log goes to its place, and the log's room is free. */
  giveBackSpace(): void {
    try {
      this.statements.run("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Not even room for that: the log goes on growing a little.
    }
  }

  forgetUnsearchedDeletes(seqs: readonly number[]): void {
    try {
      this.statements.run(
        "DELETE FROM unsearched_delete WHERE seq IN (SELECT value FROM json_each(?))",
        JSON.stringify(seqs),
      );
    } catch {
      // They are told again at the next start, which does no harm.
    }
  }

  #writeState(): void {
    this.#saveState.run(...valuesOf(this.#state), sumOfState(this.#state));
  }

  #writeRows(rows: readonly MessageRow[]): void {
    const blocksEnd = rows.length - (rows.length % BLOCK_ROWS);
    for (let from = 0; from < blocksEnd; from += BLOCK_ROWS) {
      const values: Value[] = [];
      for (let i = from; i < from + BLOCK_ROWS; i++) addValues(values, rows[i] as MessageRow);
      this.#insertBlock.run(...values);
    }
    for (const row of rows.slice(blocksEnd)) {
      const values: Value[] = [];
      addValues(values, row);
      this.#insert.run(...values);
    }
    for (const { seq, tags } of rows) if (tags !== null) this.#insertTags(seq, JSON.parse(tags));
  }

  #insertTags(seq: number, tags: readonly string[]): void {
    for (const tag of tags) this.statements.run("INSERT OR IGNORE INTO tag VALUES (?, ?)", tag, seq);
  }

  #deleteTags(row: MessageRow): void {
    if (row.tags === null) return;
    for (const tag of JSON.parse(row.tags))
      this.statements.change("DELETE FROM tag WHERE tag = ? AND seq = ?", tag, row.seq);
  }

  /** Saves what waits and lets go of the database without closing it. */
  finish(): void {
    this.segments.forgetDead();
    this.#stateBefore = null;
    this.#transaction.close();
    this.statements.finish();
    for (const statement of [this.#insert, this.#insertBlock, this.#saveState]) statement.finalize();
  }
}

/** In the order of the columns. */
function addValues(values: Value[], row: MessageRow): void {
  values.push(
    row.seq,
    row.id,
    row.created,
    row.size,
    row.segment,
    row.at,
    row.body_at,
    charsOf(row),
    row.is_read,
    row.is_starred,
    row.has_attachments,
    row.sender,
    row.recipients,
    row.subject,
    row.tags,
    foldedUnlessAscii(row.sender),
    foldedUnlessAscii(row.recipients),
    foldedUnlessAscii(row.subject),
    sumOf(row),
  );
}
