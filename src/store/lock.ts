// One data folder, one process. The lock is SQLite's own exclusive lock on a file: it works on every
// platform and dies with its process, however that ends. The pid beside it is for the error message only.
import { Database } from "bun:sqlite";
import { chmodSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { isIndexDamage } from "./errors.ts";
import { type DataDir, FILE_MODE } from "./log/data-dir.ts";
import { StoreError } from "./store.ts";

export function lockDataDir(dir: DataDir): { release(): void } {
  const pidPath = `${dir.lock}.pid`;
  let db: Database;
  try {
    db = lockWhole(dir.lock);
  } catch (cause) {
    if (!String((cause as { code?: string }).code).startsWith("SQLITE_BUSY")) throw cause;
    const holder = readPid(pidPath);
    throw new StoreError(
      "data_dir_locked",
      `${dir.root} is in use by another Mailkeep${holder === null ? "" : ` (process ${holder})`}`,
      { cause },
    );
  }
  chmodSync(dir.lock, FILE_MODE);
  writePid(pidPath);
  return { release: () => db.close() };
}

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
