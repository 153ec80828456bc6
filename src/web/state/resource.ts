// Things fetched once per message: a bounded cache of signals, each loading, ready or failed.
import { effect, type Signal, signal } from "@preact/signals";
import { type ApiFailure, asFailure } from "../api/client.ts";
import { openedId } from "./route.ts";
import { untilAnswered } from "./until-answered.ts";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly failure: ApiFailure };

export interface Resource<T> {
  of(key: string): Signal<Loaded<T>>;
  /** Fetches these anew when they are asked for next. */
  forget(keys: Iterable<string>): void;
  /** Fetches all but this one anew when they are asked for next. */
  forgetOthers(key: string | undefined): void;
}

const KEPT = 40;

/** What was asked for a message that was left is not waited for: it would hold up the next one. */
export function resource<T>(load: (key: string, unwanted: AbortSignal) => Promise<T>): Resource<T> {
  const cache = new Map<string, Signal<Loaded<T>>>();

  function start(key: string): Signal<Loaded<T>> {
    const entry = signal<Loaded<T>>({ state: "loading" });
    cache.set(key, entry);
    const oldest = cache.keys().next().value;
    if (cache.size > KEPT && oldest !== undefined) cache.delete(oldest);
    void fill(key, entry);
    return entry;
  }

  /** What could not be had is tried again while its message is open, and anew when that is opened next. */
  async function fill(key: string, entry: Signal<Loaded<T>>): Promise<void> {
    const closing = new AbortController();
    const stop = effect(() => {
      if (openedId.value !== key) closing.abort();
    });
    const fail = (failure: ApiFailure) => {
      entry.value = { state: "failed", failure };
    };
    try {
      const value = await untilAnswered(() => load(key, closing.signal), closing.signal, fail);
      entry.value = { state: "ready", value };
    } catch (error) {
      if (closing.signal.aborted && cache.get(key) === entry) cache.delete(key);
      fail(asFailure(error));
    } finally {
      stop();
    }
  }

  const forget = (keys: Iterable<string>) => {
    for (const key of keys) cache.delete(key);
  };
  return {
    of: (key) => cache.get(key) ?? start(key),
    forget,
    forgetOthers: (kept) => forget([...cache.keys()].filter((key) => key !== kept)),
  };
}
