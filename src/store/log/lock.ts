// One data folder, one process. The lock is SQLite's own exclusive lock on a file: it works on every
// platform and dies with its process, however that ends. The pid beside it is for the error message only.
import { Database } from "bun:sqlite";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { StoreError } from "../store.ts";
import { createClosed, type DataDir, FILE_MODE } from "./data-dir.ts";

export interface Lock {
  release(): void;
}

export function lockDataDir(dir: DataDir): Lock {
  const lock = takeLock(dir);
  try {
    writeFileSync(pidPath(dir), `${process.pid}\n`, { mode: FILE_MODE });
  } catch {
    // The lock holds without it, also on a full disk.
  }
  return lock;
}

/** For a look at a folder that may be read-only; without a lock file nobody uses it. */
export const lockToRead = (dir: DataDir): Lock =>
  existsSync(dir.lock) ? takeLock(dir) : { release: () => {} };

function takeLock(dir: DataDir): Lock {
  createClosed(dir.lock);
  const db = new Database(dir.lock, { create: true, readwrite: true });
  try {
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
    return { release: () => db.close() };
  } catch (cause) {
    db.close();
    if (!String((cause as { code?: string }).code).startsWith("SQLITE_BUSY")) throw cause;
    const holder = readPid(dir);
    throw new StoreError(
      "data_dir_locked",
      `${dir.root} is in use by another Mailkeep${holder === null ? "" : ` (process ${holder})`}`,
      { cause },
    );
  }
}

const pidPath = (dir: DataDir): string => `${dir.lock}.pid`;

function readPid(dir: DataDir): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pidPath(dir), "utf8"), 10);
    return Number.isInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}
