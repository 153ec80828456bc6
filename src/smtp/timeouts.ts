// Finds clients that are silent for too long or send a message too slowly. One coarse timer serves
// all connections; a timer for each would have to be reset with every byte.
import { IDLE_TOO_LONG, MESSAGE_TOO_SLOW, type Reply, type Session } from "./protocol/index.ts";

export interface Clock {
  /** Milliseconds, never going backwards. */
  now(): number;
  /** Calls `run` about every `ms`; returns the function that ends it. */
  every(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

const MAX_TICK_MS = 1000;
const MIN_TICK_MS = 10;

export interface Timeouts {
  /** The longest time without a complete command or, within a message, without a byte. */
  readonly idleTimeoutMs: number;
  /** The longest time from DATA, or from the first BDAT, to the end of the message. */
  readonly messageTimeoutMs: number;
}

export const tickMs = ({ idleTimeoutMs, messageTimeoutMs }: Timeouts): number =>
  Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, idleTimeoutMs / 4, messageTimeoutMs / 4));

/** A timeout starts to run at the next tick, so it may end late, but never early. */
export class Watchdog {
  readonly #timeouts: Timeouts;
  #active = true;
  #activeAt = 0;
  #message = 0;
  #messageSince = 0;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
  }

  /** The client sent a whole command or bytes of a message. Other bytes do not count. */
  active(): void {
    this.#active = true;
  }

  /** The reply that ends the session, or null. `waiting`: the client waits for us, so its silence does not count. */
  tick(now: number, session: Session, waiting: boolean): Reply | null {
    if (this.#active || waiting) {
      this.#active = false;
      this.#activeAt = now;
    }
    if (now - this.#activeAt >= this.#timeouts.idleTimeoutMs) return IDLE_TOO_LONG;
    if (!session.reception.receiving || waiting) return null;
    if (session.reception.messageCount !== this.#message) {
      this.#message = session.reception.messageCount;
      this.#messageSince = now;
    }
    return now - this.#messageSince >= this.#timeouts.messageTimeoutMs ? MESSAGE_TOO_SLOW : null;
  }
}
