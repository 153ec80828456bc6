// SQLite files that are derived from the log. They are never synced to disk while in use: after kill -9 the
// system still has every write, and after a reboot a file that was not closed properly is thrown away.
import { Database } from "bun:sqlite";
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { uptime } from "node:os";
import { diskFull, isDiskFull } from "./errors.ts";
import { createClosed } from "./log/data-dir.ts";
import { assertFile } from "./log/file-kind.ts";
import { checkSeal, removeSeal, writeSeal } from "./seal.ts";

export interface DerivedSchema {
  readonly version: number;
  readonly sql: string;
  /** Free pages can be cut off the file a few at a time. */
  readonly shrinks?: boolean;
  /** Says what is wrong where SQLite finds nothing, or null; asked of small files that were not closed in good order. */
  readonly fault?: (db: Database) => string | null;
}

/** Files up to this size are checked page by page when they are opened. */
const CHECKED_BYTES = 8 << 20;
/** Up to this size also whether indexes and tables agree. */
const CHECKED_WHOLLY_BYTES = 2 << 20;
const KEPT_WAL_BYTES = 4 << 20;
/** `salt`: of the log that it is made from. */
const ORIGIN = "CREATE TABLE origin (boot TEXT NOT NULL, clean INTEGER NOT NULL, salt INTEGER NOT NULL)";
/** Why a file is not used that is sound, but was made from another log. */
export const OF_ANOTHER_LOG = "it was made from another log";

/**
 * Opens the file, or puts an empty one in its place where it cannot be trusted: damaged, of another version, or in use
 * when the power went. `why` says which; `isSealed`: it is byte for byte what was closed.
 * On a full disk a file cannot be marked as in use, but still be read. Whoever gives `onUnmarked` wants that, and calls
 * `markInUse` before the first change.
 */
export function openDerived(
  path: string,
  schema: DerivedSchema,
  salt: number,
  onUnmarked?: () => void,
): { db: Database; isNew: boolean; isSealed: boolean; why: string | null } {
  if (path === ":memory:") return { db: create(path, schema, salt), isNew: true, isSealed: false, why: null };
  const { db, isSealed, why } = openInPlaceOfSeal(path, schema, salt);
  if (db !== null) {
    removeSeal(path);
    try {
      markInUse(db);
    } catch (error) {
      const isReadable = onUnmarked !== undefined && isDiskFull(error);
      if (!isReadable) {
        db.close();
        throw error;
      }
      onUnmarked();
    }
    return { db, isNew: false, isSealed, why: null };
  }
  removeDerived(path);
  return { db: createOrNothing(path, schema, salt), isNew: true, isSealed: false, why };
}

/** On a full disk an empty file would be in the way: it cannot be read without another one beside it. */
function createOrNothing(path: string, schema: DerivedSchema, salt: number): Database {
  try {
    return create(path, schema, salt);
  } catch (error) {
    removeDerived(path);
    throw error;
  }
}

/** Where the disk takes no more files, the write-ahead log gets the place of the seal. */
function openInPlaceOfSeal(path: string, schema: DerivedSchema, salt: number) {
  try {
    return openTrusted(path, schema, salt);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    removeSeal(path);
    return openTrusted(path, schema, salt);
  }
}

/** Before the first change: a machine that stops from here on leaves a file that is not to be trusted. */
export function markInUse(db: Database): void {
  db.run("UPDATE origin SET boot = ?, clean = 0", [bootMarker()]);
}

export function removeDerived(path: string): void {
  rmSync(path, { force: true });
  removeBeside(path);
}

/** Both must have been closed. A kill leaves the one or the other. */
export function replaceDerived(path: string, by: string): void {
  removeBeside(path);
  renameSync(by, path);
}

function removeBeside(path: string): void {
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  removeSeal(path);
}

/** Bytes of the file and its write-ahead log. */
export function derivedBytes(path: string): number {
  return ["", "-wal"].reduce((total, suffix) => total + (sizeOf(path + suffix) ?? 0), 0);
}

/** Throws when a full disk has kept a part of it out of the file. */
export function closeWhole(db: Database, path: string): void {
  db.close();
  if (sizeOf(`${path}-wal`)) throw diskFull();
}

/** Leaves the file complete and safe on disk, and sealed. */
export function closeDerived(db: Database, path: string): void {
  if (path === ":memory:") {
    db.close();
    return;
  }
  try {
    db.run("PRAGMA synchronous = FULL");
    db.run("UPDATE origin SET clean = 1");
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    if (!sizeOf(`${path}-wal`)) writeSeal(path);
  } catch {
    // Not marked clean: the next start decides what it is worth.
    db.close();
  }
}

