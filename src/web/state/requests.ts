// Repeats failed requests after growing pauses, as long as their answers are needed.
import { effect, type Signal, signal } from "@preact/signals";
import { type ApiFailure, asFailure, isAbort, reconnectDelay } from "../api/index.ts";
import { openedId } from "./route.ts";

/** HTTP statuses of refusals that may be temporary, such as an expired login or a busy proxy. */
const PASSING_REFUSALS = [401, 403, 408, 429];

export const failing = signal(0);
export const isSignedOut = signal(false);
export const isInboxGone = signal(false);

let hurry = new AbortController();

export function willBeTriedAgain({ status }: ApiFailure): boolean {
  return status < 400 || status >= 500 || PASSING_REFUSALS.includes(status);
}

/** Stops trying when `unwanted` is aborted. `ask` itself must cancel a running request. */
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
        if (failure.code === "unknown_inbox") isInboxGone.value = true;
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

/** Ends every pause: the server is back, or the user does not want to wait. */
export function tryNow(): void {
  hurry.abort();
  hurry = new AbortController();
}

const pause = (ms: number, unwanted: AbortSignal) =>
  new Promise((resolve) => {
    const ends = AbortSignal.any([AbortSignal.timeout(ms), hurry.signal, unwanted]);
    ends.addEventListener("abort", resolve);
  });

const SOON_MS = 150;
const SOON_AGAIN_MS = 1000;

/** Returns a function that runs `act` soon: once for many calls, and at most once a second. */
export function soon(act: () => Promise<unknown>): () => void {
  let isBusy = false;
  let isWanted = false;
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const work = async () => {
    isBusy = true;
    while (isWanted) {
      await wait(SOON_MS);
      isWanted = false;
      await Promise.all([act(), wait(SOON_AGAIN_MS)]);
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void work();
  };
}

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly failure: ApiFailure };

export async function fill<T>(
  into: Signal<Loaded<T>>,
  load: (unwanted: AbortSignal) => Promise<T>,
  unwanted: AbortSignal,
): Promise<T> {
  const fail = (failure: ApiFailure) => {
    into.value = { state: "failed", failure };
  };
  const value = await untilAnswered(() => load(unwanted), unwanted, fail);
  into.value = { state: "ready", value };
  return value;
}

const KEPT = 40;

/** Fetches and keeps something about a message. Opening another message cancels the request. */
export function resource<T>(load: (id: string, unwanted: AbortSignal) => Promise<T>) {
  const cache = new Map<string, Signal<Loaded<T>>>();

  function start(id: string): Signal<Loaded<T>> {
    const entry = signal<Loaded<T>>({ state: "loading" });
    cache.set(id, entry);
    const [oldest] = cache.keys();
    if (cache.size > KEPT && oldest !== undefined) cache.delete(oldest);
    const closing = new AbortController();
    const stop = effect(() => {
      if (openedId.value !== id) closing.abort();
    });
    fill(entry, (unwanted) => load(id, unwanted), closing.signal)
      .catch(() => {
        if (closing.signal.aborted && cache.get(id) === entry) cache.delete(id);
      })
      .finally(stop);
    return entry;
  }

  return {
    of: (id: string) => cache.get(id) ?? start(id),
    forgetOthers: (kept: string | undefined) => {
      for (const id of cache.keys()) if (id !== kept) cache.delete(id);
    },
  };
}
