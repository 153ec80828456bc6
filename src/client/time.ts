// Spans of time as the API takes them; a number is milliseconds, as everywhere in JavaScript.

/** `"500ms"`, `"10s"`, `"2m"`, or milliseconds. */
export type TimeSpan = string | number;

export const timeParameter = (span: TimeSpan): string => (typeof span === "number" ? `${span}ms` : span);

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** NaN of what only the API can judge. */
export function millisecondsOf(span: TimeSpan): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(timeParameter(span).trim()) ?? [];
  return Math.round(Number(amount) * (UNITS_MS[unit] ?? Number.NaN));
}

/** Milliseconds for a person: "800 ms", "1.5 s". */
export function showMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${Number((milliseconds / 1000).toFixed(1))} s`;
}
