// The row index: one SQLite connection on the main thread. Entries of the log wait in memory until
// a read or a timer writes them. The next start reads unsaved entries from the log again.
import type { Database, Statement } from "bun:sqlite";
import type { Logger } from "../../lib/logger.ts";
import { asStoreError, indexDamaged } from "../errors.ts";
import { removeIndex } from "../log/data-dir.ts";
import type {
  ChangeRecord,
  DeleteRecord,
  LogEntry,
  MessageRecord,
  Place,
  SettingRecord,
} from "../log/log.ts";
import { closeIndex, indexBytes, shrinkIndex } from "../sqlite.ts";
import { isWithin, type Scope, type StoreError } from "../store.ts";
import { inboxSql } from "./filter-sql.ts";
import { folded, foldedUnlessAscii, type MessageRow, ROW_COLUMNS, tagList, tagsOf } from "./row.ts";

type Value = string | number | null;

const COMMIT_AFTER_MS = 100;
const MAX_WAITING = 500;
/** The estimated size of a large message's record. It only helps to decide on a compaction. */
const LARGE_RECORD_BYTES = 300;
const BY_SEQ = `SELECT ${ROW_COLUMNS} FROM message WHERE seq = ?`;
/** One statement for all rows of a page takes a third of the time that a statement for each row takes. */
const BY_SEQS = `SELECT ${ROW_COLUMNS} FROM message WHERE seq IN (SELECT value FROM json_each(?))`;
const INSERT = "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const UPDATE = "UPDATE message SET is_read = ?, is_starred = ?, tags = ?, changed = ? WHERE seq = ?";
const ADD_DEAD = `INSERT INTO segment VALUES (?1, ?2)
  ON CONFLICT DO UPDATE SET dead_bytes = dead_bytes + excluded.dead_bytes`;
const COUNTS = `SELECT inbox, count(*) AS messages, sum(is_read = 0) AS unread, sum(size) AS bytes
  FROM message INDEXED BY message_inbox GROUP BY inbox`;

export interface MailCounts {
  messages: number;
  unread: number;
  bytes: number;
}

export class Rows {
  readonly #db: Database;
  readonly #insertion: Statement;
  readonly #logger: Logger;
  /** Entries that are not committed yet; the first `#written` of them are in the open transaction. */
  #waiting: LogEntry[] = [];
  #written = 0;
  #applied: number;
  /** The counts of each inbox that has mail; null until they are needed. */
  #counts: Map<string, MailCounts> | null = null;
  #timer: Timer | null = null;
  /** True once the file was found damaged. `close` removes it; the next start rebuilds it. */
  isDamaged = false;

  constructor(db: Database, logger: Logger) {
    this.#db = db;
    this.#insertion = db.prepare(INSERT);
    this.#logger = logger;
    this.#applied = this.#savedApplied();
  }

