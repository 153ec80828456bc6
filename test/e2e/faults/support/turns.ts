// How long the main thread of a server works for one client before others have their turn. Counted in processor time,
// and on Linux only.
import { afterAll } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preloaded } from "../../../support/preloaded.ts";
import { canMeasure } from "./resources.ts";

/** For one mail. */
export const TURN_LIMIT_MS = 100;
/** For a client that sends without end, or many clients. */
export const LONG_TURN_LIMIT_MS = 1000;
const ATTEMPTS = 5;

interface Turns {
  /** Of the servers that are measured. */
  readonly environment: Record<string, string>;
  /**
   * Does something until no turn is too long, five times at the most: other work on the machine makes the processor
   * itself slower. Answers with the longest turn of the best time.
   */
  longestTurnMs(limitMs: number, work: () => Promise<unknown>): Promise<number>;
}

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
