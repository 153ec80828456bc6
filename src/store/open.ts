// Opens a store: locks the folder, finds the log, brings the rows up to date and connects the parts.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../lib/logger.ts";
import { Compactor } from "./compaction.ts";
import { asStoreError, unusable } from "./errors.ts";
import {
  type DataDir,
  dataDir,
  type Lock,
  lockDataDir,
  moveAside,
  prepareDataDir,
  removeIndex,
  saltOf,
} from "./log/data-dir.ts";
import { type Disk, realDisk } from "./log/disk.ts";
import { DiskSpace, segmentBytesIn } from "./log/disk-space.ts";
import { type Durability, FileLog } from "./log/file-log.ts";
import { listLarge } from "./log/large-files.ts";
import type { Log } from "./log/log.ts";
import { MemoryLog } from "./log/memory-log.ts";
import { connect } from "./log/postgres.ts";
import { S3Bodies, TableBodies } from "./log/postgres-bodies.ts";
import { PostgresLog } from "./log/postgres-log.ts";
import { DamageReport, listSegments, segmentPath } from "./log/segment.ts";
import { MailStore } from "./mail-store.ts";
import { Rows } from "./rows/rows.ts";
import { ROWS_SCHEMA } from "./rows/schema.ts";
import { Search } from "./search/search.ts";
import { openIndex } from "./sqlite.ts";
import type { MessageScan, Store } from "./store.ts";

export interface IndexProgress {
  readonly index: "rows" | "search";
  readonly done: number;
  readonly total: number;
}

export interface MemoryStoreOptions {
  readonly startScan: () => MessageScan;
  readonly startSearchWorker: () => Worker;
  readonly now: () => Date;
  readonly logger: Logger;
}

interface FolderOptions extends MemoryStoreOptions {
  readonly dir: string;
  readonly onProgress?: (progress: IndexProgress) => void;
}

export interface FileStoreOptions extends FolderOptions {
  readonly durability: Durability;
  /** If true, a folder without a store is an error. Otherwise a store is created. */
  readonly mustExist?: boolean;
  readonly reindex?: boolean;
  readonly acceptLoss?: boolean;
  /** Messages above this size have their own file. */
  readonly largeBytes?: number;
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

export interface PostgresStoreOptions extends FolderOptions {
  /** postgres://user:password@host:5432/database */
  readonly url: string;
  /** The address for large bodies, s3://bucket/prefix; by default they are in the database. */
  readonly bodies?: string | undefined;
  /** While PostgreSQL is unreachable, answer from this node's indexes. */
  readonly staleReads?: boolean;
}

const LARGE_BYTES = 256 << 10;

export async function openMemoryStore(options: MemoryStoreOptions): Promise<Store> {
  const log = new MemoryLog();
  const rows = new Rows(openIndex(":memory:", ROWS_SCHEMA, 0).db, options.logger);
  const search = new Search({ ...options, path: ":memory:", salt: 0, log, rows });
  return new MailStore({ ...options, log, rows, search, space: null, compactor: null, lock: null });
}

export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const dir = dataDir(options.dir);
  if (options.mustExist) saltOf(dir);
  return locked(dir, (lock) => openLocked(dir, options, lock));
}

/** One of several nodes: the log is in PostgreSQL, the indexes are in a folder of this node. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  // A folder of its own, because the data folder may hold a log in files and its indexes.
  const dir = dataDir(join(options.dir, "postgres"));
  return locked(dir, (lock) => openNode(dir, options, lock));
}

async function locked(dir: DataDir, open: (lock: Lock) => Promise<Store>): Promise<Store> {
  const lock = lockDataDir(dir);
  try {
    return await open(lock);
  } catch (error) {
    lock.release();
    throw unusable(dir.root, error);
  }
}

async function openNode(dir: DataDir, options: PostgresStoreOptions, lock: Lock): Promise<Store> {
  const { logger, url, bodies, staleReads = false } = options;
  const sql = await connect(url);
  try {
    const log = await PostgresLog.open({
      sql,
      bodies: bodies === undefined ? new TableBodies(sql) : new S3Bodies(bodies),
      staleReads,
      logger,
    });
    const { salt } = log;
    const space = new DiskSpace(dir);
    const known = openRows(dir, salt, logger);
    const mustRebuild = !(await log.holds(known.newest(), known.applied));
    if (mustRebuild) logger.warn("index rebuilt", { reason: "the database was reset" });
    const rows = await catchUp(known, log, { ...options, dir, salt, mustRebuild });
    const search = new Search({ ...options, path: dir.search, salt, log, rows });
    return new MailStore({ ...options, log, rows, search, space, compactor: null, lock });
  } catch (error) {
    await sql.close({ timeout: 0 });
    throw error;
  }
}

/** `mailkeep reindex`: builds both indexes from the log again. Returns the number of messages. */
export async function reindexStore(options: FileStoreOptions): Promise<number> {
  const store = await openFileStore({ ...options, mustExist: true, reindex: true });
  try {
    await store.indexed();
    return await store.count({});
  } finally {
    await store.close();
  }
}

