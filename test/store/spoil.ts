// What a failing disk does to the files of a store.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The log's first segment, which is the only one where little was stored. */
export const segmentOf = (dir: string): string => join(dir, "log", readdirSync(join(dir, "log"))[0] ?? "");

export function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
