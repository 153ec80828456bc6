// Mail is for its owner's eyes: folders and files of a store that others may look into are closed when it is opened.
// A data folder that also holds what is not ours keeps its mode: it may be somebody's home.
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { type DataDir, FILE_MODE, FOLDER_MODE } from "./data-dir.ts";

const OURS = /^(format\.json|reserve|(lock|index|search)\.sqlite|log|large|incoming|damaged)/;
const OF_OTHERS = 0o077;

/** Never a reason not to start: who may not change a mode goes on with it. */
export function closeToOthers(dir: DataDir, logger: Logger): void {
  if (process.platform === "win32") return;
  const names = namesIn(dir.root);
  const ours = names.filter((name) => OURS.test(name)).map((name) => join(dir.root, name));
  const inFolders = [dir.log, dir.large, dir.incoming, dir.damaged].flatMap((folder) =>
    namesIn(folder).map((name) => join(folder, name)),
  );
  const all = [...(ours.length === names.length ? [dir.root] : []), ...ours, ...inFolders];
  const closed = all.filter(closeOne).length;
  if (closed > 0) logger.warn("permissions_narrowed", { folder: dir.root, files: closed });
}

/** True when others could have looked into it. */
function closeOne(path: string): boolean {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink() || (stats.mode & OF_OTHERS) === 0) return false;
    chmodSync(path, stats.isDirectory() ? FOLDER_MODE : FILE_MODE);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
