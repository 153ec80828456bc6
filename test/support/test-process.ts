// Preloaded into every process that runs tests (see bunfig.toml).
import { afterAll, setDefaultTimeout } from "bun:test";

// A limit for tests that hang, not for a slow machine. Bun's default is 5 s, and bunfig.toml cannot change it.
setDefaultTimeout(300_000);

const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** Ends something when the last test file of the process has ended. */
export function atEndOfProcess(end: () => Promise<unknown>): void {
  ends.push(end);
}
