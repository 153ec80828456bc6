// `mailkeep verify`: reads every record and every body, builds the rows in memory, and compares the indexes with
// them. Changes nothing.
import type { Database } from "bun:sqlite";
import { accessSync, constants } from "node:fs";
import { silentLogger } from "../lib/logger.ts";
import { nextTurn } from "../lib/next-turn.ts";
import { asStoreError, unusable } from "./errors.ts";
import { type DataDir, dataDir, largePath, readFormat } from "./log/data-dir.ts";
import { entriesOf } from "./log/file-log.ts";
import { isSound } from "./log/large-files.ts";
import { type Lock, lockDataDir, lockToRead } from "./log/lock.ts";
import { decodeRecord, HEADER_BYTES, type LargeMeta, readHeader } from "./log/record.ts";
import {
  type DamagedBytes,
  listSegments,
  loadSegment,
  recordsIn,
  type SegmentName,
  segmentFileName,
} from "./log/segment.ts";
import { type MessageRow, ROW_COLUMNS } from "./rows/row.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { SEARCH_SCHEMA } from "./search/text-index.ts";
import { type IndexSchema, openIndex, openTrusted } from "./sqlite.ts";
import { StoreError } from "./store.ts";

export interface VerifyReport {
  readonly segments: number;
  readonly messages: number;
  /** Bytes of raw mail that is alive. */
  readonly message_bytes: number;
  /** One line each for a person. */
  readonly problems: readonly string[];
  /** What the next start makes good by itself. */
  readonly notes: readonly string[];
}

export interface VerifyOptions {
  readonly dir: string;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function verifyStore({
  dir: root,
  onProgress = () => {},
}: VerifyOptions): Promise<VerifyReport> {
  const dir = dataDir(root);
  const salt = saltOf(dir);
  const isWritable = mayWrite(dir.root);
  const lock = lockFor(dir, isWritable);
  try {
    const verification = new Verification(dir, salt);
    await verification.readLog(onProgress);
    await verification.checkLargeBodies();
    if (isWritable) verification.checkIndexes();
    else verification.notes.push("the indexes were not checked: the folder is read-only");
    return verification.report();
  } catch (error) {
    throw asStoreError(error);
  } finally {
    lock.release();
  }
}

export function saltOf(dir: DataDir): number {
  const salt = readFormat(dir);
  if (salt === null) throw new StoreError("data_dir_unusable", `${dir.root} holds no mail store`);
  return salt;
}

class Verification {
  readonly #dir: DataDir;
  readonly #salt: number;
  readonly #rows: Rows;
  readonly #large = new Map<number, LargeMeta>();
  /** Segments with two files: a kill in a compaction leaves both, and the index points to either. */
  readonly #doubled = new Set<number>();
  readonly #problems: string[] = [];
  readonly notes: string[] = [];
  #segments = 0;

  constructor(dir: DataDir, salt: number) {
    this.#dir = dir;
    this.#salt = salt;
    this.#rows = new Rows(openIndex(":memory:", ROWS_SCHEMA, salt).db, silentLogger);
  }

