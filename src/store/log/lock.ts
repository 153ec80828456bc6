// One data folder, one process. The lock is SQLite's own exclusive lock on a file: it works on every
// platform and dies with its process, however that ends.
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { unusable } from "../errors.ts";
import { StoreError } from "../store.ts";
import { createClosed, type DataDir, FOLDER_MODE, readFormat } from "./data-dir.ts";

export interface Lock {
  release(): void;
}

/** A folder of a newer format is refused before anything is touched. */
export function lockDataDir(dir: DataDir): Lock {
  try {
    readFormat(dir);
    mkdirSync(dir.root, { recursive: true, mode: FOLDER_MODE });
    return takeLock(dir);
  } catch (error) {
    throw unusable(dir.root, error);
  }
}

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
    const { code } = cause as { code?: string };
    if (code === "SQLITE_NOTADB")
      throw new StoreError("data_dir_unusable", `${dir.lock} is damaged: remove it`);
    if (!code?.startsWith("SQLITE_BUSY")) throw cause;
    throw new StoreError("data_dir_locked", `${dir.root} is in use by another Mailkeep`, { cause });
  }
}
