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
  #entries: Entry[] = [];
  /** Entries before this index are forgotten; the array is cut now and then, not on every event. */
  #first = 0;
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
    const oldest = this.#entries[this.#first]?.seq ?? this.#seq + 1;
    if (seq < oldest - 1) return null;
    return this.#entries.slice(this.#first + (seq - oldest + 1));
  }

  #remember(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#forget();
  }

  #forget(): void {
    while (
      this.#entries.length - this.#first > this.#limits.maxEvents ||
      this.#bytes > this.#limits.maxBytes
    ) {
      const entry = this.#entries[this.#first];
      if (!entry) return;
      this.#bytes -= entry.bytes;
      this.#first++;
    }
    if (this.#first * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}
