// The progress of deliveries to one target: the newest mail handled, and the latest outcomes.

export interface JournalEntry {
  readonly id: string;
  readonly at: string;
  /** In the journal `waiting` means deferred: the mail is tried again, and later ones go ahead. */
  readonly status: "begun" | "waiting" | "delivered" | "failed" | "skipped";
  /** Missing for `begun`. */
  readonly tries?: number;
  /** Why the last try failed, perhaps only for some recipients. Contains no secrets. */
  readonly reason?: string;
  readonly response?: string;
  readonly accepted?: readonly string[];
  readonly rejected?: readonly string[];
  /** Recipients that are still to be tried. */
  readonly deferred?: readonly string[];
  /** Why recipients were refused for good. Kept until the deferred ones are settled, too. */
  readonly refusals?: readonly string[];
}

export class Journal {
  readonly #kept: number;
  readonly #save: (slot: number, entry: JournalEntry) => void;
  /** The slot of each mail's entry. The slots of forgotten mails are used again. */
  readonly #slots = new Map<string, number>();
  /** In the order in which they were written. */
  readonly #entries = new Map<string, JournalEntry>();
  #cursor: string | null = null;

  /**
   * Remembers the last `kept` outcomes. They are saved in numbered slots. The caller passes each
   * saved slot to `load`, at the start and when it changes.
   */
  constructor(kept: number, save: (slot: number, entry: JournalEntry) => void) {
    this.#kept = kept;
    this.#save = save;
  }

  /** The highest id that was ever added; null if nothing was added yet. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** Mails up to the cursor that are to be tried again. */
  get waiting(): JournalEntry[] {
    return [...this.#entries.values()].filter(({ status }) => status === "waiting");
  }

  outcomeOf(id: string): JournalEntry | undefined {
    return this.#entries.get(id);
  }

  /** Takes an entry that this node or another node saved in a slot. */
  load(slot: number, entry: JournalEntry): void {
    for (const [id, used] of this.#slots) if (used === slot && id !== entry.id) this.#forget(id);
    this.#slots.set(entry.id, slot);
    this.#keep(entry);
  }

  add(entry: JournalEntry): void {
    const freed = this.#keep(entry);
    const slot = this.#slots.get(entry.id) ?? freed ?? Math.max(-1, ...this.#slots.values()) + 1;
    this.#slots.set(entry.id, slot);
    this.#save(slot, entry);
  }

  /** Returns the slot that became free, if an older entry was dropped. */
  #keep(entry: JournalEntry): number | undefined {
    const { id } = entry;
    if (this.#cursor === null || id > this.#cursor) this.#cursor = id;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    if (this.#entries.size <= this.#kept) return undefined;
    for (const [old, { status }] of this.#entries) {
      if (status === "waiting" || old === this.#cursor) continue;
      return this.#forget(old);
    }
    return undefined;
  }

  #forget(id: string): number | undefined {
    const slot = this.#slots.get(id);
    this.#entries.delete(id);
    this.#slots.delete(id);
    return slot;
  }
}
