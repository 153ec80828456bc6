// `mailkeep verify`: reads every record and every body, builds the rows in memory and compares the indexes with them.
// It repairs nothing.
import { existsSync } from "node:fs";
import { silentLogger } from "../lib/logger.ts";
import { nextTurn } from "../lib/runtime.ts";
import { asStoreError } from "./errors.ts";
import { type DataDir, dataDir, lockDataDir, saltOf } from "./log/data-dir.ts";
import { isSound } from "./log/large-files.ts";
import type { LargeBody } from "./log/log.ts";
import { entryOf, HEADER_BYTES, readHeader } from "./log/record.ts";
import { findSegments } from "./log/recovery.ts";
import {
  type DamagedBytes,
  loadSegment,
  recordsIn,
  type SegmentName,
  segmentFileName,
} from "./log/segment.ts";
import { ROW_COLUMNS } from "./rows/row.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { SEARCH_SCHEMA } from "./search/text-index.ts";
import { type IndexSchema, openIndex, openTrusted } from "./sqlite.ts";

export interface VerifyReport {
  readonly segments: number;
  readonly messages: number;
  readonly message_bytes: number;
  readonly problems: readonly string[];
  /** Defects that the next start repairs by itself. */
  readonly notes: readonly string[];
}

interface VerifyOptions {
  readonly dir: string;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Two queries that must have the same result: one for the rows that were built from the log, one for an index. */
type Comparison = readonly [ofLog: string, ofIndex: string];

const MESSAGES = `SELECT ${ROW_COLUMNS} FROM message ORDER BY seq`;
const SETTINGS = "SELECT key, value FROM setting ORDER BY key";
const IN_ROWS: readonly Comparison[] = [
  [MESSAGES, MESSAGES],
  [SETTINGS, SETTINGS],
];
const IN_TEXT: readonly Comparison[] = [
  ["SELECT seq FROM message ORDER BY seq", "SELECT id AS seq FROM mail_docsize ORDER BY id"],
];

export async function verifyStore({ dir: root, onProgress }: VerifyOptions): Promise<VerifyReport> {
  const dir = dataDir(root);
  const salt = saltOf(dir);
  const lock = lockDataDir(dir);
  const rows = new Rows(openIndex(":memory:", ROWS_SCHEMA, salt).db, silentLogger);
  try {
    const verification = new Verification(dir, salt, rows);
    const segments = await verification.readLog(onProgress);
    await verification.checkLargeBodies();
    verification.checkIndexes();
    const { messages, bytes } = rows.countsOf(null);
    const { problems, notes } = verification;
    return { segments, messages, message_bytes: bytes, problems, notes };
  } catch (error) {
    throw asStoreError(error);
  } finally {
    rows.close();
    lock.release();
  }
}

class Verification {
  readonly problems: string[] = [];
  readonly notes: string[] = [];
  readonly #dir: DataDir;
  readonly #salt: number;
  readonly #rows: Rows;
  readonly #large = new Map<string, LargeBody>();
  #isCompacting = false;

  constructor(dir: DataDir, salt: number, rows: Rows) {
    this.#dir = dir;
    this.#salt = salt;
    this.#rows = rows;
  }

  /** Returns the number of segments. */
  async readLog(onProgress: VerifyOptions["onProgress"]): Promise<number> {
    // Every start makes this folder. Without it at least segment 1 is missing.
    const { kept, missing } = findSegments(this.#dir.log, this.#salt, existsSync(this.#dir.log) ? 0 : 1);
    for (const name of missing) this.problems.push(`${segmentFileName(name)} is missing from the log`);
    // A compaction that was killed may leave two files of a segment. The newer file counts.
    const segments = kept.filter(({ number }, at) => kept[at + 1]?.number !== number);
    this.#isCompacting = segments.length < kept.length;
    for (const [index, segment] of segments.entries()) {
      this.#readSegment(segment, index === segments.length - 1);
      onProgress?.(index + 1, segments.length);
      await nextTurn();
    }
    return segments.length;
  }

  async checkLargeBodies(): Promise<void> {
    for (const [id, body] of this.#large) {
      if (this.#rows.byId(id) === null || (await isSound(body, this.#salt))) continue;
      this.problems.push(`the body of ${id} is missing or does not match its checksum`);
    }
  }

  checkIndexes(): void {
    const { rows, search } = this.#dir;
    if (this.#isCompacting)
      this.notes.push("a compaction was interrupted; the next start rebuilds the index");
    else this.#checkIndex("index", rows, ROWS_SCHEMA, IN_ROWS);
    this.#checkIndex("text index", search, SEARCH_SCHEMA, IN_TEXT);
  }

  #readSegment(segment: SegmentName, isLast: boolean): void {
    const bytes = loadSegment(this.#dir.log, segment);
    if (bytes.length === 0 && !isLast)
      this.problems.push(`${segmentFileName(segment)} is empty: its mail is lost`);
    for (const found of recordsIn(bytes, this.#salt)) {
      if (found.type === "damaged") {
        this.#reportDamage(segment, bytes, found, isLast);
        continue;
      }
      const entry = entryOf(this.#dir, segment.number, found);
      if (entry === null) continue;
      const { record, body } = entry;
      if (record.kind === "message" && body !== null && !(body instanceof Uint8Array))
        this.#large.set(record.id, body);
      this.#rows.apply([entry]);
    }
  }

  /** An incomplete record at the end of the log is not damage: a killed process has left it. */
  #reportDamage(segment: SegmentName, bytes: Buffer, damage: DamagedBytes, isLast: boolean): void {
    const { at, end, isTail } = damage;
    const header = readHeader(bytes, at, this.#salt);
    const isWhole = header !== null && at + HEADER_BYTES + header.length <= bytes.length;
    const where = `${segmentFileName(segment)}, bytes ${at} to ${end}`;
    if (isLast && isTail && !isWhole)
      this.notes.push(`${where}: an unfinished record; the next start cuts it off`);
    else this.problems.push(`${where}: a record does not match its checksum`);
  }

  #checkIndex(name: string, path: string, schema: IndexSchema, comparisons: readonly Comparison[]): void {
    const rebuilt = "'mailkeep reindex' rebuilds it";
    const { db, why } = openTrusted(path, schema, this.#salt);
    if (db === null) {
      const state = why === null ? "is missing" : `is not used (${why})`;
      if (this.#rows.newest() !== null)
        this.notes.push(`the ${name} ${state}; it is built at the next start`);
      return;
    }
    try {
      const isSame = ([ofLog, ofIndex]: Comparison) =>
        Bun.deepEquals(this.#rows.all(ofLog), db.query(ofIndex).all());
      const { applied } = db.query("SELECT applied FROM state").get() as { applied: number };
      const { quick_check: state } = db.query("PRAGMA quick_check(1)").get() as { quick_check: string };
      if (state !== "ok") throw new Error(state);
      if (applied > this.#rows.applied)
        this.problems.push(`the log ends before the ${name} does: its newest files are missing or cut off`);
      else if (comparisons.every(isSame)) return;
      else if (applied < this.#rows.applied)
        this.notes.push(`the ${name} is behind the log; it catches up at the next start`);
      else this.problems.push(`the ${name} differs from the log; ${rebuilt}`);
    } catch (error) {
      this.problems.push(`the ${name} is damaged (${(error as Error).message}); ${rebuilt}`);
    } finally {
      db.close();
    }
  }
}
