// The row index: one SQLite connection on the main thread. Entries of the log are applied lazily: they wait in memory
// until somebody reads, and their transaction a moment longer. After a kill they are read from the log again.
import type { Database, Statement } from "bun:sqlite";
import type { Logger } from "../../lib/logger.ts";
import { asStoreError } from "../errors.ts";
import type { ChangeRecord, DeleteRecord, LogEntry, MessageRecord, Place } from "../log/log.ts";
import { closeIndex, shrinkIndex } from "../sqlite.ts";
import { folded, foldedUnlessAscii, type MessageRow, ROW_COLUMNS, tagList, tagsOf } from "./row.ts";

type Value = string | number | null;

const COMMIT_AFTER_MS = 100;
const MAX_WAITING = 500;
/** About what the record of a large message takes up; near enough to judge what a segment is worth. */
const LARGE_RECORD_BYTES = 300;
const BY_SEQ = `SELECT ${ROW_COLUMNS} FROM message WHERE seq = ?`;
const INSERT = "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const UPDATE = "UPDATE message SET is_read = ?, is_starred = ?, tags = ?, changed = ? WHERE seq = ?";
const ADD_DEAD = `INSERT INTO segment VALUES (?1, 0, ?2)
  ON CONFLICT DO UPDATE SET dead_bytes = dead_bytes + excluded.dead_bytes`;
const SAVE_GENERATION = `INSERT INTO segment VALUES (?, ?, 0)
  ON CONFLICT DO UPDATE SET generation = excluded.generation`;

export interface RowsState {
  /** The number of the last record that was applied. */
  applied: number;
  messages: number;
  unread: number;
  bytes: number;
}

/** What is dead in a segment, about. */
export interface SegmentUse {
  readonly number: number;
  readonly generation: number;
  readonly dead_bytes: number;
}