  async readLog(onProgress: (done: number, total: number) => void): Promise<void> {
    const newest = new Map<number, SegmentName>();
    for (const name of listSegments(this.#dir.log)) {
      if (newest.has(name.number)) this.#doubled.add(name.number);
      newest.set(name.number, name);
    }
    const segments = [...newest.values()];
    this.#segments = segments.length;
    for (const [index, segment] of segments.entries()) {
      const before = segments[index - 1]?.number ?? segment.number - 1;
      for (let number = before + 1; number < segment.number; number++)
        this.#problems.push(`${segmentFileName({ number, generation: 0 })} is missing from the log`);
      this.#readSegment(segment, index === segments.length - 1);
      onProgress(index + 1, segments.length);
      await nextTurn();
    }
  }

  async checkLargeBodies(): Promise<void> {
    for (const [seq, meta] of this.#large) {
      const row = this.#rows.bySeq(seq);
      if (row === null || (await isSound(largePath(this.#dir, row.id), meta, this.#salt))) continue;
      this.#problems.push(`the body of ${row.id} is missing or does not match its checksum`);
    }
  }

  checkIndexes(): void {
    this.#checkIndex("index", this.#dir.rows, ROWS_SCHEMA, (db) => this.#compareRows(db));
    this.#checkIndex("text index", this.#dir.search, SEARCH_SCHEMA, (db) => this.#compareText(db));
  }

  report(): VerifyReport {
    const { messages, bytes } = this.#rows.state;
    this.#rows.close();
    const { notes } = this;
    return {
      segments: this.#segments,
      messages,
      message_bytes: bytes,
      problems: this.#problems,
      notes,
    };
  }

  #readSegment(segment: SegmentName, isLast: boolean): void {
    const bytes = loadSegment(this.#dir.log, segment);
    for (const found of recordsIn(bytes, this.#salt)) {
      if (found.type === "damaged") {
        this.#reportDamage(segment, bytes, found, isLast);
        continue;
      }
      const large = decodeRecord(found)?.large ?? null;
      if (large !== null) this.#large.set(found.seq, large);
      this.#rows.apply(entriesOf(this.#dir, segment.number, found));
    }
  }

  /** Bytes at the very end that are too few for their record are what a kill leaves. */
  #reportDamage(
    segment: SegmentName,
    bytes: Buffer,
    { at, end, isTail }: DamagedBytes,
    isLast: boolean,
  ): void {
    const header = readHeader(bytes, at, this.#salt);
    const isWhole = header !== null && at + HEADER_BYTES + header.length <= bytes.length;
    const where = `${segmentFileName(segment)}, bytes ${at} to ${end}`;
    if (isLast && isTail && !isWhole)
      this.notes.push(`${where}: an unfinished record; the next start cuts it off`);
    else this.#problems.push(`${where}: a record does not match its checksum`);
  }

  #checkIndex(name: string, path: string, schema: IndexSchema, compare: (db: Database) => void): void {
    const { db, why } = openTrusted(path, schema, this.#salt);
    if (db === null) {
      const state = why === null ? "is missing" : `is not used (${why})`;
      if (this.#rows.state.messages > 0)
        this.notes.push(`the ${name} ${state}; it is built at the next start`);
      return;
    }
    try {
      const { applied } = db.query("SELECT applied FROM state").get() as { applied: number };
      if (applied < this.#rows.state.applied)
        this.notes.push(`the ${name} is behind the log; it catches up at the next start`);
      else compare(db);
    } catch (error) {
      this.#problems.push(
        `the ${name} is damaged (${(error as Error).message}); 'mailkeep reindex' rebuilds it`,
      );
    } finally {
      db.close();
    }
  }

  #compareRows(db: Database): void {
    const sql = `SELECT ${ROW_COLUMNS} FROM message ORDER BY seq`;
    const comparable = (row: MessageRow) =>
      this.#doubled.has(row.segment) ? { ...row, at: 0, body_at: 0 } : row;
    const expected = this.#rows.all<MessageRow>(sql).map(comparable);
    const found = new Map((db.query(sql).all() as MessageRow[]).map((row) => [row.id, comparable(row)]));
    for (const row of expected) {
      const stored = found.get(row.id);
      found.delete(row.id);
      if (stored === undefined) this.#problems.push(`message ${row.id} is in the log but not in the index`);
      else if (!Bun.deepEquals(stored, row))
        this.#problems.push(`message ${row.id} differs between log and index`);
    }
    for (const id of found.keys()) this.#problems.push(`message ${id} is in the index but not in the log`);
    this.#compareSettings(db);
  }

  #compareSettings(db: Database): void {
    const sql = "SELECT key, value FROM setting ORDER BY key";
    if (Bun.deepEquals(db.query(sql).all(), this.#rows.all(sql))) return;
    this.#problems.push("the settings differ between log and index; 'mailkeep reindex' rebuilds it");
  }

  #compareText(db: Database): void {
    const held = new Set((db.query("SELECT id FROM mail_docsize").values() as [number][]).flat());
    const stored = this.#rows.all<{ seq: number }>("SELECT seq FROM message").map(({ seq }) => seq);
    if (held.size === stored.length && stored.every((seq) => held.has(seq))) return;
    this.#problems.push(
      "the text index does not hold exactly the stored messages; 'mailkeep reindex' rebuilds it",
    );
  }
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function lockFor(dir: DataDir, isWritable: boolean): Lock {
  try {
    return isWritable ? lockDataDir(dir) : lockToRead(dir);
  } catch (error) {
    throw unusable(dir.root, error);
  }
}
