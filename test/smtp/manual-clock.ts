// A clock that stands still until a test advances it.
import type { Clock } from "../../src/smtp/index.ts";

export class ManualClock implements Clock {
  #now = 0;
  readonly #runs = new Set<() => void>();

  now(): number {
    return this.#now;
  }

  every(_ms: number, run: () => void): () => void {
    this.#runs.add(run);
    return () => this.#runs.delete(run);
  }

  /** Runs every callback at the old time and again at the new one, whatever its interval. */
  advance(ms: number): void {
    for (const run of this.#runs) run();
    this.#now += ms;
    for (const run of this.#runs) run();
  }
}
