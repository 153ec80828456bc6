// Reading from the server until it answers. What could not be had is asked for again by itself, after a growing
// pause, as long as it is wanted.
import { signal } from "@preact/signals";
import { type ApiFailure, asFailure, isAbort } from "../api/client.ts";
import { reconnectDelay } from "../api/reconnect-delay.ts";

/** What a client can do nothing about: a login that ran out, a proxy that is busy. */
const PASSING_REFUSALS = [401, 403, 408, 429];

/** How much of what the page wants could not be had so far. */
export const failing = signal(0);

const pauses = new Set<() => void>();

/** What the server has refused it will refuse again. */
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

/**
 * For what is wanted on many occasions: the newest takes the place of those that are pausing, and an answer that was
 * overtaken by a newer one is not used.
 */
export function renewable<T>(
  ask: () => Promise<T>,
  use: (answer: T) => void = () => {},
): () => Promise<void> {
  let tries = new AbortController();
  let asked = 0;
  let used = 0;
  return async () => {
    tries.abort();
    tries = new AbortController();
    const turn = ++asked;
    const askAndUse = async () => {
      const answer = await ask();
      if (turn < used) return;
      used = turn;
      use(answer);
    };
    await untilAnswered(askAndUse, tries.signal).catch(() => undefined);
  };
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
