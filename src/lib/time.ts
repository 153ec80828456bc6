// Spans of time as people write them ("500ms", "10s", "2m", "12h", "7d"), and times in ISO 8601.

/** Longer timers fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A thousand years from now, a year still has four digits, so times can be compared as text. */
const MAX_DURATION_MS = 365_250 * 86_400_000;

/** Milliseconds, or null if the text is not a duration or the duration is too long. Only 0 needs no unit. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0;
  const match = /^(\d+(?:\.\d+)?)(ms|[smhdw])$/.exec(text);
  if (!match) return null;
  const milliseconds = Math.round(Number(match[1]) * (UNITS_MS[match[2] ?? ""] ?? Number.NaN));
  return milliseconds <= MAX_DURATION_MS ? milliseconds : null;
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();
