// The texts that are too long to be indexed in one go, in a table of their own: a row for the envelope and one for
// each piece of the text. A message matches when each term is found in one of its rows.
import type { Database, Statement } from "bun:sqlite";
import type { Match } from "./protocol.ts";
import { mergeSome, segmentsOf } from "./segments.ts";
import { tokenizable } from "./tokens.ts";

/** Rows of one message; its first is the envelope. */
export const ROWS_PER_MESSAGE = 1024;
/** A few milliseconds: merging all at once would take as long as indexing all at once. */
const MERGED_PAGES = 16;

export interface Envelope {
  readonly seq: number;
  readonly subject: string;
  readonly sender: string;
  readonly recipients: string;
}

export class LongTexts {
  readonly #db: Database;
  readonly #insert: Statement;
  readonly #remove: Statement;
  readonly #matching: Statement<{ seqs: string }, [string]>;
  #isEmpty: boolean;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      "INSERT INTO long (rowid, subject, body, sender, recipients) VALUES (?, ?, ?, ?, ?)",
    );
    this.#remove = db.prepare("DELETE FROM long WHERE rowid BETWEEN ? AND ?");
    this.#matching = db.prepare(
      `SELECT json_group_array(DISTINCT rowid / ${ROWS_PER_MESSAGE}) AS seqs FROM long WHERE long MATCH ?`,
    );
    this.#isEmpty = this.#holdsNothing();
  }

  add({ seq, subject, sender, recipients }: Envelope): void {
    this.#isEmpty = false;
    const columns = [tokenizable(subject), "", tokenizable(sender), tokenizable(recipients)];
    this.#insert.run(seq * ROWS_PER_MESSAGE, ...columns);
  }

  /** `number` counts from 1. */
  addPiece(seq: number, number: number, text: string): void {
    if (number >= ROWS_PER_MESSAGE) return;
    this.#insert.run(seq * ROWS_PER_MESSAGE + number, "", tokenizable(text), "", "");
  }

  /** Merges a little of what the pieces have left behind; false when there is nothing to merge. */
  merge(): boolean {
    return mergeSome(this.#db, "long", MERGED_PAGES);
  }

  segments(): number {
    return segmentsOf(this.#db, "long");
  }

  remove(seq: number): void {
    if (this.#isEmpty) return;
    this.#remove.run(seq * ROWS_PER_MESSAGE, (seq + 1) * ROWS_PER_MESSAGE - 1);
    // A search goes through what was removed as well, until that is merged away.
    if (this.#holdsNothing()) this.clear();
  }

  clear(): void {
    if (this.#isEmpty) return;
    this.#db.run("INSERT INTO long (long) VALUES ('delete-all')");
    this.#isEmpty = true;
  }

  /** Oldest first. */
  matching(match: Match): number[] {
    if (this.#isEmpty) return [];
    let seqs: number[] | null = null;
    for (const term of match) {
      const found = new Set<number>(JSON.parse(this.#matching.get(term)?.seqs ?? "[]"));
      seqs = seqs === null ? [...found] : seqs.filter((seq) => found.has(seq));
      if (seqs.length === 0) return [];
    }
    return (seqs ?? []).sort((a, b) => a - b);
  }

  close(): void {
    for (const statement of [this.#insert, this.#remove, this.#matching]) statement.finalize();
  }

  #holdsNothing(): boolean {
    return this.#db.query("SELECT 1 FROM long_docsize LIMIT 1").get() === null;
  }
}