async function openLocked(dir: DataDir, options: FileStoreOptions, lock: Lock): Promise<Store> {
  const { logger, acceptLoss = false, reindex = false, largeBytes = LARGE_BYTES, disk = realDisk } = options;
  const space = new DiskSpace(dir);
  const salt = prepareDataDir(dir);
  // Compaction rewrites a segment in the disk space that is kept free, so a small disk gets small segments.
  const segmentBytes = options.segmentBytes ?? segmentBytesIn(dir.root);
  removeReplaced(dir);
  const known = openRows(dir, salt, logger);
  const damage = new DamageReport(dir, logger);
  const lastSegment = known.newest()?.segment ?? 0;
  const place = { dir, salt, disk, space, damage };
  const log = new FileLog({ ...options, ...place, segmentBytes, largeBytes, lastSegment, acceptLoss });
  const { hasLoss } = log;
  const mustRebuild = hasLoss || damage.isNew || reindex;
  const rows = await catchUp(known, log, { ...options, dir, salt, mustRebuild });
  removeOrphans(dir, rows, !hasLoss && !existsSync(dir.damaged), logger);
  const search = new Search({ ...options, path: dir.search, salt, log, rows });
  const compactor = new Compactor(log, rows, search);
  return new MailStore({ ...options, log, rows, search, space, compactor, lock });
}

/**
 * A kill during a compaction may leave two files of a segment, and both are complete. The newer file stays. The rows
 * may point to the older file, so the rows are removed first.
 */
function removeReplaced(dir: DataDir): void {
  const names = listSegments(dir.log);
  const replaced = names.filter(({ number }, at) => names[at + 1]?.number === number);
  if (replaced.length > 0) removeIndex(dir.rows);
  for (const name of replaced) rmSync(segmentPath(dir.log, name));
}

/** A damaged row index is replaced by an empty index. */
function openRows(dir: DataDir, salt: number, logger: Logger): Rows {
  const { db, rebuiltBecause } = openIndex(dir.rows, ROWS_SCHEMA, salt);
  if (rebuiltBecause !== null) logger.warn("index rebuilt", { reason: rebuiltBecause });
  try {
    const rows = new Rows(db, logger);
    // The server needs these rows at its start. Reading them now shows damage in time to rebuild.
    rows.newest();
    rows.settings("");
    return rows;
  } catch (error) {
    db.close();
    warnOfDamage(error, logger);
    removeIndex(dir.rows);
    return openRows(dir, salt, logger);
  }
}

function warnOfDamage(error: unknown, logger: Logger): void {
  if (asStoreError(error).code !== "index_damaged") throw error;
  logger.warn("index rebuilt", { reason: "it is damaged" });
}

type CatchUpContext = Pick<FolderOptions, "logger" | "onProgress"> & {
  readonly dir: DataDir;
  readonly salt: number;
  /** The log may lack mail that the rows know, or a reindex was requested. */
  readonly mustRebuild: boolean;
};

/** Brings the rows up to date with the log. Rows that are ahead of the log, or damaged, are rebuilt from it. */
async function catchUp(rows: Rows, log: Log, context: CatchUpContext): Promise<Rows> {
  const { dir, salt, logger, mustRebuild } = context;
  try {
    const { applied } = rows;
    // Rows rebuilt from the log lack the mail of damaged records. The text index may still have it.
    if (applied === 0) removeIndex(dir.search);
    const lost_records = applied - log.lastSeq;
    if (!mustRebuild && lost_records <= 0) {
      await follow(rows, log, context);
      // Damaged rows may lack a message without an error. So its body is removed only if new rows lack it, too.
      if (applied === 0 || orphansIn(dir, rows).length === 0) return rows;
      logger.warn("index rebuilt", { reason: "a large body has no row" });
    } else if (!mustRebuild) logger.error("log shorter than index", { lost_records });
  } catch (error) {
    warnOfDamage(error, logger);
  }
  rows.close();
  removeIndex(dir.rows);
  removeIndex(dir.search);
  return follow(openRows(dir, salt, logger), log, context);
}

async function follow(rows: Rows, log: Log, { onProgress }: CatchUpContext): Promise<Rows> {
  const { applied } = rows;
  const total = log.lastSeq - applied;
  for await (const entries of total === 0 ? [] : log.read(applied, "records")) {
    rows.apply(entries);
    rows.commit();
    onProgress?.({ index: "rows", done: Math.min(total, rows.applied - applied), total });
  }
  return rows;
}

/** Large bodies without a row: leftovers of a killed process, unless rows are missing. */
const orphansIn = (dir: DataDir, rows: Rows) => listLarge(dir).filter(({ id }) => rows.byId(id) === null);

/** Removes large bodies without a row. If the log is damaged, they may belong to a damaged record and are moved aside. */
function removeOrphans(dir: DataDir, rows: Rows, isLogSound: boolean, logger: Logger): void {
  for (const { path } of orphansIn(dir, rows)) {
    if (isLogSound) rmSync(path, { force: true });
    else logger.error("large body without record", { copy: moveAside(dir, path) });
  }
}
