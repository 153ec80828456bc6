// The text index: one FTS5 table in a file of its own, used by the search thread only.
import type { Database, Statement } from "bun:sqlite";
import { isAscii } from "../../lib/runtime.ts";
import { foldLongText, foldWords, MAX_SHORT_CHARS, WORD } from "../../query/index.ts";
import { closeIndex, type IndexSchema, isMostlyFree, openIndex, shrinkIndex } from "../sqlite.ts";
import { EVERY_MAIL, headerWord, inboxWord } from "./match.ts";
import type { Answer, IndexedMail } from "./protocol.ts";

/**
 * Text is folded first. Remaining marks, such as vowels of Thai and Hindi, belong to their word.
 * 'deletemerge' is in percent: at FTS5's default, 10, bulk deletions took seven times as long.
 */
export const SEARCH_SCHEMA: IndexSchema = {
  version: 104,
  sql: `
CREATE VIRTUAL TABLE mail USING fts5 (subject, body, sender, recipients, cc, bcc, reply_to, message_id, filenames,
  headers, header_words, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
INSERT INTO mail (mail, rank) VALUES ('deletemerge', 50);
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

export interface SearchedText {
  readonly body: string;
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly bcc: string;
  readonly reply_to: string;
  readonly message_id: string;
  readonly filenames: string;
  readonly headers: readonly SearchedField[];
}

interface SearchedField {
  /** Lower case. */
  readonly name: string;
  readonly value: string;
  /** Whether the field is found only if the search names it. */
  readonly isTrace: boolean;
}

export class TextIndex {
  readonly #db: Database;
  readonly #insert: Statement;
  /** How many mails each recent search has found. Any change clears this. */
  readonly #totals = new Map<string, number>();
  readonly rebuiltBecause: string | null;
  /** The number of the last record that was applied. */
  applied: number;

  constructor(path: string, salt: number) {
    const { db, rebuiltBecause } = openIndex(path, SEARCH_SCHEMA, salt);
    this.#db = db;
    this.rebuiltBecause = rebuiltBecause;
    this.#insert = db.prepare(
      `INSERT INTO mail (rowid, subject, body, sender, recipients, cc, bcc, reply_to, message_id, filenames,
         headers, header_words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.applied = (db.query("SELECT applied FROM state").get() as { applied: number }).applied;
  }

  /** Changes gather in one transaction until `commit`; searches see them at once. */
  add({ seq, inbox, subject, sender, recipients }: IndexedMail, text: SearchedText): void {
    this.#begin();
    const { body, from, to, cc, bcc, reply_to, message_id, filenames, headers } = text;
    // A recipient that is neither in To nor in Cc may have been a Cc or a Bcc, so both columns get it.
    const unseen = unnamed(recipients, `${to} ${cc}`);
    this.#insert.run(
      seq,
      tokenizable(subject),
      tokenizable(body),
      tokenizable([from, ...unnamed([sender], from)].join(" ")),
      tokenizable([to, ...unnamed(recipients, to)].join(" ")),
      tokenizable([cc, ...unseen].join(" ")),
      tokenizable([bcc, ...unseen].join(" ")),
      tokenizable(reply_to),
      tokenizable(message_id),
      tokenizable(filenames),
      tokenizable(plainValues(headers)),
      `${inboxWord(inbox)} ${headerWords(headers)}`,
    );
  }

  remove(seqs: readonly number[]): void {
    this.#begin();
    for (const seq of seqs) this.#db.query("DELETE FROM mail WHERE rowid = ?").run(seq);
  }

  clear(applied: number): void {
    this.#begin();
    this.#db.run("INSERT INTO mail (mail) VALUES ('delete-all')");
    this.applied = applied;
    this.commit();
    shrinkIndex(this.#db);
  }

  commit(): void {
    if (!this.#db.inTransaction) return;
    this.#db.query("UPDATE state SET applied = ?").run(this.applied);
    this.#db.run("COMMIT");
    if (isMostlyFree(this.#db)) shrinkIndex(this.#db);
  }

  page(match: string, before: number, limit: number, offset: number): Answer {
    const page = this.#db.query<{ seq: number }, [string, number, number, number]>(PAGE);
    const found = limit === 0 ? [] : page.all(match, before, limit, offset);
    return { seqs: Float64Array.from(found, ({ seq }) => seq), total: this.#totalOf(match) };
  }

  /** Oldest first. */
  all(match: string): Answer {
    const found = this.#db.query<{ seqs: string }, string>(ALL).get(match)?.seqs ?? "[]";
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

function unnamed(addresses: readonly string[], field: string): readonly string[] {
  const lower = field.toLowerCase();
  return addresses.filter((address) => !lower.includes(address.toLowerCase()));
}

const plainValues = (headers: readonly SearchedField[]): string =>
  headers.flatMap(({ value, isTrace }) => (isTrace ? [] : value)).join(" ");

function headerWords(headers: readonly SearchedField[]): string {
  let words = EVERY_MAIL;
  for (const { name, value } of headers) {
    const start = headerWord(name, "");
    words += ` ${start}`;
    if (value !== "")
      words += ` ${tokenizable(value).replace(isAscii(value) ? ASCII_WORD : WORD, `${start}$&`)}`;
  }
  return words;
}

const ASCII_WORD = /[a-z0-9]+/gi;

/** Finds text beyond ASCII that may need folding. The excluded spaces and punctuation never do. */
const FOLDABLE = /[^\x00-\x7f\xa0\u2000-\u200a\u200c-\u205f\u206a-\u206f]/;

/** Folds a text in the same way as words that are searched for. */
function tokenizable(text: string): string {
  if (text.length > MAX_SHORT_CHARS) return foldLongText(text);
  // The tokenizer folds ASCII itself.
  return isAscii(text) || !FOLDABLE.test(text) ? text : foldWords(text);
}
