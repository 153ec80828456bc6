// The progress of deliveries to one target: the position in the mail, and the latest outcomes. Both are
// settings in the log, so they survive a restart, and the next leader of several nodes knows them.
import type { Logger } from "../../lib/logger.ts";
import type { Store } from "../../store/index.ts";
import { coalesced } from "../coalesced.ts";

export interface JournalEntry {
  readonly id: string;
  readonly at: string;
  /** In the journal `waiting` means deferred: the mail is tried again, and later ones go ahead. */
  readonly status: "waiting" | "delivered" | "failed" | "skipped";
  readonly tries: number;
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

/** The name under which the position is saved. Outcomes are saved under numbers. */
const POSITION = "position";

export type JournalValue = JournalEntry | string;

export class Journal {
  readonly #kept: number;
  readonly #save: (name: string, value: JournalValue) => void;
  /** The slot of each mail's entry. The slots of forgotten mails are used again. */
  readonly #slots = new Map<string, number>();
  /** In the order in which they were written. */
  readonly #entries = new Map<string, JournalEntry>();
  #position: string | null = null;

  /**
   * Remembers the last `kept` outcomes. `save` must save all earlier outcomes before it saves a position. The
   * caller passes saved values to `load`, at the start and when another node changes them.
   */
  constructor(kept: number, save: (name: string, value: JournalValue) => void) {
    this.#kept = kept;
    this.#save = save;
  }

  /** All mails up to this id are settled or `waiting`; null if the journal is new. */
  get position(): string | null {
    return this.#position;
  }

  /** Mails up to the position that are to be tried again. */
  get waiting(): JournalEntry[] {
    return [...this.#entries.values()].filter(({ status }) => status === "waiting");
  }

  outcomeOf(id: string): JournalEntry | undefined {
    return this.#entries.get(id);
  }

  load(name: string, value: JournalValue): void {
    if (typeof value === "string") {
      // A former leader may save a position that the present one has passed.
      if (this.#position === null || value > this.#position) this.#position = value;
      return;
    }
    const slot = Number(name);
    for (const [id, used] of this.#slots) if (used === slot && id !== value.id) this.#forget(id);
    this.#slots.set(value.id, slot);
    this.#keep(value);
  }

  moveTo(id: string): void {
    if (this.#position !== null && id <= this.#position) return;
    this.#position = id;
    this.#save(POSITION, id);
  }

  add(entry: JournalEntry): void {
    if (this.#kept > 0) {
      const freed = this.#keep(entry);
      const slot = this.#slots.get(entry.id) ?? freed ?? Math.max(-1, ...this.#slots.values()) + 1;
      this.#slots.set(entry.id, slot);
      this.#save(String(slot), entry);
    }
    this.moveTo(entry.id);
  }

  /** Returns the slot that became free, if an older entry was dropped. */
  #keep(entry: JournalEntry): number | undefined {
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
    if (this.#entries.size <= this.#kept) return undefined;
    const old = [...this.#entries.values()].find(({ id, status }) => status !== "waiting" && id !== entry.id);
    return old === undefined ? undefined : this.#forget(old.id);
  }

  #forget(id: string): number | undefined {
    const slot = this.#slots.get(id);
    this.#entries.delete(id);
    this.#slots.delete(id);
    return slot;
  }
}

/**
 * Saves the values of all journals one at a time, so that mail and changes never wait behind many of them. If
 * a key has several values, only the last is saved.
 */
export class JournalSaver {
  readonly #store: Pick<Store, "set">;
  readonly #logger: Logger;
  readonly #unsaved = new Map<string, JournalValue | null>();

  constructor(store: Pick<Store, "set">, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  save(key: string, value: JournalValue | null): void {
    // A position goes to the end, because it must not be saved before an earlier outcome.
    if (typeof value === "string") this.#unsaved.delete(key);
    this.#unsaved.set(key, value);
    void this.saveAll();
  }

  isUnsaved(key: string): boolean {
    return this.#unsaved.has(key);
  }

  forget(): void {
    this.#unsaved.clear();
  }

  /** Values that could not be saved are tried again with the next one, and when the server stops. */
  readonly saveAll = coalesced(async () => {
    try {
      for (const [key, value] of this.#unsaved) {
        await this.#store.set(key, value);
        if (this.#unsaved.get(key) === value) this.#unsaved.delete(key);
      }
    } catch (error) {
      this.#logger.warn("delivery state not saved", { reason: String(error) });
    }
  });
}
