// Lets a test make writes and syncs of some files fail, for a Mailkeep in its own process.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { preloadedLibrary } from "../preloaded-library.ts";

type Fault = "EIO" | "ENOSPC";

export interface DiskFaults extends Disposable {
  /** For the process whose calls should fail. */
  readonly environment: Readonly<Record<string, string>>;
  /** `write` affects only SQLite, because Bun writes the log without the C library. `sync` affects all files. */
  set(faults: { readonly write?: Fault; readonly sync?: Fault }): void;
}

/** Affects files whose path contains this text. */
export function diskFaults(path: string): DiskFaults {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-disk-faults-"));
  const file = join(folder, "faults");
  const fd = openSync(file, "w");
  const numberOf = (fault?: Fault) => (fault === undefined ? 0 : constants.errno[fault]);
  const set: DiskFaults["set"] = ({ write, sync }) =>
    void writeSync(fd, new Int32Array([numberOf(write), numberOf(sync)]), 0, 8, 0);
  set({});
  const library = preloadedLibrary(join(import.meta.dir, "faulty-calls.c"), folder);
  return {
    environment: { ...library, DISK_FAULT_FILE: file, DISK_FAULT_PATH: path },
    set,
    [Symbol.dispose]: () => {
      closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
