// The last events with their numbers, for clients that reconnect or read slowly; limited in bytes.
// A single node keeps no events before a client connects or asks for the latest number, because
// kept events double the heap while much mail arrives.
import type { InboxEvent } from "../../model/index.ts";

export interface NumberedEvent {
  readonly seq: number;
  readonly event: InboxEvent;
}

interface Entry extends NumberedEvent {
  readonly bytes: number;
}

/** How many event numbers one record of the log reserves. No record has more events. The web page has a copy. */
const PER_RECORD = 2048;

export class EventHistory {
  readonly #maxBytes: number;
  readonly #position: () => number;
  readonly #entries: Entry[] = [];
  #bytes = 0;
  #seq: number;
  /** The number of the last event that is no longer in the history. */
  #forgotten: number;
  #isKept = false;

  /**
   * Without a shared log, `firstSeq` must be above all numbers from before a restart, so that old
   * numbers are recognised as forgotten.
   */
  constructor(firstSeq: number, maxBytes: number, position = () => -1) {
    this.#seq = firstSeq;
    this.#forgotten = firstSeq;
    this.#maxBytes = maxBytes;
    this.#position = position;
  }

  /** If several nodes share the log, events are numbered by its records, so a client can resume on any node. */
  static ofLog(position: () => number, maxBytes: number): EventHistory {
    const history = new EventHistory((position() + 1) * PER_RECORD - 1, maxBytes, position);
    history.keep();
    return history;
  }

  /**
   * The number of the latest event. With a shared log, the last number reserved for the current
   * record: all events of this record have been published.
   */
  get seq(): number {
    return Math.max(this.#seq, (this.#position() + 1) * PER_RECORD - 1);
  }

  /** Starts keeping events: from now on a client may reconnect and ask for those that it missed. */
  keep(): void {
    this.#isKept = true;
  }

  add(event: InboxEvent): void {
    this.#seq = Math.max(this.#seq + 1, this.#position() * PER_RECORD);
    if (this.#isKept) this.#remember({ seq: this.#seq, event, bytes: JSON.stringify(event).length });
    else this.#forgotten = this.#seq;
  }

  /** Up to `count` events after `seq`, oldest first. Null if some are lost or `seq` is too high. */
  after(seq: number, count: number): readonly NumberedEvent[] | null {
    if (seq > this.seq || seq < this.#forgotten) return null;
    const start = this.#entries.findLastIndex((entry) => entry.seq <= seq) + 1;
    return this.#entries.slice(start, start + count);
  }

  #remember(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    while (this.#bytes > this.#maxBytes) {
      const { seq, bytes } = this.#entries.shift() ?? entry;
      this.#forgotten = seq;
      this.#bytes -= bytes;
    }
  }
}
