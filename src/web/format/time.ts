// Times and people in a few words.
import type { MessageSummary } from "../../model/index.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

// Formatters are slow to create, so each is created only once.
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const CLOCK_MS = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function formatRelative(iso: string, now: number): string {
  const time = new Date(iso);
  const age = now - time.getTime();
  if (age < MINUTE_MS) return "now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h`;
  if (age < 7 * DAY_MS) return WEEKDAY.format(time);
  return DAY.format(time);
}

export const formatExact = (iso: string): string => EXACT.format(new Date(iso));
export const formatClock = (iso: string): string => CLOCK_MS.format(new Date(iso));

export function formatMoment(moment: string | number): string {
  const time = new Date(moment);
  const isToday = time.toDateString() === new Date().toDateString();
  return (isToday ? CLOCK : MOMENT).format(time);
}

export function senderName({ preview, sender }: MessageSummary): string {
  return preview?.from_name || preview?.from_address || sender || "(no sender)";
}

export const firstRecipient = ({ recipients }: MessageSummary): string => recipients[0] ?? "(no recipients)";

export function initials(name: string): string {
  const [first = "", ...others] = name.replace(/@.*/, "").match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? [];
  return (first + (others.at(-1) ?? "")).toLocaleUpperCase() || "?";
}

export function hueOf(name: string): number {
  let hash = 7;
  for (const character of name.toLowerCase()) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  // The multiplication gives similar names different hues.
  return Math.floor(((Math.imul(hash, 0x9e3779b1) >>> 0) / 2 ** 32) * 360);
}
