// What a test expects of the mailbox: a count that holds, a mail that arrives. Waiters are woken by events;
// while nothing happens they cost nothing, and one whose client hangs up is forgotten.
import type { MessageFilter, NearMiss } from "../../model/index.ts";
import { arrivalOf, type Mailbox, oldest } from "./arrival.ts";
import { holdingCount } from "./holding-count.ts";
import { findNearMisses } from "./near-misses.ts";
import { wait, within } from "./wait.ts";

export interface CountExpectation {
  readonly filter: MessageFilter;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Time for the count to begin to hold; without it the answer comes at once. */
  readonly timeoutMs?: number | undefined;
  /** How long the count must go on holding. */
  readonly settleMs?: number | undefined;
}

export interface CountOutcome {
  readonly ok: boolean;
  readonly count: number;
  /** Only when there was something to wait for. */
  readonly waitedMs?: number;
  readonly nearMisses?: NearMiss[];
}

export type ArrivalOutcome =
  | { readonly id: string; readonly waitedMs: number }
  | { readonly id: null; readonly waitedMs: number; readonly nearMisses: NearMiss[] };

export interface ExpectationsOptions extends Mailbox {
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
}

export class Expectations {
  readonly #options: ExpectationsOptions;
  readonly #closing = new AbortController();

  constructor(options: ExpectationsOptions) {
    this.#options = options;
  }

  /** Ends every wait. */
  close(): void {
    this.#closing.abort();
  }

  async count(expectation: CountExpectation, signal: AbortSignal): Promise<CountOutcome> {
    const { store, clock } = this.#options;
    const { filter, min = 0, max = Number.POSITIVE_INFINITY, timeoutMs, settleMs } = expectation;
    const holds = (count: number) => count >= min && count <= max;
    if (timeoutMs === undefined && settleMs === undefined) {
      const count = await store.count(filter);
      return { ok: holds(count), count };
    }
    const started = clock();
    const counted = await wait(
      [signal, this.#closing.signal],
      holdingCount(this.#options, {
        filter,
        holds,
        // More than the most can never be: nobody waits for it.
        timeoutMs: min > max ? 0 : (timeoutMs ?? 0),
        settleMs: settleMs ?? 0,
      }),
    );
    const outcome = { ...counted, waitedMs: Math.round(clock() - started) };
    return counted.ok ? outcome : { ...outcome, nearMisses: await findNearMisses(store, filter) };
  }

  /** The oldest message that matches, as soon as there is one. */
  async arrival(filter: MessageFilter, timeoutMs: number, signal: AbortSignal): Promise<ArrivalOutcome> {
    const { store, clock } = this.#options;
    const started = clock();
    const id = await wait(
      [signal, this.#closing.signal],
      within(timeoutMs, () => oldest(store, filter), arrivalOf(this.#options, filter)),
    );
    const waitedMs = Math.round(clock() - started);
    return id === null ? { id, waitedMs, nearMisses: await findNearMisses(store, filter) } : { id, waitedMs };
  }
}
