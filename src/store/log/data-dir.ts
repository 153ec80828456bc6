// The data folder: its layout, its permissions (0700 for folders, 0600 for files).
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

export interface DataDir {
  readonly root: string;
  /** Says what the log is written by. */
  readonly format: string;
  /** Segment files. */
  readonly log: string;
  /** Bodies of large messages, one file each, named by message id. */
  readonly large: string;
  /** Bodies on their way in. */
  readonly incoming: string;
  /** What was found damaged, kept for a person to look at. */
  readonly damaged: string;
  readonly rows: string;
  readonly search: string;
  readonly lock: string;
  readonly reserve: string;
}

export const dataDir = (root: string): DataDir => ({
  root,
  format: join(root, "format.json"),
  log: join(root, "log"),
  large: join(root, "large"),
  incoming: join(root, "incoming"),
  damaged: join(root, "damaged"),
  rows: join(root, "index.sqlite"),
  search: join(root, "search.sqlite"),
  lock: join(root, "lock.sqlite"),
  reserve: join(root, "reserve"),
});

export const largePath = (dir: DataDir, id: string): string => join(dir.large, `${id}.eml`);

/** Where a large body goes that no row names after a loss. */
export const asidePath = (dir: DataDir, id: string): string => join(dir.damaged, `${id}.eml`);

/** Every large body on disk. */
export function listLarge(dir: DataDir): { id: string; path: string }[] {
  return readdirSync(dir.large)
    .filter((name) => name.endsWith(".eml"))
    .map((name) => ({ id: name.slice(0, -4), path: join(dir.large, name) }));
}

/** Throws when no file can go the way of a large body: a disk that has failed may still say that it is writable. */
export function assertWritable(dir: DataDir): void {
  const path = join(dir.incoming, "check.part");
  const place = join(dir.large, "check.part");
  writeFileSync(path, "", { mode: FILE_MODE });
  try {
    renameSync(path, place);
    rmSync(place);
  } finally {
    rmSync(path, { force: true });
  }
}

/** Creates what is missing, and removes what a kill has left of bodies on their way in. */
export function prepareFolders(dir: DataDir): void {
  for (const folder of [dir.log, dir.large, dir.incoming])
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  for (const name of readdirSync(dir.incoming)) if (name.endsWith(".part")) rmSync(join(dir.incoming, name));
}

export function createRoot(dir: DataDir): void {
  mkdirSync(dir.root, { recursive: true, mode: FOLDER_MODE });
}

/** For SQLite, which would make a file that others can read; those beside it take its mode. */
export function createClosed(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", FILE_MODE));
}

/** The folder of what was found damaged; answers with its path. */
export function createDamaged(dir: DataDir): string {
  mkdirSync(dir.damaged, { recursive: true, mode: FOLDER_MODE });
  return dir.damaged;
}

/** Keeps damaged bytes for a person to look at; answers with the file's path. */
export function setAside(dir: DataDir, name: string, bytes: Uint8Array): string {
  const path = join(createDamaged(dir), name);
  writeFileSync(path, bytes, { mode: FILE_MODE });
  return path;
}

export const damagedName = (segment: number, generation: number, at: number): string =>
  `${segment}-${generation}-${at}.bin`;

/** Keeps a whole file among what is damaged while its own name goes; answers with the new path. */
export function keepAside(dir: DataDir, path: string): string {
  const copy = join(dir.damaged, basename(path));
  if (existsSync(copy)) return copy;
  statSync(path);
  createDamaged(dir);
  try {
    linkSync(path, copy);
  } catch {
    // Not every file system knows links.
    copyFileSync(path, copy);
  }
  return copy;
}

/** Moves a whole file to what is damaged; answers with the new path. */
export function moveAside(dir: DataDir, path: string): string {
  const copy = join(createDamaged(dir), basename(path));
  renameSync(path, copy);
  return copy;
}
