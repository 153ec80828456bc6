// The text index: one FTS5 table in a file of its own, used by the search thread only.
import type { Database, Statement } from "bun:sqlite";
import { foldWords } from "../../lib/search-words.ts";
import { closeIndex, type IndexSchema, openIndex, shrinkIndex } from "../sqlite.ts";
import type { Answer, Match } from "./protocol.ts";

/** Text comes folded. Marks that are left (vowels of Thai, of Hindi) belong to their word. */
export const SEARCH_SCHEMA: IndexSchema = {
  version: 100,
  sql: `
CREATE VIRTUAL TABLE mail USING fts5 (subject, body, sender, recipients, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
CREATE TABLE state (applied INTEGER NOT NULL);
INSERT INTO state VALUES (0);
`,
};

export const PAGE =
  "SELECT rowid AS seq FROM mail WHERE mail MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ? OFFSET ?";
const ALL =
  "SELECT json_group_array(rowid) AS seqs FROM (SELECT rowid FROM mail WHERE mail MATCH ? ORDER BY rowid)";
const COUNT = "SELECT count(*) AS n FROM mail WHERE mail MATCH ?";
const MAX_REMEMBERED = 16;

export interface IndexedText {
  readonly seq: number;
  readonly subject: string;
  readonly body: string;
  readonly sender: string;
  readonly recipients: string;
}

export class TextIndex {
  readonly #db: Database;
  readonly #insert: Statement;
  /** Totals of searches since the last change. */
  readonly #totals = new Map<string, number>();
  /** Why a file that was there is not used. */
  readonly rebuiltBecause: string | null;
  #applied: number;

  constructor(path: string, salt: number) {
    const { db, rebuiltBecause } = openIndex(path, SEARCH_SCHEMA, salt);
    this.#db = db;
    this.rebuiltBecause = rebuiltBecause;
    this.#insert = db.prepare(
      "INSERT INTO mail (rowid, subject, body, sender, recipients) VALUES (?, ?, ?, ?, ?)",
    );
    this.#applied = (db.query("SELECT applied FROM state").get() as { applied: number }).applied;
  }

  /** The number of the last record of the log that is in here. */
  get applied(): number {
    return this.#applied;
  }

  /** Changes gather in one transaction until `commit`; searches see them at once. */
  add(text: IndexedText): void {
    this.#begin();
    this.#insert.run(
      text.seq,
      tokenizable(text.subject),
      tokenizable(text.body),
      tokenizable(text.sender),
      tokenizable(text.recipients),
    );
  }

  remove(seqs: readonly number[]): void {
    this.#begin();
    for (const seq of seqs) this.#db.query("DELETE FROM mail WHERE rowid = ?").run(seq);
  }

  clear(applied: number): void {
    this.#begin();
    this.#db.run("INSERT INTO mail (mail) VALUES ('delete-all')");
    this.advance(applied);
    this.commit();
    shrinkIndex(this.#db);
  }

  advance(applied: number): void {
    this.#applied = applied;
  }

  commit(): void {
    if (!this.#db.inTransaction) return;
    this.#db.query("UPDATE state SET applied = ?").run(this.#applied);
    this.#db.run("COMMIT");
  }

  page(match: Match, before: number, limit: number, offset: number): Answer {
    const text = match.join(" ");
    const found =
      limit === 0
        ? []
        : this.#db.query<{ seq: number }, never[]>(PAGE).all(...([text, before, limit, offset] as never[]));
    return { seqs: Float64Array.from(found, ({ seq }) => seq), total: this.#totalOf(text) };
  }

  /** Oldest first. */
  all(match: Match): Answer {
    const found = this.#db.query<{ seqs: string }, string>(ALL).get(match.join(" "))?.seqs ?? "[]";
    const seqs = Float64Array.from(JSON.parse(found) as number[]);
    return { seqs, total: seqs.length };
  }

  close(): void {
    this.commit();
    this.#insert.finalize();
    closeIndex(this.#db);
  }

  #totalOf(match: string): number {
    const known = this.#totals.get(match);
    if (known !== undefined) return known;
    const total = this.#db.query<{ n: number }, string>(COUNT).get(match)?.n ?? 0;
    if (this.#totals.size >= MAX_REMEMBERED) this.#totals.clear();
    this.#totals.set(match, total);
    return total;
  }

  #begin(): void {
    this.#totals.clear();
    if (!this.#db.inTransaction) this.#db.run("BEGIN");
  }
}

/** Beyond ASCII; spaces and typographic punctuation separate words as they are, but for some that nobody sees. */
const FOLDABLE = /[^\x00-\x7f\xa0\u2000-\u200a\u200c-\u205f\u206a-\u206f]/;

/** Text prepared for the tokenizer, the same way as words that are searched for. */
function tokenizable(text: string): string {
  // The tokenizer itself folds the case of ASCII.
  return isAscii(text) || !FOLDABLE.test(text) ? text : foldWords(text);
}

/** Ten times faster than a regular expression. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
