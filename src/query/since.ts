// Times in requests: ISO 8601, in UTC unless they name a zone. `since` may also be a message's id,
// and an expiry may also be a span from now.
import { parseDuration } from "../lib/time.ts";
import { isUlid } from "../lib/ulid.ts";

export type Since = { readonly id: string } | { readonly time: Date };

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const DATE_CHARS = "2026-11-14".length;

/** Whether the day exists: JavaScript reads February 30 as March 2. */
function isDayOfCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

/** Null if the text is neither an id nor a time. */
export function parseSince(given: string): Since | null {
  if (isUlid(given)) return { id: given };
  // An unescaped "+" of a time zone arrives as a space.
  const iso = given.replace(" ", "+");
  const match = ISO_TIME.exec(iso);
  if (!match || !isDayOfCalendar(iso.slice(0, DATE_CHARS))) return null;
  const hasTime = /t/i.test(iso);
  const time = new Date(hasTime && match[1] === undefined ? `${iso}Z` : iso);
  return Number.isNaN(time.getTime()) ? null : { time };
}

export const EXPIRY = "a span of time such as 7d, or a time in the future such as 2030-01-31T10:00:00Z";

/** The end of a span from now, or a time. Null if the text is neither, or not in the future. */
export function parseExpiry(text: string, now: Date): Date | null {
  const span = parseDuration(text);
  const since = span === null ? parseSince(text) : { time: new Date(now.getTime() + span) };
  return since !== null && "time" in since && since.time > now ? since.time : null;
}
