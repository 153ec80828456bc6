// `mailkeep verify`: reads every record and every body, builds the rows in memory, and compares the indexes with
// them. Changes nothing.
import { silentLogger } from "../lib/logger.ts";
import { nextTurn } from "../lib/next-turn.ts";
import { asStoreError } from "./errors.ts";
import { type DataDir, dataDir, largePath, saltOf } from "./log/data-dir.ts";
import { entriesOf } from "./log/file-log.ts";
import { isSound } from "./log/large-files.ts";
import { lockDataDir } from "./log/lock.ts";
import { decodeRecord, HEADER_BYTES, type LargeMeta, readHeader } from "./log/record.ts";
import {
  type DamagedBytes,
  listSegments,
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
  const lock = lockDataDir(dir);
  try {
    const verification = new Verification(dir, salt);
    await verification.readLog(onProgress);
    await verification.checkLargeBodies();
    verification.checkIndexes();
    return verification.report();
  } catch (error) {
    throw asStoreError(error);
  } finally {
    lock.release();
  }
}

/** What is asked of the rows that were made from the log now, and of the index: the answers must be the same. */
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

class Verification {
  readonly #dir: DataDir;
  readonly #salt: number;
  readonly #rows: Rows;
  readonly #large = new Map<number, LargeMeta>();
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];
  #segments = 0;
  #isCompacted = true;

  constructor(dir: DataDir, salt: number) {
    this.#dir = dir;
    this.#salt = salt;
    this.#rows = new Rows(openIndex(":memory:", ROWS_SCHEMA, salt).db, silentLogger);
  }

  async readLog(onProgress: (done: number, total: number) => void): Promise<void> {
    const names = listSegments(this.#dir.log);
    // After a kill in a compaction there are two files; the newer one counts.
    const segments = names.filter(({ number }, at) => names[at + 1]?.number !== number);
    this.#segments = segments.length;
    this.#isCompacted = segments.length === names.length;
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
    if (this.#isCompacted) this.#checkIndex("index", this.#dir.rows, ROWS_SCHEMA, IN_ROWS);
    else this.#notes.push("a compaction was interrupted; the next start rebuilds the index");
    this.#checkIndex("text index", this.#dir.search, SEARCH_SCHEMA, IN_TEXT);
  }

  report(): VerifyReport {
    const { messages, bytes } = this.#rows.countsOf(null);
    this.#rows.close();
    const [problems, notes] = [this.#problems, this.#notes];
    return { segments: this.#segments, messages, message_bytes: bytes, problems, notes };
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
      this.#notes.push(`${where}: an unfinished record; the next start cuts it off`);
    else this.#problems.push(`${where}: a record does not match its checksum`);
  }

  #checkIndex(name: string, path: string, schema: IndexSchema, comparisons: readonly Comparison[]): void {
    const { db, why } = openTrusted(path, schema, this.#salt);
    if (db === null) {
      const state = why === null ? "is missing" : `is not used (${why})`;
      if (this.#rows.countsOf(null).messages > 0)
        this.#notes.push(`the ${name} ${state}; it is built at the next start`);
      return;
    }
    try {
      const isSame = ([ofLog, ofIndex]: Comparison) =>
        Bun.deepEquals(this.#rows.all(ofLog), db.query(ofIndex).all());
      const { applied } = db.query("SELECT applied FROM state").get() as { applied: number };
      if (applied < this.#rows.applied)
        this.#notes.push(`the ${name} is behind the log; it catches up at the next start`);
      else if (!comparisons.every(isSame))
        this.#problems.push(`the ${name} differs from the log; 'mailkeep reindex' rebuilds it`);
    } catch (error) {
      this.#problems.push(
        `the ${name} is damaged (${(error as Error).message}); 'mailkeep reindex' rebuilds it`,
      );
    } finally {
      db.close();
    }
  }
}
