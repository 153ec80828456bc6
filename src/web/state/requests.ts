// Reading from the server until it answers: a failed request is repeated by itself, after a growing pause, as long as
// its answer is wanted.
import { effect, type Signal, signal } from "@preact/signals";
import { type ApiFailure, asFailure, isAbort } from "../api/client.ts";
import { reconnectDelay } from "../api/live-socket.ts";
import { openedId } from "./route.ts";

/** Refusals that pass: a login that ran out, a proxy that is busy. */
const PASSING_REFUSALS = [401, 403, 408, 429];

/** How many requests have failed and will be repeated. */
export const failing = signal(0);
/** The server no longer knows who is there. */
export const isSignedOut = signal(false);

const pauses = new Set<() => void>();

export function willBeTriedAgain({ status }: ApiFailure): boolean {
  return status < 400 || status >= 500 || PASSING_REFUSALS.includes(status);
}

/** Once `unwanted` is aborted, nothing is tried again; a request under way is left to `ask`. */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  unwanted: AbortSignal,
  onFailure: (failure: ApiFailure) => void = () => {},
): Promise<T> {
  let failures = 0;
  try {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (unwanted.aborted || isAbort(error)) throw error;
        const failure = asFailure(error);
        isSignedOut.value = failure.status === 401;
        onFailure(failure);
        if (!willBeTriedAgain(failure)) throw failure;
        failures++;
        if (failures === 1) failing.value++;
        await pause(reconnectDelay(failures), unwanted);
        if (unwanted.aborted) throw failure;
      }
    }
  } finally {
    if (failures > 0) failing.value--;
  }
}

/** Ends every pause: the server is back, or somebody does not want to wait. */
export function tryNow(): void {
  for (const end of [...pauses]) end();
}

function pause(ms: number, unwanted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      pauses.delete(end);
      unwanted.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    pauses.add(end);
    unwanted.addEventListener("abort", end);
  });
}

/** Does something soon, once for many wishes, never twice at the same time, and at most every `everyMs`. */
export function soon(act: () => Promise<void>, delayMs: number, everyMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  let isWanted = false;
  const start = async () => {
    timer = undefined;
    startedAt = performance.now();
    isRunning = true;
    isWanted = false;
    await act();
    isRunning = false;
    if (isWanted) wish();
  };
  const wish = () => {
    isWanted = true;
    if (isRunning || timer !== undefined) return;
    timer = setTimeout(() => void start(), Math.max(delayMs, startedAt + everyMs - performance.now()));
  };
  return wish;
}

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly failure: ApiFailure };

const KEPT = 40;

/** Things fetched once per message. A request for a message that was left is cancelled. */
export function resource<T>(load: (id: string, unwanted: AbortSignal) => Promise<T>) {
  const cache = new Map<string, Signal<Loaded<T>>>();

  function start(id: string): Signal<Loaded<T>> {
    const entry = signal<Loaded<T>>({ state: "loading" });
    cache.set(id, entry);
    const oldest = cache.keys().next().value;
    if (cache.size > KEPT && oldest !== undefined) cache.delete(oldest);
    void fill(id, entry);
    return entry;
  }

  async function fill(id: string, entry: Signal<Loaded<T>>): Promise<void> {
    const closing = new AbortController();
    const stop = effect(() => {
      if (openedId.value !== id) closing.abort();
    });
    const fail = (failure: ApiFailure) => {
      entry.value = { state: "failed", failure };
    };
    try {
      entry.value = {
        state: "ready",
        value: await untilAnswered(() => load(id, closing.signal), closing.signal, fail),
      };
    } catch (error) {
      if (closing.signal.aborted && cache.get(id) === entry) cache.delete(id);
      fail(asFailure(error));
    } finally {
      stop();
    }
  }

  const forget = (ids: Iterable<string>) => {
    for (const id of ids) cache.delete(id);
  };
  return {
    of: (id: string) => cache.get(id) ?? start(id),
    /** These are fetched again when they are asked for next. */
    forget,
    forgetOthers: (kept: string | undefined) => forget([...cache.keys()].filter((id) => id !== kept)),
  };
}
