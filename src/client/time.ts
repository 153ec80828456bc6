// Spans of time as the API takes them.
import { parseDuration } from "../lib/duration.ts";

/** `"500ms"`, `"10s"`, `"2m"`. A number alone is refused: it may mean seconds or milliseconds. */
export type TimeSpan = `${number}${"ms" | "s" | "m"}`;

/** NaN for what the API must judge. */
export const millisecondsOf = (span: string): number => parseDuration(span.trim()) ?? Number.NaN;

/** Without types anything may be passed. The sentence is that of the API. */
export function refuseNumber(name: string, span: TimeSpan | undefined): void {
  if (span === undefined || typeof span === "string") return;
  throw new TypeError(
    `${name} must be a span of time such as 500ms, 10s or 2m, at most 5m; given was '${span}'`,
  );
}

/** Milliseconds for a person: "800 ms", "1.5 s". */
export function showMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${Number((milliseconds / 1000).toFixed(1))} s`;
}
