// How long to wait before the next try: twice as long each time, up to a bound, and never all pages at once.

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;

/** `chance` lies between 0 and 1. */
export function reconnectDelay(failures: number, chance = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS) * (0.8 + chance * 0.4);
}
