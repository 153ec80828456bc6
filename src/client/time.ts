// Spans of time, and the time from which an inbox sees mail.
import { parseDuration } from "../lib/time.ts";
import type { Since } from "./filter.ts";
import type { Transport } from "./transport.ts";
import type { ServiceInfo } from "./types.ts";

/** `"500ms"`, `"10s"`, `"2m"`. A number alone is refused: it may mean seconds or milliseconds. */
export type TimeSpan = `${number}${"ms" | "s" | "m"}`;

/** NaN if a caller in JavaScript passed anything but a span of time. The API refuses it. */
export const millisecondsOf = (span: string): number => parseDuration(String(span).trim()) ?? Number.NaN;

/** Times, ids and `"all"`. The server refuses times that do not exist. */
const SINCE = /^(?:all|\d{4}-.*|[0-7][0-9A-Z]{25})$/;

function refuseOthers(since: Since | undefined): void {
  if (since === undefined || since instanceof Date) return;
  if (typeof since === "string" && (SINCE.test(since) || !Number.isNaN(millisecondsOf(since)))) return;
  throw new TypeError(
    `since must be "all", a time, a span such as "10m" or the id of a mail, not '${since}'`,
  );
}

/**
 * The real time, even if a test installs a fake clock. Most fake clocks replace Date, but in Bun
 * `setSystemTime` changes Date.now itself. Other runtimes use Date.now, because their `performance` stands
 * still while a laptop sleeps.
 */
const clock = "Bun" in globalThis ? () => Math.floor(performance.timeOrigin + performance.now()) : Date.now;

/** If the clock stands still, connect() must not hang. */
const MAX_LOOKS = 100_000;

/** Waits for the end of this millisecond, so that mail sent after connect() has a later time. */
function endOfMillisecond(): number {
  const begun = clock();
  for (let looks = 0; clock() === begun && looks < MAX_LOOKS; looks++);
  return begun;
}

export type Beginning = ReturnType<typeof beginAt>;

/** By default mail from before connect() is not visible: it may belong to an earlier test run. */
export function beginAt(transport: Transport, given: Since | undefined) {
  refuseOthers(given);
  const connected = endOfMillisecond();
  /** By how many milliseconds the server's clock is ahead. Asked at first use: connect() needs no server. */
  let ahead: number | undefined;

  async function byServer(time: number, signal: AbortSignal | undefined): Promise<Date> {
    if (ahead === undefined) {
      const asked = clock();
      const info = await transport.json<ServiceInfo>("/api/v1/info", "time", { signal });
      const answered = clock();
      const told = Date.parse(info.time);
      // `told` was read between `asked` and `answered`. `ahead` is 0 if both clocks may be equal.
      ahead = Math.min(Math.max(0, told - answered), told - asked);
    }
    return new Date(time + ahead);
  }

  return {
    isConnect: given === undefined,
    /** The `since` for the API: from the filter, or else from connect(). Undefined for all mail. */
    async since(asked: Since | undefined, signal?: AbortSignal): Promise<Since | undefined> {
      refuseOthers(asked);
      const since = asked ?? given;
      if (since === "all") return undefined;
      if (since === undefined) return byServer(connected, signal);
      const span = since instanceof Date ? Number.NaN : millisecondsOf(since);
      if (Number.isNaN(span)) return since;
      // A span given to connect() counts from connect(), however late it is used.
      return byServer((since === given ? connected : clock()) - span, signal);
    },
  };
}
