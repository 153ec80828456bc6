// What faults on purpose do to one client: they refuse it, keep it waiting, or slow it down.
import type { Faults, SessionTranscript } from "../app/index.ts";
import type { FaultStage } from "../lib/fault-stages.ts";
import type { Logger } from "../lib/logger.ts";
import { DROPPED, type Reply, refusalOnPurpose } from "./protocol/index.ts";

/** A pause may begin while another one lasts. */
interface Pausable {
  pause(): void;
  resume(): void;
}

export class ClientFaults {
  readonly #faults: Faults;
  readonly #logger: Logger;
  readonly #client: Pausable;
  readonly #transcript: SessionTranscript;
  /** Pauses that are not over: nothing is read or said. */
  silences = 0;
  /** How fast the client may be; 0 is any speed. */
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

  /** As if the bytes had taken that long to come. */
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
