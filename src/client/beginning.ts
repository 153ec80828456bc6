// The time from which an inbox sees mail. Mail stays on disk, so mail from before connect() belongs to an earlier test
// run.
import type { Since } from "./filter.ts";
import { millisecondsOf } from "./time.ts";
import type { Transport } from "./transport.ts";
import type { ServiceInfo } from "./types.ts";

/** Without types anything may be passed. */
function refuseOthers(since: Since | undefined): void {
  if (since === undefined || typeof since === "string" || since instanceof Date) return;
  throw new TypeError(
    `since must be "all", a time, a span such as "10m" or the id of a message; given was '${since}'`,
  );
}

/** Saved now, because a test may install a fake clock later. */
const clock = Date.now;

/** Gives up if the clock stands still. */
const MAX_LOOKS = 100_000;

/**
 * Waits for the end of this millisecond: the server's times have milliseconds, and mail sent after connect() must be
 * newer.
 */
function endOfMillisecond(): number {
  const begun = clock();
  for (let looks = 0; clock() === begun && looks < MAX_LOOKS; looks++);
  return begun;
}

export type Beginning = ReturnType<typeof beginAt>;

export function beginAt(transport: Transport, given: Since | undefined) {
  refuseOthers(given);
  const connected = endOfMillisecond();
  /** By how much the server's clock is ahead of ours. */
  let ahead: number | undefined;

  /** Asked at the first use, because connect() may be called before the server runs. */
  async function byServer(time: number, signal: AbortSignal | undefined): Promise<Date> {
    if (ahead === undefined) {
      const asked = clock();
      const info = await transport.json<ServiceInfo>("/api/v1/info", "time", { signal });
      const answered = clock();
      const told = Date.parse(info.time);
      // The server read its clock between the two times. If the clocks may agree, assume that they do.
      ahead = Math.min(Math.max(0, told - answered), told - asked);
    }
    return new Date(time + ahead);
  }

  return {
    isConnect: given === undefined,
    /** In the form of the API; undefined for all mail. The `since` of a filter wins. */
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
