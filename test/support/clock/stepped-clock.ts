// A clock that a test controls, for a Mailkeep in its own process. With a C compiler (on Linux) it replaces the system
// clock of that process; elsewhere it replaces JavaScript's `Date`.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preloaded } from "../preloaded.ts";
import { canPreloadLibrary, preloadedLibrary } from "../preloaded-library.ts";

export interface SteppedClock extends Disposable {
  /** For the process that uses this clock. */
  readonly environment: Readonly<Record<string, string>>;
  /** How often the clock was set. */
  readonly steps: number;
  now(): number;
  stepBy(ms: number): void;
  stepTo(time: Date): void;
}

export const STEPPED = canPreloadLibrary ? "the clock of the system" : "the clock of the program";

/** Bun's helper threads would spin while this clock is behind that of the machine. */
const WITHOUT_HELPERS = { BUN_JSC_useJIT: "0", BUN_JSC_numberOfGCMarkers: "1" };

export function steppedClock(): SteppedClock {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-clock-"));
  const path = join(folder, "clock-offset");
  const fd = openSync(path, "w");
  let offsetMs = 0;
  let steps = -1;
  const set = (ms: number) => {
    offsetMs = Math.round(ms);
    steps++;
    writeSync(fd, new BigInt64Array([BigInt(offsetMs)]), 0, BigInt64Array.BYTES_PER_ELEMENT, 0);
  };
  set(0);
  return {
    environment: { CLOCK_OFFSET_FILE: path, ...replacement(folder) },
    get steps() {
      return steps;
    },
    now: () => Date.now() + offsetMs,
    stepBy: (ms) => set(offsetMs + ms),
    stepTo: (time) => set(time.getTime() - Date.now()),
    [Symbol.dispose]: () => {
      closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function replacement(folder: string): Record<string, string> {
  if (!canPreloadLibrary) return preloaded(join(import.meta.dir, "program-clock.ts"));
  return { ...preloadedLibrary(join(import.meta.dir, "system-clock.c"), folder), ...WITHOUT_HELPERS };
}
