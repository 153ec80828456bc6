// Measures how long a server's event loop is busy with one client while others wait. It counts processor time, so
// time in which other processes run does not count. Works only on Linux.
import { afterAll } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMeasure } from "../../../../scripts/bench/process-usage.ts";
import { preloaded } from "../../../support/preloaded.ts";

/** How long one mail may keep the event loop busy without a break. */
export const TURN_LIMIT_MS = 100;
/** The same for a client that sends without end, or for many clients at once. */
export const LONG_TURN_LIMIT_MS = 1000;
const ATTEMPTS = 5;

interface Turns {
  /** Variables for the server whose turns are measured. */
  readonly environment: Record<string, string>;
  /**
   * Returns the longest turn during `work`. If it is too long, runs the work up to four more times and returns the best
   * result, because the processor itself is slower on a busy machine.
   */
  longestTurnMs(limitMs: number, work: () => Promise<unknown>): Promise<number>;
}

/** Call this after the `afterAll` that ends the servers: the `afterAll` in here removes the folder they write to. */
export function useTurns(): Turns {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-turns-"));
  const file = join(folder, "times");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    environment: canMeasure ? { ...preloaded(join(import.meta.dir, "turn-times.ts")), TURN_TIMES: file } : {},
    longestTurnMs: async (limitMs, work) => {
      let best = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < ATTEMPTS && best >= limitMs; attempt++) {
        writeFileSync(file, "");
        await work();
        best = Math.min(best, Math.max(...readFileSync(file, "utf8").split("\n").map(Number)));
      }
      return best;
    },
  };
}