export class Rows {
  readonly #db: Database;
  readonly #insertion: Statement;
  readonly #logger: Logger;
  /** Entries that are not committed yet; the first `#written` of them are in the open transaction. */
  #waiting: LogEntry[] = [];
  #written = 0;
  #state: RowsState;
  #timer: Timer | null = null;
  #isDamaged = false;

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#insertion = db.prepare(INSERT);
    this.#logger = logger;
    this.#state = this.#savedState();
  }

  /** Never fails: what cannot be written now is written before the next read, or at the next start. */
  apply(entries: readonly LogEntry[]): void {
    this.#waiting.push(...entries);
    const clears = entries.some(({ record }) => record.kind === "clear");
    if (clears || this.#waiting.length >= MAX_WAITING) this.#commitIfPossible();
    else this.#commitLater();
    if (clears) this.#shrink();
  }

  /** SQLite has found the file damaged: it is to be removed after `close`. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  get state(): Readonly<RowsState> {
    this.#settle();
    return this.#state;
  }

  /** Whoever asks sees every entry that was applied. */
  all<Row>(sql: string, ...params: Value[]): Row[] {
    return this.#asked(() => this.#db.query<Row, Value[]>(sql).all(...params));
  }

  first<Row>(sql: string, ...params: Value[]): Row | null {
    return this.#asked(() => this.#db.query<Row, Value[]>(sql).get(...params));
  }

  bySeq(seq: number): MessageRow | null {
    return this.first(BY_SEQ, seq);
  }

  byId(id: string): MessageRow | null {
    return this.first(`SELECT ${ROW_COLUMNS} FROM message WHERE id = ?`, id);
  }

  /** The segment of the newest message; 0 without any. */
  lastSegment(): number {
    const sql = "SELECT segment FROM message ORDER BY seq DESC LIMIT 1";
    return this.first<{ segment: number }>(sql)?.segment ?? 0;
  }

  segments(): SegmentUse[] {
    return this.all("SELECT number, generation, dead_bytes FROM segment");
  }

  /** Of these deleted messages, those whose records are still in the log. */
  hasTombstone(seqs: readonly number[]): boolean {
    const sql = "SELECT 1 FROM json_each(?) JOIN tombstone ON seq = value LIMIT 1";
    return this.first(sql, JSON.stringify(seqs)) !== null;
  }

  /** Whether the change of this number is the last one of any of these. */
  isLastChange(number: number, seqs: readonly number[]): boolean {
    const sql = "SELECT 1 FROM json_each(?) JOIN message ON seq = value WHERE changed = ? LIMIT 1";
    return this.first(sql, JSON.stringify(seqs), number) !== null;
  }

  /** Says which file of a segment the rows point to, before a compaction writes another one. */
  saveGeneration({ number, generation }: { number: number; generation: number }): void {
    this.#settle();
    this.#guarded(() => {
      this.#begin();
      this.#run(SAVE_GENERATION, number, generation);
    });
    this.commit();
  }

  /** A compaction has written the segment anew, with these messages in it. */
  relocate(segment: { number: number; generation: number }, places: ReadonlyMap<number, Place>): void {
    const { number, generation } = segment;
    this.#settle();
    this.#guarded(() => {
      this.#begin();
      const kept = JSON.stringify([...places.keys()]);
      for (const [seq, { at, body_at }] of places)
        this.#run("UPDATE message SET at = ?, body_at = ? WHERE seq = ?", at, body_at, seq);
      this.#run(
        "DELETE FROM tombstone WHERE segment = ? AND seq NOT IN (SELECT value FROM json_each(?))",
        number,
        kept,
      );
      this.#run("INSERT OR REPLACE INTO segment VALUES (?, ?, 0)", number, generation);
    });
    this.commit();
  }

  commit(): void {
    this.#settle();
    if (!this.#db.inTransaction) return;
    this.#guarded(() => {
      const { applied, messages, unread, bytes } = this.#state;
      const sql = "UPDATE state SET applied = ?, messages = ?, unread = ?, bytes = ?";
      this.#run(sql, applied, messages, unread, bytes);
      this.#db.run("COMMIT");
    });
    this.#waiting = [];
    this.#written = 0;
  }

  /** What cannot be saved any more is read from the log at the next start. */
  close(): void {
    this.#commitIfPossible();
    this.#stopTimer();
    if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    this.#insertion.finalize();
    closeIndex(this.#db);
  }

  /** Brings everything that waits into the open transaction, where this connection sees it. */
  #settle(): void {
    if (this.#written > 0 && !this.#db.inTransaction) this.#startOver();
    if (this.#written === this.#waiting.length) return;
    this.#guarded(() => {
      this.#begin();
      for (const entry of this.#waiting.slice(this.#written)) this.#write(entry);
      this.#written = this.#waiting.length;
    });
  }

  #asked<Answer>(ask: () => Answer): Answer {
    this.#settle();
    return this.#guarded(ask);
  }

  /** A failure takes the open transaction back; what it held waits for the next attempt. */
  #guarded<Answer>(run: () => Answer): Answer {
    try {
      return run();
    } catch (error) {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      this.#startOver();
      const named = asStoreError(error);
      if (named.code === "index_damaged" && !this.#isDamaged) {
        this.#isDamaged = true;
        this.#logger.error("index_damaged", { reason: String(error), advice: "restart to rebuild it" });
      }
      throw named;
    }
  }

  #startOver(): void {
    this.#written = 0;
    this.#state = this.#savedState();
    if (this.#waiting.length > 0) this.#commitLater();
  }

  #commitLater(): void {
    this.#timer ??= setTimeout(() => this.#commitIfPossible(), COMMIT_AFTER_MS);
  }

  #commitIfPossible(): void {
    this.#stopTimer();
    try {
      this.commit();
    } catch {
      // The entries wait; the next reader tries again and is told.
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #shrink(): void {
    try {
      if (!this.#db.inTransaction) shrinkIndex(this.#db);
    } catch {
      // On a full disk the file keeps its size a while longer.
    }
  }

  #savedState(): RowsState {
    return this.#db.query("SELECT applied, messages, unread, bytes FROM state").get() as RowsState;
  }

  #begin(): void {
    if (!this.#db.inTransaction) this.#db.run("BEGIN IMMEDIATE");
  }

  #run(sql: string, ...params: Value[]): number {
    return this.#db.query(sql).run(...params).changes;
  }

  #write({ record, place }: LogEntry): void {
    if (record.kind === "message") this.#insert(record, place);
    else if (record.kind === "change") this.#change(record, place);
    else if (record.kind === "delete") this.#delete(record, place);
    else this.#clear();
    this.#state.applied = record.seq;
  }

  #insert(record: MessageRecord, { segment, at, body_at }: Place): void {
    const recipients = JSON.stringify(record.recipients);
    this.#insertion.run(
      record.seq,
      record.id,
      record.time,
      record.size,
      segment,
      at,
      body_at,
      Number(record.has_attachments),
      record.sender,
      recipients,
      record.subject,
      folded(record.header_from ?? ""),
      folded(record.header_to ?? ""),
      tagList(record.tags),
      foldedUnlessAscii(record.sender),
      foldedUnlessAscii(recipients),
      foldedUnlessAscii(record.subject),
    );
    this.#insertTags(record.seq, record.tags);
    this.#state.messages++;
    this.#state.unread++;
    this.#state.bytes += record.size;
  }

  #change({ seq: changed, states }: ChangeRecord, place: Place): void {
    for (const { seqs, is_read, is_starred, tags } of states)
      for (const seq of seqs) {
        const row = this.#rowOf(seq);
        if (row === null) continue;
        this.#run(UPDATE, Number(is_read), Number(is_starred), tagList(tags), changed, seq);
        this.#deleteTags(row);
        this.#insertTags(seq, tags);
        this.#state.unread += row.is_read - Number(is_read);
      }
    this.#addDead(place.segment, place.length);
  }

  #delete({ seqs }: DeleteRecord, place: Place): void {
    for (const seq of seqs) {
      const row = this.#rowOf(seq);
      if (row === null) continue;
      this.#run("DELETE FROM message WHERE seq = ?", seq);
      this.#deleteTags(row);
      if (row.segment > 0) this.#run("INSERT INTO tombstone VALUES (?, ?)", seq, row.segment);
      this.#addDead(row.segment, row.body_at > 0 ? row.body_at + row.size : LARGE_RECORD_BYTES);
      this.#state.messages--;
      this.#state.unread -= 1 - row.is_read;
      this.#state.bytes -= row.size;
    }
    this.#addDead(place.segment, place.length);
  }

  #clear(): void {
    for (const table of ["message", "tag", "tombstone", "segment"]) this.#run(`DELETE FROM ${table}`);
    this.#state = { ...this.#state, messages: 0, unread: 0, bytes: 0 };
  }

  #rowOf(seq: number): MessageRow | null {
    return this.#db.query<MessageRow, number>(BY_SEQ).get(seq);
  }

  #insertTags(seq: number, tags: readonly string[]): void {
    for (const tag of tags) this.#run("INSERT OR IGNORE INTO tag VALUES (?, ?)", tag, seq);
  }

  #deleteTags(row: MessageRow): void {
    for (const tag of tagsOf(row)) this.#run("DELETE FROM tag WHERE tag = ? AND seq = ?", tag, row.seq);
  }

  #addDead(segment: number, bytes: number): void {
    this.#run(ADD_DEAD, segment, bytes);
  }
}
