// The progress of deliveries to one target: the newest mail handled, and the latest outcomes. A file
// has one line of JSON for each entry. An unfinished last line is dropped at the next start.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";

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

const FILE_MODE = 0o600;
/** The file is rewritten when it has this many outdated lines. */
const SURPLUS_LINES = 200;

export class Journal {
  readonly #path: string | null;
  readonly #kept: number;
  readonly #save: ((slot: number, entry: JournalEntry) => void) | null;
  /** The slot of each mail's entry. The slots of forgotten mails are used again. */
  readonly #slots = new Map<string, number>();
  /** In the order in which they were written. */
  readonly #entries: Map<string, JournalEntry>;
  #cursor: string | null;
  #lines = 0;

  /**
   * Remembers the last `kept` outcomes. They are saved in the file at `path`, or by `save` in
   * numbered slots. The caller passes each saved slot to `load`, at the start and when it changes.
   */
  constructor(
    path: string | null,
    kept: number,
    save: ((slot: number, entry: JournalEntry) => void) | null = null,
  ) {
    this.#path = path;
    this.#kept = kept;
    this.#save = save;
    const entries = path === null ? [] : read(path);
    this.#cursor = null;
    this.#entries = new Map();
    for (const entry of entries) this.#keep(entry);
    if (entries.length > 0) this.#rewrite();
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

  /** Adds an entry that this node or another node saved in a slot. */
  load(slot: number, entry: JournalEntry): void {
    for (const [id, used] of this.#slots) if (used === slot && id !== entry.id) this.#forget(id);
    this.#slots.set(entry.id, slot);
    this.#keep(entry);
  }

  /** Throws if the file cannot be written. The entry is still added in memory. */
  add(entry: JournalEntry): void {
    const freed = this.#keep(entry);
    if (this.#save !== null) {
      const slot = this.#slots.get(entry.id) ?? freed ?? Math.max(-1, ...this.#slots.values()) + 1;
      this.#slots.set(entry.id, slot);
      this.#save(slot, entry);
    }
    if (this.#path === null) return;
    if (this.#lines >= this.#entries.size + SURPLUS_LINES) {
      this.#rewrite();
      return;
    }
    appendFileSync(this.#path, lineOf(entry), { mode: FILE_MODE });
    this.#lines++;
  }

  /** Returns the slot that became free, if an older entry with a slot was dropped. */
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

  #rewrite(): void {
    if (this.#path === null) return;
    const draft = `${this.#path}.new`;
    writeFileSync(draft, [...this.#entries.values()].map(lineOf).join(""), { mode: FILE_MODE });
    renameSync(draft, this.#path);
    this.#lines = this.#entries.size;
  }
}

const lineOf = (entry: JournalEntry): string => `${JSON.stringify(entry)}\n`;

function read(path: string): JournalEntry[] {
  try {
    return readFileSync(path, "utf8").split("\n").flatMap(entryIn);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function entryIn(line: string): JournalEntry[] {
  try {
    const entry = JSON.parse(line);
    return typeof entry?.id === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
