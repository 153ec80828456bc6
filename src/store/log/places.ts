// What stands where something else belongs: a folder by the name of a file, a file by the name of a folder. Container
// tools make folders of what they were told to mount. What can be made anew is moved aside, the rest is for a person.
import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";
import { createDamaged, type DataDir } from "./data-dir.ts";
import { listSegments, segmentPath } from "./segment.ts";

/** Files that are made anew when they are missing. */
const REPLACEABLE = /^(format\.json|reserve|lock\.sqlite\.pid|(index|search)\.sqlite)/;

/** Changes nothing. */
export function assertPlaces(dir: DataDir): void {
  for (const folder of [dir.root, dir.log, dir.large, dir.incoming, dir.damaged])
    if (isFolder(folder) === false) throw misplaced(folder, "a file", "a folder");
  const segments = existsSync(dir.log) ? listSegments(dir.log).map((name) => segmentPath(dir.log, name)) : [];
  for (const file of [dir.lock, ...segments])
    if (isFolder(file) === true) throw misplaced(file, "a folder", "a file");
}

export function moveFoldersAside(dir: DataDir, logger: Logger): void {
  for (const name of readdirSync(dir.root)) {
    const path = join(dir.root, name);
    if (!REPLACEABLE.test(name) || isFolder(path) !== true) continue;
    const copy = freeName(join(createDamaged(dir), name));
    renameSync(path, copy);
    logger.warn("folder_moved_aside", { path, to: copy, reason: "a file belongs there" });
  }
}

const misplaced = (path: string, found: string, expected: string): StoreError =>
  new StoreError(
    "data_dir_unusable",
    `${path} is ${found}, where ${expected} belongs: move it away and start again`,
  );

/** Null when there is nothing. */
const isFolder = (path: string): boolean | null =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? null;

function freeName(path: string): string {
  let free = path;
  for (let n = 2; existsSync(free); n++) free = `${path}.${n}`;
  return free;
}
