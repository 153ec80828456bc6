// What stands where something else belongs: a folder by the name of a file, a file by the name of a folder, a named pipe.
// Container tools make folders of what they were told to mount. What can be made anew is moved aside, the rest is for
// a person.
import { existsSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";
import { createDamaged, type DataDir } from "./data-dir.ts";
import { type FileKind, kindOf } from "./file-kind.ts";
import { readFormat } from "./format.ts";
import { listSegments, segmentPath } from "./segment.ts";

/** Files that are made anew when they are missing. */
const REPLACEABLE = /^(format\.json|reserve|lock\.sqlite\.pid|(index|search)\.sqlite)/;

/** Changes nothing. */
export function assertPlaces(dir: DataDir): void {
  for (const folder of [dir.root, dir.log, dir.large, dir.incoming, dir.damaged])
    assertIs("a folder", folder);
  const segments = existsSync(dir.log) ? listSegments(dir.log).map((name) => segmentPath(dir.log, name)) : [];
  for (const file of [dir.lock, ...segments]) assertIs("a file", file);
}

/** For commands that do not begin a store. Changes nothing. */
export function assertStoreIn(dir: DataDir): void {
  assertPlaces(dir);
  if (readFormat(dir) === null) throw new StoreError("data_dir_unusable", `${dir.root} holds no mail store`);
  if (!existsSync(dir.log) || listSegments(dir.log).length === 0)
    throw new StoreError("data_dir_unusable", `${dir.log} holds no mail: put it back from a backup`);
}

/** Before anything is read that may be one of them: a pipe would not answer. */
export function moveMisplacedAside(dir: DataDir, logger: Logger): void {
  for (const name of readdirSync(dir.root)) {
    const path = join(dir.root, name);
    const found = kindOf(path);
    if (!REPLACEABLE.test(name) || found === null || found === "a file") continue;
    const copy = freeName(join(createDamaged(dir), name));
    renameSync(path, copy);
    logger.warn("moved_aside", { path, to: copy, reason: `it is ${found}, where a file belongs` });
  }
}

function assertIs(expected: FileKind, path: string): void {
  const found = kindOf(path) ?? (expected === "a folder" && isLink(path) ? "a link to nothing" : null);
  if (found === null || found === expected) return;
  throw new StoreError(
    "data_dir_unusable",
    `${path} is ${found}, where ${expected} belongs: move it away and start again`,
  );
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function freeName(path: string): string {
  let free = path;
  for (let n = 2; existsSync(free); n++) free = `${path}.${n}`;
  return free;
}
