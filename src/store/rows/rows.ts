// The row index: one SQLite connection on the main thread, written with the group that commits.
// Counters live in memory and in the `state` row, so that totals cost nothing.
import type { Database, Statement } from "bun:sqlite";
import { foldCase } from "../../lib/fold.ts";
import { firstUlidAt } from "../../lib/ulid.ts";
import type { MessageChange, MessageFilter } from "../../model/index.ts";
import type { LogPosition, Place } from "../log/log.ts";
import { type SeqRange, type SqlPart, selectAmong, selectSeqs } from "./filter-sql.ts";
import { type MessageRow, ROW_COLUMNS } from "./row.ts";
import { RowsTransaction } from "./transaction.ts";

export interface RowsState {
  /** Log position up to which the rows are complete. */
  segment: number;
  at: number;
  last_seq: number;
  last_id: string;
  /** Everything up to this seq was removed by a clear. */
  cleared_seq: number;
  messages: number;
  unread: number;
  bytes: number;
}

export interface SegmentRow {
  readonly number: number;
  readonly generation: number;
  /** 0 while the segment is still written to. */
  readonly size: number;
  readonly dead_bytes: number;
}

/** Most statements are few and fixed; those built from filters are bounded by this. */
const MAX_CACHED_STATEMENTS = 200;
const ASCII = /^[\x00-\x7f]*$/;

const foldedUnlessAscii = (text: string): string | null => (ASCII.test(text) ? null : foldCase(text));

export class Rows {
  #db!: Database;
  #insert!: Statement;
  #byId!: Statement<MessageRow, [string]>;
  #bySeq!: Statement<MessageRow, [number]>;
  #saveState!: Statement;
  #transaction!: RowsTransaction;
  readonly #statements = new Map<string, Statement>();
  #state!: RowsState;
  #stateBefore: RowsState | null = null;
  /** Bytes that died in the open transaction, by segment. */
  readonly #died = new Map<number, number>();

  /** Counts the databases these rows have had: whoever worked on an older one must begin again. */
  #life = 0;

  constructor(db: Database) {
    this.use(db);
  }

  get life(): number {
    return this.#life;
  }

