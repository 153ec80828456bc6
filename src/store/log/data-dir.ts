// The data folder: its layout, its format, its lock and its permissions (0700 for folders, 0600 for files).
import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { unusable } from "../errors.ts";
import { StoreError } from "../store.ts";

export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
const FORMAT_VERSION = 2;

export type DataDir = Readonly<ReturnType<typeof dataDir>>;

export const dataDir = (root: string) => ({
  root,
  /** The version of the format, and the salt: the seed of every checksum. */
  format: join(root, "format.json"),
  log: join(root, "log"),
  /** Bodies of large messages, one file each, named by message id. */
  large: join(root, "large"),
  /** Large bodies that are arriving. */
  incoming: join(root, "incoming"),
  /** Damaged data, kept for a person to look at. */
  damaged: join(root, "damaged"),
  rows: join(root, "index.sqlite"),
  search: join(root, "search.sqlite"),
  lock: join(root, "lock.sqlite"),
  reserve: join(root, "reserve"),
});

export const largePath = (dir: DataDir, id: string): string => join(dir.large, `${id}.eml`);

/** Reads the salt of the store in this folder; null if there is no store. */
export function readFormat(dir: DataDir): number | null {
  const found = formatIn(dir);
  if (found === null) {
    if (!existsSync(dir.log) || readdirSync(dir.log).length === 0) return null;
    throw new StoreError("data_dir_unusable", `${dir.format} is missing: restore it from a backup`);
  }
  const { format, salt } = found;
  if (Number(format) > FORMAT_VERSION)
    throw new StoreError(
      "format_too_new",
      `${dir.root} was written by a newer Mailkeep (format ${format}, this one knows ${FORMAT_VERSION}); nothing was changed`,
    );
  if (format !== FORMAT_VERSION || !Number.isInteger(salt))
    throw new StoreError(
      "data_dir_unusable",
      `${dir.format} is damaged or of an old version: restore it from a backup, or name another folder with --data-dir`,
    );
  return Number(salt);
}

export function saltOf(dir: DataDir): number {
  const salt = readFormat(dir);
  if (salt === null)
    throw new StoreError("data_dir_unusable", `${dir.root} is not a data folder of Mailkeep`);
  return salt;
}

/** Null if the file is missing, an empty object if it is not JSON. */
function formatIn(dir: DataDir): { format?: unknown; salt?: unknown } | null {
  try {
    return JSON.parse(readFileSync(dir.format, "utf8")) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw unusable(dir.root, error);
  }
}

export interface Lock {
  release(): void;
}

/**
 * Lets only one process use the folder. SQLite's exclusive lock works on every platform and ends
 * with the process. A folder of a newer format is refused before anything in it is changed.
 */
export function lockDataDir(dir: DataDir): Lock {
  let db: Database | undefined;
  try {
    readFormat(dir);
    mkdirSync(dir.root, { recursive: true, mode: FOLDER_MODE });
    createClosed(dir.lock);
    db = new Database(dir.lock, { create: true, readwrite: true });
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
    return { release: () => db?.close() };
  } catch (cause) {
    db?.close();
    const { code } = cause as { code?: string };
    if (code === "SQLITE_NOTADB")
      throw new StoreError("data_dir_unusable", `${dir.lock} is damaged: remove it`);
    if (code?.startsWith("SQLITE_BUSY"))
      throw new StoreError("data_dir_locked", `${dir.root} is in use by another Mailkeep`, { cause });
    throw unusable(dir.root, cause);
  }
}

/** Creates what is missing, removes unfinished files of a killed process, and returns the salt. */
export function prepareDataDir(dir: DataDir): number {
  for (const folder of [dir.log, dir.large, dir.incoming])
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  for (const [folder, suffix] of [[dir.incoming, ".part"] as const, [dir.log, ".new"] as const])
    for (const name of readdirSync(folder)) if (name.endsWith(suffix)) rmSync(join(folder, name));
  const salt = readFormat(dir);
  if (salt !== null) return salt;
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  const draft = `${dir.format}.new`;
  writeFileSync(draft, `${JSON.stringify({ format: FORMAT_VERSION, salt: drawn })}\n`, { mode: FILE_MODE });
  // Without the salt no mail can be read, so it must survive a power cut.
  syncPath(draft);
  renameSync(draft, dir.format);
  syncPath(dir.root);
  return drawn;
}

/**
 * Creates an empty file for SQLite if it is missing, because SQLite would make it readable for
 * other users. SQLite gives the same mode to the files that it adds, such as the WAL.
 */
export function createClosed(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", FILE_MODE));
}

/** Removes the files of an SQLite index. */
export function removeIndex(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    // Frees the space at once, even if a thread that is being ended still holds the file open.
    if (existsSync(path + suffix)) truncateSync(path + suffix);
    rmSync(path + suffix, { force: true });
  }
}

/** Keeps damaged bytes for a person to look at. Returns the path of the copy. */
export function setAside(dir: DataDir, name: string, bytes: Uint8Array): string {
  mkdirSync(dir.damaged, { recursive: true, mode: FOLDER_MODE });
  const path = join(dir.damaged, name);
  writeFileSync(path, bytes, { mode: FILE_MODE });
  return path;
}

/** Moves a file into the folder for damaged data. Returns the new path. */
export function moveAside(dir: DataDir, path: string): string {
  mkdirSync(dir.damaged, { recursive: true, mode: FOLDER_MODE });
  const kept = join(dir.damaged, basename(path));
  renameSync(path, kept);
  return kept;
}

/** Makes a file, or the names in a folder, safe from a power cut. Windows does not allow this. */
export function syncPath(path: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
