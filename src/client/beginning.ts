// The time from which an inbox sees mail. Mail stays on disk, so mail from before connect() belongs to an earlier test
// run.
import { millisecondsOf } from "./time.ts";
import type { Transport } from "./transport.ts";
import type { ServiceInfo } from "./types.ts";

/** `"all"`, a time (as text or a `Date`), a span up to now such as `"10m"`, or the id of a message. */
export type Since = string | Date;

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

export class Beginning {
  readonly #transport: Transport;
  readonly #given: Since | undefined;
  readonly #connected = endOfMillisecond();
  /** By how much the server's clock is ahead of ours. */
  #ahead: number | undefined;

  constructor(transport: Transport, given: Since | undefined) {
    refuseOthers(given);
    this.#transport = transport;
    this.#given = given;
  }

  get isConnect(): boolean {
    return this.#given === undefined;
  }

  /** In the form of the API; undefined for all mail. The `since` of a filter wins. */
  async since(asked: Since | undefined, signal?: AbortSignal): Promise<Since | undefined> {
    refuseOthers(asked);
    const since = asked ?? this.#given;
    if (since === "all") return undefined;
    if (since === undefined) return this.#byServer(this.#connected, signal);
    const span = since instanceof Date ? Number.NaN : millisecondsOf(since);
    if (Number.isNaN(span)) return since;
    // A span given to connect() counts from connect(), however late it is used.
    const now = since === this.#given ? this.#connected : clock();
    return this.#byServer(now - span, signal);
  }

  /** Asked at the first use, because connect() may be called before the server runs. */
  async #byServer(time: number, signal: AbortSignal | undefined): Promise<Date> {
    if (this.#ahead === undefined) {
      const asked = clock();
      const info = await this.#transport.json<ServiceInfo>("/api/v1/info", "time", { signal });
      const answered = clock();
      const told = Date.parse(info.time);
      // The server read its clock between the two times. If the clocks may agree, assume that they do.
      this.#ahead = Math.min(Math.max(0, told - answered), told - asked);
    }
    return new Date(time + this.#ahead);
  }
}
