// Applies faults on purpose to one client: refuses it, makes it wait, or slows it down.
import type { Faults, SessionTranscript } from "../app/index.ts";
import type { Logger } from "../lib/logger.ts";
import type { FaultStage } from "../lib/smtp.ts";
import { DROPPED, type Reply, refusalOnPurpose } from "./protocol/index.ts";

/** Pauses can overlap. */
interface Pausable {
  pause(): void;
  resume(): void;
}

export class ClientFaults {
  readonly #faults: Faults;
  readonly #logger: Logger;
  readonly #client: Pausable;
  readonly #transcript: SessionTranscript;
  /** The number of running pauses. During a pause nothing is read or sent. */
  silences = 0;
  /** The speed limit of the client; 0 means none. */
  bytesPerSecond = 0;
  #throttledUntil = 0;

  constructor(faults: Faults, logger: Logger, client: Pausable, transcript: SessionTranscript) {
    this.#faults = faults;
    this.#logger = logger;
    this.#client = client;
    this.#transcript = transcript;
  }

  /** The reply that a rule wants, or null. */
  at(stage: FaultStage, context: Parameters<Faults["at"]>[1]): Reply | null {
    const hit = this.#faults.at(stage, context);
    if (hit === null) return null;
    const { rule, reply, delayMs, bytesPerSecond, drop } = hit;
    const { client } = context;
    this.#logger.info("fault on purpose", { rule, at: stage, code: reply?.code, client });
    this.#transcript.add({ wire: `(fault ${rule})\r\n` });
    if (bytesPerSecond > 0) this.bytesPerSecond = bytesPerSecond;
    if (delayMs > 0) this.#staySilent(delayMs);
    if (reply !== null) return refusalOnPurpose(reply.code, reply.enhanced, reply.text, drop);
    return drop ? DROPPED : null;
  }

  /** Waits as long as the bytes would have taken at the limited speed. */
  throttle(bytes: number): void {
    const now = performance.now();
    this.#throttledUntil = Math.max(now, this.#throttledUntil) + (bytes / this.bytesPerSecond) * 1000;
    this.#staySilent(this.#throttledUntil - now);
  }

  #staySilent(ms: number): void {
    this.#client.pause();
    this.silences++;
    this.#transcript.silentUntil = Date.now() + ms;
    const goOn = () => {
      this.silences--;
      this.#client.resume();
    };
    setTimeout(goOn, ms).unref();
  }
}
