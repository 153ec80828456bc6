// Tells when a client has kept the server waiting for too long. Knows the time of ticks only: a period begins
// at the first tick after what begins it, so that a timeout is late by up to a tick, never early.
import type { Session } from "./protocol/index.ts";

export interface Timeouts {
  readonly idleTimeoutMs: number;
  readonly messageTimeoutMs: number;
}

export type Verdict = "fine" | "idle" | "message-too-slow";

export class Watchdog {
  readonly #timeouts: Timeouts;
  #active = true;
  #activeAt = 0;
  #message = 0;
  #messageSince = 0;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
  }

  /** The client got on: a whole command, or bytes of a message. Bytes that become nothing do not count. */
  active(): void {
    this.#active = true;
  }

  /** `waiting`: it is the server that keeps the client waiting. */
  tick(now: number, session: Session, waiting: boolean): Verdict {
    if (this.#active || waiting) {
      this.#active = false;
      this.#activeAt = now;
    }
    if (now - this.#activeAt >= this.#timeouts.idleTimeoutMs) return "idle";
    if (!session.receivingMessage || waiting) return "fine";
    if (session.messageCount !== this.#message) {
      this.#message = session.messageCount;
      this.#messageSince = now;
    }
    return now - this.#messageSince >= this.#timeouts.messageTimeoutMs ? "message-too-slow" : "fine";
  }
}
