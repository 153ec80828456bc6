// The last events, numbered, for clients that come back after a lost connection. Bounded in count and bytes.
// Nothing is kept before somebody knows a number: to hold on to every mail for a while would cost as much as its row.
import type { InboxEvent } from "../../model/index.ts";

export interface NumberedEvent {
  readonly seq: number;
  readonly event: InboxEvent;
}

interface Entry extends NumberedEvent {
  readonly bytes: number;
}

export interface HistoryLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

export class EventHistory {
  readonly #limits: HistoryLimits;
  readonly #entries: Entry[] = [];
  #bytes = 0;
  #seq: number;
  #isKept = false;

  /** `firstSeq` must lie above every number of an earlier run, so that those are known to be gone. */
  constructor(firstSeq: number, limits: HistoryLimits) {
    this.#seq = firstSeq;
    this.#limits = limits;
  }

  get seq(): number {
    return this.#seq;
  }

  /** From now on, somebody may come back with a number. */
  keep(): void {
    this.#isKept = true;
  }

  add(event: InboxEvent, bytes: number): NumberedEvent {
    this.#seq++;
    const entry = { seq: this.#seq, event, bytes };
    if (this.#isKept) this.#remember(entry);
    return entry;
  }

  /** What came after `seq`, oldest first; null when some of it is forgotten, or `seq` was never given out. */
  after(seq: number): NumberedEvent[] | null {
    if (seq > this.#seq) return null;
    const oldest = this.#entries[0]?.seq ?? this.#seq + 1;
    return seq < oldest - 1 ? null : this.#entries.slice(seq - oldest + 1);
  }

  #remember(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    const { maxEvents, maxBytes } = this.#limits;
    while (this.#entries.length > maxEvents || this.#bytes > maxBytes)
      this.#bytes -= this.#entries.shift()?.bytes ?? this.#bytes;
  }
}
