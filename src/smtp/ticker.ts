// One coarse timer for all connections, instead of one each that every byte would have to push back.

export interface Clock {
  /** Milliseconds, never going backwards. */
  now(): number;
  /** Calls `run` about every `ms`; returns the function that ends it. */
  every(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

const MAX_TICK_MS = 1000;
const MIN_TICK_MS = 10;

/** Ticks often enough that the shortest of `timeoutsMs` is met within a quarter of itself. */
export function startTicking(
  clock: Clock,
  timeoutsMs: readonly number[],
  onTick: (now: number) => void,
): () => void {
  const quarters = timeoutsMs.map((timeout) => timeout / 4);
  const tickMs = Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, ...quarters));
  return clock.every(tickMs, () => onTick(clock.now()));
}