  /** Goes on with another database, after `finish` has let go of the one before. */
  use(db: Database): void {
    this.#life++;
    this.#db = db;
    this.#insert = db.prepare("INSERT INTO message VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    this.#byId = db.prepare(`SELECT ${ROW_COLUMNS} FROM message WHERE id = ?`);
    this.#bySeq = db.prepare(`SELECT ${ROW_COLUMNS} FROM message WHERE seq = ?`);
    this.#saveState = db.prepare(
      "UPDATE state SET segment=?, at=?, last_seq=?, last_id=?, cleared_seq=?, messages=?, unread=?, bytes=? WHERE one = 1",
    );
    this.#state = { ...(db.query("SELECT * FROM state").get() as RowsState) };
    this.#transaction = new RowsTransaction(
      db,
      () => this.#writeState(),
      (row) => this.#writeRow(row),
    );
  }

  get state(): Readonly<RowsState> {
    return this.#state;
  }

  begin(): void {
    this.#stateBefore = { ...this.#state };
    this.#transaction.begin();
  }

  /** `soon` is for a group that has done nothing but insert. */
  commit({ segment, at }: LogPosition, when: "now" | "soon" = "now"): void {
    const state = this.#state;
    const isNextSegment = segment !== state.segment;
    if (isNextSegment && state.segment !== 0) this.#sealSegment(state.segment, state.at);
    this.#saveDead();
    state.segment = segment;
    state.at = at;
    if (when === "soon" && !isNextSegment) this.#transaction.commitSoon();
    else this.#transaction.commit();
    this.#stateBefore = null;
  }

  rollback(): void {
    this.#died.clear();
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

  change(row: MessageRow, change: MessageChange): MessageRow {
    const changed: MessageRow = {
      ...row,
      is_read: change.is_read === undefined ? row.is_read : Number(change.is_read),
      is_starred: change.is_starred === undefined ? row.is_starred : Number(change.is_starred),
      tags:
        change.tags === undefined ? row.tags : change.tags.length > 0 ? JSON.stringify(change.tags) : null,
    };
    this.#change(
      "UPDATE message SET is_read = ?, is_starred = ?, tags = ? WHERE seq = ?",
      changed.is_read,
      changed.is_starred,
      changed.tags,
      row.seq,
    );
    if (change.tags !== undefined) {
      this.#deleteTags(row);
      this.#insertTags(row.seq, change.tags);
    }
    this.#state.unread += row.is_read - changed.is_read;
    return changed;
  }

  delete(row: MessageRow): void {
    this.#change("DELETE FROM message WHERE seq = ?", row.seq);
    this.#deleteTags(row);
    this.#change("INSERT OR IGNORE INTO unsearched_delete VALUES (?)", row.seq);
    this.#died.set(
      row.segment,
      (this.#died.get(row.segment) ?? 0) + (row.body_at === 0 ? 0 : row.body_at + row.size),
    );
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
    this.#died.clear();
    for (const table of ["message", "tag", "unsearched_delete", "segment"])
      this.#change(`DELETE FROM ${table}`);
    // The files of the segments are dropped, so the one being written is not to be sealed.
    this.#state = { ...this.#state, segment: 0, cleared_seq: upTo, messages: 0, unread: 0, bytes: 0 };
  }

  /** Only a log whose clear was damaged needs this: newer messages were seen before the clear. */
  #clearOlder(upTo: number): void {
    this.#state.cleared_seq = upTo;
    for (const seq of this.seqs({}, { before: upTo + 1 }, -1)) {
      const row = this.bySeq(seq);
      if (row !== null) this.delete(row);
    }
  }

  byId(id: string): MessageRow | null {
    this.#transaction.settle();
    return this.#byId.get(id);
  }

  /** The rows of these ids, each once; those that name nothing are left out. */
  byIds(ids: Iterable<string>): MessageRow[] {
    const found: MessageRow[] = [];
    for (const id of new Set(ids)) {
      const row = this.byId(id);
      if (row !== null) found.push(row);
    }
    return found;
  }

  bySeq(seq: number): MessageRow | null {
    this.#transaction.settle();
    return this.#bySeq.get(seq);
  }

  seqOf(id: string): number | null {
    return this.byId(id)?.seq ?? null;
  }

  /** Rows that match, newest first. */
  page(filter: MessageFilter, range: SeqRange, limit: number, offset: number): MessageRow[] {
    const { sql, params } = pageSql(filter, range);
    const seqs = this.#all<{ seq: number }>(sql, ...params, limit, offset);
    return this.rowsOf(seqs.map(({ seq }) => seq));
  }

  /** The rows of these seqs, in the order given; those that are gone are left out. */
  rowsOf(seqs: Iterable<number>): MessageRow[] {
    const rows: MessageRow[] = [];
    for (const seq of seqs) {
      const row = this.bySeq(seq);
      if (row !== null) rows.push(row);
    }
    return rows;
  }

  count(filter: MessageFilter): number {
    const asked = conditionsIn(filter);
    if (asked.length === 0) return this.#state.messages;
    if (asked.length === 1 && asked[0] === "unread") return this.#state.unread;
    const { sql, params } = selectSeqs(filter);
    return this.#all<{ n: number }>(`SELECT count(*) AS n FROM (${sql})`, ...params)[0]?.n ?? 0;
  }

  /** Seqs of all that match, oldest first. */
  seqs(filter: MessageFilter, range: SeqRange, limit: number): number[] {
    const { sql, params } = selectSeqs(filter, range);
    // One string with all numbers is several times faster than one object for each.
    const list = `SELECT json_group_array(seq) AS list FROM (${sql} ORDER BY seq LIMIT ?)`;
    return JSON.parse(this.#all<{ list: string }>(list, ...params, limit)[0]?.list ?? "[]");
  }

  /** Those of the seqs that match the filter, in the order given. */
  keep(seqs: Iterable<number>, filter: MessageFilter): number[] {
    const { sql, params } = selectAmong(filter);
    return this.#all<{ seq: number }>(sql, JSON.stringify([...seqs]), ...params).map(({ seq }) => seq);
  }

  /** The rows that follow this seq, oldest first. */
  after(seq: number, limit: number): MessageRow[] {
    return this.#all(`SELECT ${ROW_COLUMNS} FROM message WHERE seq > ? ORDER BY seq LIMIT ?`, seq, limit);
  }

  /** The seq of the newest message whose id is not after this one; 0 when there is none. */
  lastSeqUpTo(id: string): number {
    const found = this.#all<{ seq: number }>(
      "SELECT seq FROM message WHERE id <= ? ORDER BY id DESC LIMIT 1",
      id,
    );
    return found[0]?.seq ?? 0;
  }

  tags(): { tag: string; count: number }[] {
    return this.#all("SELECT tag, count(*) AS count FROM tag GROUP BY tag ORDER BY tag");
  }

  /** The oldest rows that retention may remove. */
  oldest(keepStarred: boolean, before: Date | undefined, limit: number): MessageRow[] {
    const clauses: string[] = [];
    const params: (string | number)[] = [];
    if (keepStarred) clauses.push("is_starred = 0");
    if (before !== undefined) {
      clauses.push("seq <= ?");
      params.push(this.lastSeqUpTo(firstUlidAt(before.getTime())));
    }
    const where = clauses.length > 0 ? `WHERE ${clauses.join(" AND ")}` : "";
    return this.#all(`SELECT ${ROW_COLUMNS} FROM message ${where} ORDER BY seq LIMIT ?`, ...params, limit);
  }

  largeRows(): MessageRow[] {
    return this.#all(`SELECT ${ROW_COLUMNS} FROM message WHERE body_at = 0`);
  }

  /** Sealed segments, and the active one if something in it is dead. */
  segments(): SegmentRow[] {
    return this.#all("SELECT * FROM segment ORDER BY number");
  }

  /** A compaction has rewritten this segment. */
  replaceSegment({ number, generation, size, dead_bytes }: SegmentRow): void {
    this.#change(
      "UPDATE segment SET generation = ?, size = ?, dead_bytes = ? WHERE number = ?",
      generation,
      size,
      dead_bytes,
      number,
    );
  }

  setGeneration(number: number, generation: number): void {
    this.#change("UPDATE segment SET generation = ? WHERE number = ?", generation, number);
  }

  dropSegment(number: number): void {
    this.#change("DELETE FROM segment WHERE number = ?", number);
  }

  /** False when the message is gone. */
  move(seq: number, { segment, at, body_at }: Place): boolean {
    this.#transaction.open();
    const move = this.#statement("UPDATE message SET segment = ?, at = ?, body_at = ? WHERE seq = ?");
    return move.run(segment, at, body_at, seq).changes > 0;
  }

  /** The messages whose records begin within these bytes of a segment. */
  within({ segment, at }: LogPosition, end: number): MessageRow[] {
    return this.#all(
      `SELECT ${ROW_COLUMNS} FROM message WHERE segment = ? AND at >= ? AND at < ?`,
      segment,
      at,
      end,
    );
  }

  /** Gives the space of removed rows back to the disk; cheap when there are few left. */
  shrink(): void {
    this.#run("VACUUM");
    this.#run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** On a full disk: what lies in the write-ahead log goes to its place, and the log's room is free. */
  giveBackSpace(): void {
    try {
      this.#run("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Not even room for that: the log goes on growing a little.
    }
  }

  /** Seqs that the text index may still hold. */
  unsearchedDeletes(): number[] {
    return this.#all<{ seq: number }>("SELECT seq FROM unsearched_delete ORDER BY seq").map(({ seq }) => seq);
  }

  forgetUnsearchedDeletes(seqs: readonly number[]): void {
    try {
      this.#run(
        "DELETE FROM unsearched_delete WHERE seq IN (SELECT value FROM json_each(?))",
        JSON.stringify(seqs),
      );
    } catch {
      // They are told again at the next start, which does no harm.
    }
  }

  #writeState(): void {
    const { segment, at, last_seq, last_id, cleared_seq, messages, unread, bytes } = this.#state;
    this.#saveState.run(segment, at, last_seq, last_id, cleared_seq, messages, unread, bytes);
  }

  #writeRow(row: MessageRow): void {
    this.#insert.run(
      row.seq,
      row.id,
      row.created,
      row.size,
      row.segment,
      row.at,
      row.body_at,
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
    );
    if (row.tags !== null) this.#insertTags(row.seq, JSON.parse(row.tags));
  }

  #sealSegment(number: number, size: number): void {
    this.#change(
      "INSERT INTO segment VALUES (?, 0, ?, 0) ON CONFLICT (number) DO UPDATE SET size = excluded.size",
      number,
      size,
    );
  }

  #saveDead(): void {
    for (const [number, bytes] of this.#died) {
      this.#change(
        "INSERT INTO segment VALUES (?, 0, 0, ?) ON CONFLICT (number) DO UPDATE SET dead_bytes = dead_bytes + excluded.dead_bytes",
        number,
        bytes,
      );
    }
    this.#died.clear();
  }

  #insertTags(seq: number, tags: readonly string[]): void {
    for (const tag of tags) this.#run("INSERT OR IGNORE INTO tag VALUES (?, ?)", tag, seq);
  }

  #deleteTags(row: MessageRow): void {
    if (row.tags === null) return;
    for (const tag of JSON.parse(row.tags))
      this.#change("DELETE FROM tag WHERE tag = ? AND seq = ?", tag, row.seq);
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#dropStatements();
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #dropStatements(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }

  #run(sql: string, ...params: (string | number | null)[]): void {
    this.#statement(sql).run(...params);
  }

  /** Runs a statement as a part of the group. */
  #change(sql: string, ...params: (string | number | null)[]): void {
    this.#transaction.open();
    this.#run(sql, ...params);
  }

  #all<Row>(sql: string, ...params: (string | number | null)[]): Row[] {
    this.#transaction.settle();
    return this.#statement(sql).all(...params) as Row[];
  }

  /** Saves what waits and lets go of the database without closing it. */
  finish(): void {
    this.#died.clear();
    this.#stateBefore = null;
    this.#transaction.close();
    this.#dropStatements();
    for (const statement of [this.#insert, this.#byId, this.#bySeq, this.#saveState]) statement.finalize();
  }
}

/** A page of seqs, newest first; the two last parameters are limit and offset. */
export function pageSql(filter: MessageFilter, range: SeqRange): SqlPart {
  const { sql, params } = selectSeqs(filter, range);
  return { sql: `${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`, params };
}

/** The names of the fields that filter anything here. */
const conditionsIn = (filter: MessageFilter): string[] =>
  Object.entries(filter)
    .filter(([name, value]) => name !== "q" && value !== undefined && !isNoTags(value))
    .map(([name]) => name);

const isNoTags = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
