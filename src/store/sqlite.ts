// SQLite files that are derived from the log. They are not synced to disk while in use: after kill -9 the system still
// has every write, and after a power cut a file that was not closed is rebuilt.
import { Database } from "bun:sqlite";
import { readFileSync, statSync } from "node:fs";
import { uptime } from "node:os";
import { isDiskFull } from "./errors.ts";
import { createClosed, removeIndex } from "./log/data-dir.ts";

export interface IndexSchema {
  /** An index of another version is rebuilt, not migrated. */
  readonly version: number;
  readonly sql: string;
}

export interface OpenedIndex {
  readonly db: Database;
  /** Why an existing file was not used. Null if it is used, or did not exist. */
  readonly rebuiltBecause: string | null;
}

const KEPT_WAL_BYTES = 4 << 20;
const SMALL_PAGES = 250;
/** `salt` identifies the log that the index was made from. */
const ORIGIN = "CREATE TABLE origin (boot TEXT NOT NULL, clean INTEGER NOT NULL, salt INTEGER NOT NULL)";

/** Opens the index. An index that cannot be trusted is replaced by an empty index. */
export function openIndex(path: string, schema: IndexSchema, salt: number): OpenedIndex {
  if (path === ":memory:") return { db: create(path, schema, salt), rebuiltBecause: null };
  const { db, why } = openTrusted(path, schema, salt);
  if (db !== null) {
    db.run("UPDATE origin SET boot = ?, clean = 0", [bootMarker()]);
    return { db, rebuiltBecause: null };
  }
  removeIndex(path);
  return { db: create(path, schema, salt), rebuiltBecause: why };
}

/** The open file if it can be trusted, otherwise the reason why not. Both are null if there is no file. */
export function openTrusted(
  path: string,
  schema: IndexSchema,
  salt: number,
): { db: Database | null; why: string | null } {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return { db: null, why: null };
  let db: Database | null = null;
  try {
    db = configured(path);
    const why = distrust(db, schema, salt);
    if (why === null) return { db, why };
    db.close();
    return { db: null, why };
  } catch (error) {
    db?.close();
    if (isDiskFull(error)) throw error;
    return { db: null, why: (error as Error).message };
  }
}

export function closeIndex(db: Database): void {
  try {
    db.run("PRAGMA synchronous = FULL");
    db.run("UPDATE origin SET clean = 1");
    if (isMostlyFree(db)) shrinkIndex(db);
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // If the file is not marked as clean, the next start decides whether to trust it.
  } finally {
    db.close();
  }
}

export const indexBytes = (path: string): number =>
  ["", "-wal"].reduce(
    (total, suffix) => total + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** Whether deletions have left much free space in a file that is not small. */
export function isMostlyFree(db: Database): boolean {
  const sql =
    "SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count, pragma_page_count";
  const { free, pages } = db.query(sql).get() as { free: number; pages: number };
  return pages > SMALL_PAGES && free > pages / 2;
}

export function shrinkIndex(db: Database): void {
  try {
    // VACUUM makes a copy, on disk because it may be large. If no folder has room, memory is used.
    db.run("PRAGMA temp_store = FILE");
    db.run("VACUUM");
    db.run("PRAGMA temp_store = MEMORY");
  } catch {
    db.run("PRAGMA temp_store = MEMORY");
    db.run("VACUUM");
  }
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

function distrust(db: Database, { version }: IndexSchema, salt: number): string | null {
  const { user_version: found } = db.query("PRAGMA user_version").get() as { user_version: number };
  if (found !== version) return `it has version ${found}, not ${version}`;
  const origin = db.query("SELECT * FROM origin").get() as { boot: string; clean: number; salt: number };
  if (origin.salt !== salt) return "it was made from another log";
  if (origin.clean === 0 && origin.boot !== bootMarker()) return "the machine stopped while it was in use";
  return null;
}

function create(path: string, { version, sql }: IndexSchema, salt: number): Database {
  return configured(path, (db) => {
    db.run("BEGIN");
    db.run(sql);
    db.run(ORIGIN);
    db.run("INSERT INTO origin VALUES (?, 0, ?)", [bootMarker(), salt]);
    db.run(`PRAGMA user_version = ${version}`);
    db.run("COMMIT");
  });
}

function configured(path: string, prepare: (db: Database) => void = () => {}): Database {
  if (path !== ":memory:") createClosed(path);
  const db = new Database(path, { create: true, readwrite: true, strict: true });
  try {
    if (path !== ":memory:") {
      // With one connection SQLite needs no shared memory file and no locking calls.
      db.run("PRAGMA locking_mode = EXCLUSIVE");
      db.run("PRAGMA journal_mode = WAL");
      db.run("PRAGMA synchronous = OFF");
      db.run(`PRAGMA journal_size_limit = ${KEPT_WAL_BYTES}`);
    }
    db.run("PRAGMA temp_store = MEMORY");
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Identifies this boot of the machine, to distinguish a killed process from a power cut. */
function bootMarker(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `up since ${Math.round((Date.now() / 1000 - uptime()) / 10)}`;
  }
}
