// Temporary folders, in memory if possible, because tests open and close hundreds of stores.
import { afterEach } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TEMP = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function tempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(TEMP, "mailkeep-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Returns a function that makes a folder. The folder is removed after the test. */
export function useFolders(): () => string {
  const folders: ReturnType<typeof tempFolder>[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });
  return () => {
    const folder = tempFolder();
    folders.push(folder);
    return folder.path;
  };
}
