// The current time as a signal, so that "2 min" grows old by itself.
import { signal } from "@preact/signals";

const TICK_MS = 20_000;

export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    now.value = Date.now();
  }, TICK_MS);
}
