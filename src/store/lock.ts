// One data folder, one process. The lock is SQLite's own exclusive lock on a file: it works on every
// platform and dies with its process, however that ends. The pid beside it is for the error message only.
import { Database } from "bun:sqlite";
import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { isIndexDamage } from "./errors.ts";
import { type DataDir, FILE_MODE } from "./log/data-dir.ts";
import { StoreError } from "./store.ts";

export interface Lock {
  release(): void;
}

export function lockDataDir(dir: DataDir): Lock {
  const db = unlessInUse(dir, () => lockWhole(dir.lock));
  chmodSync(dir.lock, FILE_MODE);
  writePid(pidPath(dir));
  return { release: () => db.close() };
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
    writeFileSync(path, `${process.pid}\n`, { mode: FILE_MODE });
  } catch {
    // The lock holds without it, also on a full disk.
  }
}

function readPid(path: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10);
    return Number.isInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}