  /** Never fails. A timer, the next read or the next start writes what cannot be written now. */
  apply(entries: readonly LogEntry[]): void {
    this.#waiting.push(...entries);
    const clears = entries.some(({ record }) => record.kind === "clear");
    if (clears || this.#waiting.length >= MAX_WAITING) this.#commitIfPossible();
    else this.#commitLater();
    if (clears) this.#shrink();
  }

  get size(): number {
    return indexBytes(this.#db.filename);
  }

  get applied(): number {
    this.#settle();
    return this.#applied;
  }

  get inboxes(): ReadonlyMap<string, Readonly<MailCounts>> {
    this.#settle();
    this.#counts ??= new Map(
      this.all<MailCounts & { inbox: string }>(COUNTS).map(({ inbox, ...counts }) => [inbox, counts]),
    );
    return this.#counts;
  }

  countsOf(scope: Scope): Readonly<MailCounts> {
    const { inboxes } = this;
    const sum = { ...NOTHING };
    for (const name of new Set(scope ?? inboxes.keys())) add(sum, inboxes.get(name) ?? NOTHING);
    return sum;
  }

  all<Row>(sql: string, ...params: Value[]): Row[] {
    return this.#asked(() => this.#db.query<Row, Value[]>(sql).all(...params));
  }

  first<Row>(sql: string, ...params: Value[]): Row | null {
    return this.#asked(() => this.#db.query<Row, Value[]>(sql).get(...params));
  }

  bySeq(seq: number): MessageRow | null {
    return this.first(BY_SEQ, seq);
  }

  /** In the given order, without deleted messages. */
  bySeqs(seqs: readonly number[]): MessageRow[] {
    const rows = this.all<MessageRow>(BY_SEQS, JSON.stringify(seqs));
    const found = new Map(rows.map((row) => [row.seq, row]));
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  }

  /** Null also if the message is not in one of these inboxes. */
  byId(id: string, scope: Scope = null): MessageRow | null {
    const row = this.first<MessageRow>(`SELECT ${ROW_COLUMNS} FROM message WHERE id = ?`, id);
    return row !== null && isWithin(scope, row.inbox) ? row : null;
  }

  oldestIn(scope: readonly string[], limit: number): MessageRow[] {
    const sql = `SELECT ${ROW_COLUMNS} FROM message m WHERE ${inboxSql(scope)} ORDER BY seq LIMIT ?`;
    return this.all(sql, ...scope, limit);
  }

  newest(): MessageRow | null {
    return this.first(`SELECT ${ROW_COLUMNS} FROM message ORDER BY seq DESC LIMIT 1`);
  }

  /** The approximate number of bytes in each segment that a compaction would free. */
  deadBytes(): Map<number, number> {
    const rows = this.all<{ number: number; dead_bytes: number }>("SELECT number, dead_bytes FROM segment");
    return new Map(rows.map(({ number, dead_bytes }) => [number, dead_bytes]));
  }

  isLastChange({ seq, states }: ChangeRecord): boolean {
    const sql = "SELECT 1 FROM json_each(?) JOIN message ON seq = value WHERE changed = ? LIMIT 1";
    return this.first(sql, JSON.stringify(states.flatMap(({ seqs }) => seqs)), seq) !== null;
  }

  /** The records of all settings whose keys begin with the prefix, in the order of the keys. */
  settings(prefix: string): SettingRecord[] {
    const sql =
      "SELECT key, json(value) AS value, seq FROM setting WHERE key >= ?1 AND key < ?1 || char(0x10ffff) ORDER BY key";
    const rows = this.all<{ key: string; value: string; seq: number }>(sql, prefix);
    return rows.map(({ key, value, seq }) => ({ kind: "setting", seq, key, value: JSON.parse(value) }));
  }

  isLastSetting({ key, seq }: SettingRecord): boolean {
    return this.first("SELECT 1 FROM setting WHERE key = ? AND seq = ?", key, seq) !== null;
  }

  /** Saves the new places of messages that a compaction has moved within the segment. */
  relocate(segment: number, places: ReadonlyMap<number, Place>): void {
    this.#settle();
    this.#guarded(() => {
      this.#begin();
      let dead = 0;
      for (const [seq, { at, body_at, length }] of places) {
        const moved = this.#run("UPDATE message SET at = ?, body_at = ? WHERE seq = ?", at, body_at, seq);
        // The message was deleted after the compaction had copied it, so its copy is dead.
        if (moved === 0) dead += length;
      }
      this.#run("INSERT OR REPLACE INTO segment VALUES (?, ?)", segment, dead);
    });
    this.commit();
  }

  /** Returns the error that the reader must throw. */
  markDamaged(reason: string): StoreError {
    if (!this.isDamaged) this.#logger.error("index damaged", { reason, advice: "restart to rebuild it" });
    this.isDamaged = true;
    return indexDamaged();
  }

  commit(): void {
    this.#settle();
    if (!this.#db.inTransaction) return;
    this.#guarded(() => {
      this.#run("UPDATE state SET applied = ?", this.#applied);
      this.#db.run("COMMIT");
    });
    this.#waiting = [];
    this.#written = 0;
  }

  /** If entries cannot be saved, the next start reads them from the log. */
  close(): void {
    this.#commitIfPossible();
    this.#stopTimer();
    if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    this.#insertion.finalize();
    closeIndex(this.#db);
    if (this.isDamaged) removeIndex(this.#db.filename);
  }

  /** Writes all waiting entries into the open transaction, so that reads see them. */
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

  /** A failure rolls the transaction back. Its entries wait for the next attempt. */
  #guarded<Answer>(run: () => Answer): Answer {
    try {
      return run();
    } catch (error) {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      this.#startOver();
      const named = asStoreError(error);
      throw named.code === "index_damaged" ? this.markDamaged(String(error)) : named;
    }
  }

  #startOver(): void {
    this.#written = 0;
    this.#applied = this.#savedApplied();
    this.#counts = null;
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
      // A timer or the next read tries again.
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
      // Shrinking needs free space. On a full disk the file keeps its size for now.
    }
  }

  #savedApplied(): number {
    return (this.#db.query("SELECT applied FROM state").get() as { applied: number }).applied;
  }

  #count(inbox: string, counts: MailCounts): void {
    if (this.#counts === null) return;
    const known = this.#counts.get(inbox) ?? { ...NOTHING };
    add(known, counts);
    if (known.messages === 0) this.#counts.delete(inbox);
    else this.#counts.set(inbox, known);
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
    else if (record.kind === "setting") this.#set(record, place);
    else this.#clear();
    this.#applied = record.seq;
  }

  #insert(record: MessageRecord, { segment, at, body_at }: Place): void {
    const recipients = JSON.stringify(record.recipients);
    this.#insertion.run(
      record.seq,
      record.id,
      record.inbox,
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
    this.#count(record.inbox, { messages: 1, unread: 1, bytes: record.size });
  }

  #change({ seq: changed, states }: ChangeRecord, place: Place): void {
    for (const { seqs, is_read, is_starred, tags } of states)
      for (const seq of seqs) {
        const row = this.#rowOf(seq);
        if (row === null) continue;
        this.#run(UPDATE, Number(is_read), Number(is_starred), tagList(tags), changed, seq);
        this.#deleteTags(row);
        this.#insertTags(seq, tags);
        this.#count(row.inbox, { messages: 0, unread: row.is_read - Number(is_read), bytes: 0 });
      }
    this.#addDead(place.segment, place.length);
  }

  #delete({ seqs }: DeleteRecord, place: Place): void {
    for (const seq of seqs) {
      const row = this.#rowOf(seq);
      if (row === null) continue;
      this.#run("DELETE FROM message WHERE seq = ?", seq);
      this.#deleteTags(row);
      this.#addDead(row.segment, row.body_at > 0 ? row.body_at + row.size : LARGE_RECORD_BYTES);
      this.#count(row.inbox, { messages: -1, unread: row.is_read - 1, bytes: -row.size });
    }
    this.#addDead(place.segment, place.length);
  }

  #set({ key, value, seq }: SettingRecord, place: Place): void {
    if (value === null) this.#run("DELETE FROM setting WHERE key = ?", key);
    else this.#run("INSERT OR REPLACE INTO setting VALUES (?, ?, ?)", key, JSON.stringify(value), seq);
    this.#addDead(place.segment, place.length);
  }

  #clear(): void {
    for (const table of ["message", "tag", "segment"]) this.#run(`DELETE FROM ${table}`);
    this.#counts?.clear();
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

const NOTHING: Readonly<MailCounts> = { messages: 0, unread: 0, bytes: 0 };

function add(sum: MailCounts, { messages, unread, bytes }: Readonly<MailCounts>): void {
  sum.messages += messages;
  sum.unread += unread;
  sum.bytes += bytes;
}
