// One data folder, one process. The lock is SQLite's own exclusive lock on a file: it works on every
// platform and dies with its process, however that ends. The pid beside it is for the error message only.
import { Database } from "bun:sqlite";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import type { Logger } from "../lib/logger.ts";
import { isIndexDamage } from "./errors.ts";
import { createClosed, type DataDir, FILE_MODE } from "./log/data-dir.ts";
import { assertFile } from "./log/file-kind.ts";
import { HeldFile } from "./log/held-file.ts";
import { StoreError } from "./store.ts";

export interface Lock {
  release(): void;
}

export interface OwnLock extends Lock {
  readonly file: HeldFile;
  /** There was none: somebody may have deleted it under a running server. */
  readonly isNew: boolean;
}

export function lockDataDir(dir: DataDir, logger: Logger): OwnLock {
  const isNew = !existsSync(dir.lock);
  const db = unlessInUse(dir, () => lockWhole(dir.lock));
  writePid(pidPath(dir));
  const file = new HeldFile(dir.lock, "lock", logger);
  const release = () => {
    db.close();
    // Not before: whoever closes a file lets go of all locks that its process has on it.
    file.close();
  };
  return { file, isNew, release };
}

/**
 * Where nothing can be written, to read in peace: others may be able to, such as those who have the same folder mounted
 * otherwise. SQLite makes a shared lock of it, which holds them off.
 */
export function lockToRead(dir: DataDir): Lock {
  if (!existsSync(dir.lock)) return { release: () => {} };
  const db = unlessInUse(dir, () => lock(dir.lock));
  return { release: () => db.close() };
}

function unlessInUse(dir: DataDir, take: () => Database): Database {
  try {
    return take();
  } catch (cause) {
    if (!String((cause as { code?: string }).code).startsWith("SQLITE_BUSY")) throw cause;
    const holder = readPid(pidPath(dir));
    throw new StoreError(
      "data_dir_locked",
      `${dir.root} is in use by another Mailkeep${holder === null ? "" : ` (process ${holder})`}`,
      { cause },
    );
  }
}

const pidPath = (dir: DataDir): string => `${dir.lock}.pid`;

/**
 * Who finds that the file is no database has its lock for that moment: nobody else holds it. It is emptied, not
 * replaced: of two who do so at once both still lock the same file.
 */
function lockWhole(path: string): Database {
  try {
    return lock(path);
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    truncateSync(path);
    return lock(path);
  }
}

function lock(path: string): Database {
  createClosed(path);
  const db = new Database(path, { create: true, readwrite: true });
  try {
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function writePid(path: string): void {
  try {
    assertFile(path);
    writeFileSync(path, `${process.pid}\n`, { mode: FILE_MODE });
  } catch {
    // The lock holds without it, also on a full disk.
  }
}

function readPid(path: string): number | null {
  try {
    assertFile(path);
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10);
    return Number.isInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}
