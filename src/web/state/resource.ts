// Things fetched once per message: a bounded cache of signals, each loading, ready or failed.
import { type Signal, signal } from "@preact/signals";
import { type ApiFailure, asFailure } from "../api/client.ts";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly failure: ApiFailure };

export interface Resource<T> {
  of(key: string): Signal<Loaded<T>>;
  /** Fetches all but this one anew when they are asked for next. */
  forgetOthers(key: string | undefined): void;
}

const KEPT = 40;

const retries: (() => void)[] = [];

/** Fetches everything again that could not be had: the server answers now, or somebody asks for it. */
export function retryFailures(): void {
  for (const retry of retries) retry();
}

export function resource<T>(load: (key: string) => Promise<T>): Resource<T> {
  const cache = new Map<string, Signal<Loaded<T>>>();

  function start(key: string): Signal<Loaded<T>> {
    const entry = signal<Loaded<T>>({ state: "loading" });
    cache.set(key, entry);
    const oldest = cache.keys().next().value;
    if (cache.size > KEPT && oldest !== undefined) cache.delete(oldest);
    fill(key, entry);
    return entry;
  }

  function fill(key: string, entry: Signal<Loaded<T>>): void {
    load(key).then(
      (value) => {
        entry.value = { state: "ready", value };
      },
      (error: unknown) => {
        entry.value = { state: "failed", failure: asFailure(error) };
      },
    );
  }

  retries.push(() => {
    for (const [key, entry] of cache) {
      if (entry.peek().state !== "failed") continue;
      entry.value = { state: "loading" };
      fill(key, entry);
    }
  });

  return {
    of: (key) => cache.get(key) ?? start(key),
    forgetOthers: (kept) => {
      for (const key of cache.keys()) if (key !== kept) cache.delete(key);
    },
  };
}
