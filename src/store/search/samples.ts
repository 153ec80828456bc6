// Now and then some of the mail that comes in, while much of it waits for its turn: by these it is known early when
// other mail comes than before, that takes the text index longer.
import type { Bodies } from "../log/log.ts";
import type { MessageRow } from "../rows/row.ts";
import { Backlog } from "./backlog.ts";
import { isLong } from "./long-messages.ts";
import type { Addition } from "./protocol.ts";

const EVERY_BYTES = 1 << 20;
const SAMPLE_BYTES = 32 << 10;

export class Samples {
  readonly #sample: Backlog;
  #bytesSince = 0;

  constructor(bodies: Bodies) {
    this.#sample = new Backlog(bodies);
  }

  /** `waitingBytes` wait for their turn. Null unless a sample is complete with this message. */
  take(row: MessageRow, waitingBytes: number): Addition[] | null {
    if (isLong(row) || waitingBytes < EVERY_BYTES) return null;
    this.#bytesSince += row.size;
    if (this.#bytesSince < EVERY_BYTES) return null;
    this.#sample.add(row);
    if (this.#sample.bytes < SAMPLE_BYTES) return null;
    this.#bytesSince = 0;
    return this.#sample.take();
  }
}
