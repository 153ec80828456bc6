// One data folder, one process. The lock is SQLite's own exclusive lock on a file: it works on every
// platform and dies with its process, however that ends. The pid beside it is for the error message only.
import { Database } from "bun:sqlite";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { type DataDir, FILE_MODE } from "./log/data-dir.ts";
import { StoreError } from "./store.ts";

export function lockDataDir(dir: DataDir): { release(): void } {
  const pidPath = `${dir.lock}.pid`;
  const db = new Database(dir.lock, { create: true, readwrite: true });
  try {
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
  } catch (cause) {
    db.close();
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
