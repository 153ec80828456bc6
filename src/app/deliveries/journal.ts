// How far a target has come: the id of the last mail that was dealt with, and the latest outcomes. One line of JSON for
// each, appended when it is certain; what a kill leaves of the last line is dropped at the next start.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";

export interface JournalEntry {
  readonly id: string;
  readonly at: string;
  readonly status: "begun" | "delivered" | "failed" | "skipped";
  /** Missing in what older versions wrote. */
  readonly tries?: number;
  /** Why it failed, in words that hold nothing secret. */
  readonly reason?: string;
  readonly response?: string;
  readonly accepted?: readonly string[];
  readonly rejected?: readonly string[];
  /** What waited behind this mail when the line was written, so that a start can tell what was deleted meanwhile. */
  readonly backlog?: Backlog;
}

export interface Backlog {
  readonly count: number;
  /** The id of the last one that was looked at. */
  readonly upTo: string;
}

const FILE_MODE = 0o600;
/** Lines beyond those that are kept, before the file is written anew. */
const SURPLUS_LINES = 200;

export class Journal {
  readonly #path: string | null;
  readonly #kept: number;
  /** Oldest first. */
  readonly #entries: Map<string, JournalEntry>;
  #cursor: string | null;
  #lines = 0;

  /** Without a path it lasts as long as the process. `kept` outcomes are remembered. */
  constructor(path: string | null, kept: number) {
    this.#path = path;
    this.#kept = kept;
    const entries = path === null ? [] : read(path);
    this.#cursor = entries.at(-1)?.id ?? null;
    this.#entries = new Map(entries.slice(-kept).map((entry) => [entry.id, entry]));
    if (entries.length > 0) this.#rewrite();
  }

  /** The id of the last mail that needs nothing more; null before the first start. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** The entry at the cursor. */
  get last(): JournalEntry | undefined {
    return this.#entries.get(this.#cursor ?? "");
  }

  outcomeOf(id: string): JournalEntry | undefined {
    return this.#entries.get(id);
  }

  /** Throws when the file cannot be written; this process goes on from there all the same. */
  add(entry: JournalEntry): void {
    this.#cursor = entry.id;
    this.#entries.set(entry.id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#kept && oldest !== undefined) this.#entries.delete(oldest);
    if (this.#path === null) return;
    if (this.#lines >= this.#kept + SURPLUS_LINES) {
      this.#rewrite();
      return;
    }
    appendFileSync(this.#path, lineOf(entry), { mode: FILE_MODE });
    this.#lines++;
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