/** The file if it can be trusted; otherwise the reason, or null when there is no file. */
export function openTrusted(
  path: string,
  schema: DerivedSchema,
  salt: number,
): { db: Database | null; isSealed: boolean; why: string | null } {
  if (sizeOf(path) === null) return { db: null, isSealed: false, why: null };
  let db: Database | null = null;
  try {
    assertFile(path);
    const seal = checkSeal(path);
    const isSealed = seal === "whole";
    if (seal === "broken") return { db, isSealed, why: "it has changed since it was closed" };
    db = configured(path);
    const why = distrust(db, schema, salt) ?? (isSealed ? null : damageIn(db, path, schema));
    if (why === null) return { db, isSealed, why };
    db.close();
    return { db: null, isSealed, why };
  } catch (error) {
    db?.close();
    if (isDiskFull(error)) throw error;
    return { db: null, isSealed: false, why: (error as Error).message };
  }
}

/** Whether the file was made by other rules, or its making was not finished: no damage, only to be built anew. */
export function isOutdated(path: string, { version }: DerivedSchema): boolean {
  try {
    assertFile(path);
    using db = new Database(path, { readonly: true });
    return versionOf(db) !== version;
  } catch {
    return false;
  }
}

const versionOf = (db: Database): number =>
  (db.query("PRAGMA user_version").get() as { user_version: number }).user_version;

/** Says why the file is not to be trusted, or null. */
function distrust(db: Database, schema: DerivedSchema, salt: number): string | null {
  const found = versionOf(db);
  if (found !== schema.version) return `it has version ${found}, not ${schema.version}`;
  if (tablesOf(db) !== tablesMadeBy(schema)) return "its tables are not those that were made";
  const origin = db.query("SELECT * FROM origin").get() as { boot: string; clean: number; salt: number };
  if (origin.salt !== salt) return OF_ANOTHER_LOG;
  if (origin.clean === 0 && origin.boot !== bootMarker()) return "the machine stopped while it was in use";
  return null;
}

function damageIn(db: Database, path: string, { fault }: DerivedSchema): string | null {
  const size = sizeOf(path) ?? 0;
  if (size > CHECKED_BYTES) return null;
  const check = size > CHECKED_WHOLLY_BYTES ? "quick_check" : "integrity_check";
  const [verdict = ""] = db.query(`PRAGMA ${check}(1)`).values()[0] as string[];
  return verdict === "ok" ? (fault?.(db) ?? null) : verdict;
}

/** A flipped bit in the names of tables and columns passes every check of SQLite's own. */
const tablesOf = (db: Database): string =>
  JSON.stringify(db.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").values());

function tablesMadeBy(schema: DerivedSchema): string {
  using db = create(":memory:", schema, 0);
  return tablesOf(db);
}

function create(path: string, { version, sql, shrinks = false }: DerivedSchema, salt: number): Database {
  const db = configured(path, shrinks);
  try {
    db.run("BEGIN");
    db.run(sql);
    db.run(ORIGIN);
    db.run("INSERT INTO origin VALUES (?, 0, ?)", [bootMarker(), salt]);
    db.run(`PRAGMA user_version = ${version}`);
    db.run("COMMIT");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function configured(path: string, shrinks = false): Database {
  if (path !== ":memory:") createClosed(path);
  const db = new Database(path, { create: true, readwrite: true, strict: true });
  try {
    // Counts only before the first page is written.
    if (shrinks) db.run("PRAGMA auto_vacuum = INCREMENTAL");
    if (path !== ":memory:") {
      // One process, one connection: no shared memory file and no locking calls are needed.
      db.run("PRAGMA locking_mode = EXCLUSIVE");
      db.run("PRAGMA journal_mode = WAL");
      db.run("PRAGMA synchronous = OFF");
      db.run(`PRAGMA journal_size_limit = ${KEPT_WAL_BYTES}`);
    }
    db.run("PRAGMA temp_store = MEMORY");
    return db;
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code === "SQLITE_CANTOPEN") assertTakesFiles(path);
    throw error;
  }
}

/** SQLite does not say that the disk takes no more files; to make one does, unless SQLite has just let one go. */
function assertTakesFiles(path: string): void {
  const wal = `${path}-wal`;
  if (existsSync(wal)) return;
  createClosed(wal);
  throw diskFull();
}

/** Names this run of the machine, to tell a killed process from a power cut. */
function bootMarker(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `up since ${Math.round((Date.now() / 1000 - uptime()) / 10)}`;
  }
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}
