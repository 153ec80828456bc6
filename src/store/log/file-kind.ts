// What stands by a name. To open a pipe may take for ever: what may be one is looked at before.
import { statSync } from "node:fs";

export type FileKind = "a file" | "a folder" | "a pipe" | "a socket" | "a device";

/** Null when there is nothing. */
export function kindOf(path: string): FileKind | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isFile()) return "a file";
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** Throws when something else than a file is there. That nothing is there, whoever opens it will find. */
export function assertFile(path: string): void {
  const kind = kindOf(path);
  if (kind !== null && kind !== "a file") throw new Error(`${path} is ${kind}, where a file belongs`);
}
