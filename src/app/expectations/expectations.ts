// What a test expects of the mailbox: a count that holds, a mail that arrives. Waiters are woken by events;
// while nothing happens they cost nothing, and one whose client hangs up is forgotten.
import type { EventBus } from "../../events/index.ts";
import type { InboxEvent, MessageFilter, NearMiss } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { matchesFilter } from "./filter-match.ts";
import { findNearMisses } from "./near-misses.ts";
import { watch } from "./watch.ts";

export interface CountExpectation {
  readonly filter: MessageFilter;
  readonly min?: number;
  readonly max?: number;
  /** Time for the count to begin to hold; without it the answer comes at once. */
  readonly timeoutMs?: number;
  /** How long the count must go on holding. */
  readonly settleMs?: number;
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

/** The server stops, or the client hung up: nobody is interested any more. */
export class WaitAbandonedError extends Error {
  constructor() {
    super("The wait was ended before its time.");
    this.name = "WaitAbandonedError";
  }
}

export interface ExpectationsOptions {
  readonly store: Store;
  readonly bus: EventBus<InboxEvent>;
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
}

export class Expectations {
  readonly #store: Store;
  readonly #bus: EventBus<InboxEvent>;
  readonly #clock: () => number;
  readonly #closing = new AbortController();

  constructor({ store, bus, clock }: ExpectationsOptions) {
    this.#store = store;
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Ends every wait. */
  close(): void {
    this.#closing.abort();
  }

  async count(expectation: CountExpectation, signal: AbortSignal): Promise<CountOutcome> {
    const { filter, min = 0, max = Number.POSITIVE_INFINITY, timeoutMs, settleMs } = expectation;
    const holds = (count: number) => count >= min && count <= max;
    if (timeoutMs === undefined && settleMs === undefined) {
      const count = await this.#store.count(filter);
      return { ok: holds(count), count };
    }
    const started = this.#clock();
    const { ok, count } = await this.#settled(filter, holds, timeoutMs ?? 0, settleMs ?? 0, signal);
    const outcome = { ok, count, waitedMs: Math.round(this.#clock() - started) };
    return ok ? outcome : { ...outcome, nearMisses: await findNearMisses(this.#store, filter) };
  }

  /** The oldest message that matches, as soon as there is one. */
  async arrival(filter: MessageFilter, timeoutMs: number, signal: AbortSignal): Promise<ArrivalOutcome> {
    const started = this.#clock();
    const id = await this.#wait<string | null>(signal, (done, fail) => {
      const timer = setTimeout(() => done(null), timeoutMs);
      const unwatch =
        filter.q === undefined ? this.#watchEvents(filter, done, fail) : this.#watchStore(filter, done, fail);
      return () => {
        clearTimeout(timer);
        unwatch();
      };
    });
    const waitedMs = Math.round(this.#clock() - started);
    return id === null
      ? { id, waitedMs, nearMisses: await findNearMisses(this.#store, filter) }
      : { id, waitedMs };
  }

  /** Asks the store again whenever a mail arrives that may match: full text is known there alone. */
  #watchStore(filter: MessageFilter, done: (id: string) => void, fail: (error: unknown) => void): () => void {
    return watch({
      bus: this.#bus,
      concerns: (event) => mayAdd(event, filter),
      evaluate: async () => {
        const found = await this.#oldest(filter);
        if (found !== undefined) done(found);
      },
      onError: fail,
    });
  }

  /** Asks the store once; after that the first mail to arrive that matches is the one. */
  #watchEvents(
    filter: MessageFilter,
    done: (id: string) => void,
    fail: (error: unknown) => void,
  ): () => void {
    let arrived: string | undefined;
    let isSearched = false;
    const unsubscribe = this.#bus.subscribe((event) => {
      if (event.type !== "message:new" || !matchesFilter(event.data, filter)) return;
      arrived ??= event.data.id;
      if (isSearched) done(arrived);
    });
    const unwatch = watch({
      bus: this.#bus,
      concerns: (event) => event.type !== "message:new" && mayAdd(event, filter),
      evaluate: async () => {
        const found = (await this.#oldest(filter)) ?? arrived;
        isSearched = true;
        if (found !== undefined) done(found);
      },
      onError: fail,
    });
    return () => {
      unsubscribe();
      unwatch();
    };
  }

  async #oldest(filter: MessageFilter): Promise<string | undefined> {
    const [id] = await this.#store.walk(filter, { limit: 1 });
    return id;
  }

  /** The time is for the count to begin to hold; once it does, it may settle beyond. */
  #settled(
    filter: MessageFilter,
    holds: (count: number) => boolean,
    timeoutMs: number,
    settleMs: number,
    signal: AbortSignal,
  ): Promise<{ ok: boolean; count: number }> {
    return this.#wait(signal, (done, fail) => {
      let count = 0;
      let isLate = false;
      let settling: Timer | null = null;
      const check = async () => {
        count = await this.#store.count(filter);
        if (!holds(count)) {
          if (settling) clearTimeout(settling);
          settling = null;
          if (isLate) done({ ok: false, count });
        } else if (settleMs === 0) done({ ok: true, count });
        else settling ??= setTimeout(() => done({ ok: true, count }), settleMs);
      };
      const unwatch = watch({
        bus: this.#bus,
        concerns: (event) => mayChangeCount(event, filter),
        evaluate: check,
        onError: fail,
      });
      const late = setTimeout(() => {
        isLate = true;
        // The first count may still be under way: it has the last word.
        if (!settling) check().catch(fail);
      }, timeoutMs);
      return () => {
        clearTimeout(late);
        if (settling) clearTimeout(settling);
        unwatch();
      };
    });
  }

  /** Runs `begin`, and the function it returns when the wait is over, for whatever reason. */
  async #wait<Result>(
    signal: AbortSignal,
    begin: (done: (result: Result) => void, fail: (error: unknown) => void) => () => void,
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const abandon = () => reject(new WaitAbandonedError());
    const signals = [signal, this.#closing.signal];
    for (const one of signals) one.addEventListener("abort", abandon, { once: true });
    if (signals.some(({ aborted }) => aborted)) abandon();
    const end = begin(resolve, reject);
    try {
      return await promise;
    } finally {
      end();
      for (const one of signals) one.removeEventListener("abort", abandon);
    }
  }
}

const dependsOnFlags = ({ starred, unread, tags }: MessageFilter) =>
  Boolean(starred || unread || tags?.length);

/** Whether a message may match now that did not before. */
function mayAdd(event: InboxEvent, filter: MessageFilter): boolean {
  if (event.type === "message:new") return matchesFilter(event.data, filter);
  const isFlag =
    event.type === "message:read" || event.type === "message:starred" || event.type === "message:tags";
  return isFlag && dependsOnFlags(filter);
}

const mayChangeCount = (event: InboxEvent, filter: MessageFilter) =>
  event.type === "message:delete" || event.type === "messages:clear" || mayAdd(event, filter);
