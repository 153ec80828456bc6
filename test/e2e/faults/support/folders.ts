// Temp folders of one test file, in memory where the system offers that.
import { afterEach } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TEMP = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** The function it answers with makes a folder that is gone after the test. */
export function useFolders(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(TEMP, "mailkeep-faults-"));
    folders.push(folder);
    return folder;
  };
}
