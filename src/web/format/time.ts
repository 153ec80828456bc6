// Times for people: short and relative in lists, exact where there is room.
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatRelative(iso: string, now: number): string {
  const time = new Date(iso);
  const age = now - time.getTime();
  if (age < MINUTE_MS) return "now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h`;
  if (age < 7 * DAY_MS) return time.toLocaleDateString(undefined, { weekday: "short" });
  const isThisYear = time.getFullYear() === new Date(now).getFullYear();
  return time.toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}

export function formatExact(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}

export function formatMoment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
