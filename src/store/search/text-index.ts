// The text index: FTS5 in a file of its own, used by one thread only.
import type { Database, Statement } from "bun:sqlite";
import { closeDerived, markInUse, openDerived } from "../derived-db.ts";
import { isDiskFull } from "../errors.ts";
import { IndexState } from "./index-state.ts";
import { type Envelope, LongTexts } from "./long-texts.ts";
import type { Answer, Match } from "./protocol.ts";
import { HELD_LONG, HELD_OF, HELD_SHORT, SEARCH_SCHEMA } from "./schema.ts";
import { mergeByHand, mergeSome, segmentsOf } from "./segments.ts";
import { startTidying, type TidyStep } from "./tidying.ts";
import { tokenizable } from "./tokens.ts";
import { Words } from "./words.ts";

export const PAGE_OF_MATCHES =
  "SELECT rowid FROM mail WHERE mail MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ? OFFSET ?";
const MAX_REMEMBERED = 16;
/** Messages removed for each one held that make it worth going through the whole index. */
const WORTH_TIDYING = 0.5;
/** Some milliseconds. With half as many nearly all of that goes into finding where it left off. */
const MERGED_PAGES = 64;

export interface IndexedText extends Envelope {
  readonly body: string;
}

interface Remembered {
  readonly total: number;
  /** Oldest first; filled when the same search comes a second time. */
  seqs: Float64Array | null;
}

export class TextIndex {
  readonly #path: string;
  readonly #db: Database;
  readonly #insert: Statement;
  readonly #remove: Statement;
  readonly #page: Statement;
  readonly #count: Statement<{ n: number }, [string]>;
  readonly #all: Statement<{ seqs: string }, [string]>;
  readonly #long: LongTexts;
  readonly #words: Words;
  /** Results of searches since the last change. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #state: IndexState;
  /** Messages removed since the index was last tidied. */
  #dead = 0;
  /** Why an existing file was not used. */
  readonly why: string | null;
  #isReadOnly = false;

  constructor(path: string, salt = 0) {
    const { db, why, isInMemory } = openIndex(path, salt, () => {
      this.#isReadOnly = true;
    });
    this.#path = isInMemory ? ":memory:" : path;
    this.why = why;
    this.#db = db;
    if (!this.#isReadOnly) this.#settle();
    this.#insert = db.prepare(
      "INSERT INTO mail (rowid, subject, body, sender, recipients) VALUES (?, ?, ?, ?, ?)",
    );
    this.#remove = db.prepare("DELETE FROM mail WHERE rowid = ?");
    this.#page = db.prepare(PAGE_OF_MATCHES);
    this.#count = db.prepare("SELECT count(*) AS n FROM mail WHERE mail MATCH ?");
    this.#all = db.prepare(
      "SELECT json_group_array(rowid) AS seqs FROM (SELECT rowid FROM mail WHERE mail MATCH ? ORDER BY rowid)",
    );
    this.#long = new LongTexts(db);
    this.#words = new Words(db);
    this.#state = new IndexState(db);
  }

  get isInMemory(): boolean {
    return this.#path === ":memory:";
  }

  /** The disk was full when the file was opened. */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  makeWritable(): void {
    if (!this.#isReadOnly) return;
    markInUse(this.#db);
    mergeByHand(this.#db);
    this.#isReadOnly = false;
  }

  get indexedSeq(): number {
    return this.#state.indexedSeq;
  }

  get clearedSeq(): number {
    return this.#state.clearedSeq;
  }

  /** The seqs of messages that are to be handed over again: not all of their text is here. */
  get unfinished(): number[] {
    return this.#state.unfinished;
  }

  /** How many messages it holds with all of their text. */
  held(): number {
    const [[mail = 0] = [], [long = 0] = []] = [HELD_SHORT, HELD_LONG].map(
      (sql) => this.#db.query(sql).values()[0] as [number],
    );
    return mail + long;
  }

  /** How many of these. */
  heldOf(seqs: readonly number[]): number {
    const [held = 0] = this.#db.query(HELD_OF).values(JSON.stringify(seqs))[0] as [number];
    return held;
  }

  /** Whether it has all of a message, or has been told that there is none. */
  holds(seq: number): boolean {
    return this.#state.holds(seq);
  }

  /** A message whose text is to follow; what there may be of it goes. */
  expect(seq: number): void {
    this.#change();
    if (this.#state.expects(seq)) this.#long.remove(seq);
    this.#state.expect(seq);
  }

  add(text: IndexedText): void {
    this.#change();
    this.#insert.run(
      text.seq,
      tokenizable(text.subject),
      tokenizable(text.body),
      tokenizable(text.sender),
      tokenizable(text.recipients),
    );
    this.#state.finish(text.seq);
  }

  /** A message whose text follows in pieces. */
  addLong(envelope: Envelope): void {
    this.#change();
    this.#long.add(envelope);
  }

  /** `number` counts from 1. */
  addPiece(seq: number, number: number, text: string): void {
    this.#change();
    this.#long.addPiece(seq, number, text);
  }

  /** There are no more pieces. */
  finishLong(seq: number): void {
    this.#change();
    this.#state.finish(seq);
  }

  /** Some milliseconds of tidying up after ordinary texts; false when there is nothing to do. */
  merge(): boolean {
    return mergeSome(this.#db, "mail", MERGED_PAGES);
  }

  /** What a search goes through one by one, but for long texts. */
  segments(): number {
    return segmentsOf(this.#db, "mail");
  }

  /** Some milliseconds of tidying up after long texts; false when there is nothing to do. */
  mergeLong(): boolean {
    return this.#long.merge();
  }

  longSegments(): number {
    return this.#long.segments();
  }

  remove(seq: number): void {
    this.#change();
    this.#remove.run(seq);
    this.#long.remove(seq);
    this.#state.forget(seq);
    this.#dead++;
  }

  clear(clearedSeq: number): void {
    this.#change();
    this.#db.run("INSERT INTO mail (mail) VALUES ('delete-all')");
    this.#long.clear();
    this.#state.clear(clearedSeq);
    this.#dead = 0;
    this.commit();
    this.#db.run("VACUUM");
    this.#db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Null as long as the messages removed are few beside those held. */
  startTidying(): TidyStep | null {
    if (this.#dead === 0 || this.#dead < this.held() * WORTH_TIDYING) return null;
    this.#dead = 0;
    return startTidying(this.#db);
  }

  /** Changes gather in one transaction until this is called. */
  commit(): void {
    if (!this.#db.inTransaction) return;
    this.#state.save();
    this.#db.run("COMMIT");
  }

  /** Takes back what is not committed, and leaves the disk the room that it has taken. */
  rollback(): void {
    this.#remembered.clear();
    if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    this.#state.load();
    try {
      this.#db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Not even room for that; what lies in the write-ahead log is read from there.
    }
  }

  page(match: Match, before: number, limit: number, offset: number): Answer {
    const key = match.join(" ");
    if (!this.#remembered.has(key)) {
      const long = this.#long.matching(match);
      const narrow = this.#narrowed(match);
      const total = this.#countOf(narrow) + long.length;
      this.#remember(key, { total, seqs: null });
      return { total, seqs: this.#pageFromIndex(narrow.join(" "), long, before, limit, offset) };
    }
    const all = this.all(match);
    const end = Math.max(0, firstNotBelow(all, before) - offset);
    return { total: all.length, seqs: all.slice(Math.max(0, end - limit), end).reverse() };
  }

  /** Oldest first. */
  all(match: Match): Float64Array {
    const key = match.join(" ");
    const known = this.#remembered.get(key);
    if (known?.seqs) return known.seqs;
    const found = this.#all.get(this.#narrowed(match).join(" "))?.seqs ?? "[]";
    const seqs = Float64Array.from(JSON.parse(found) as number[]);
    const long = this.#long.matching(match);
    const all = long.length === 0 ? seqs : Float64Array.from([...seqs, ...long]).sort();
    this.#remember(key, { total: all.length, seqs: all });
    return all;
  }

  close(): void {
    this.commit();
    for (const statement of [this.#insert, this.#remove, this.#page, this.#count, this.#all])
      statement.finalize();
    this.#long.close();
    this.#words.close();
    closeDerived(this.#db, this.#path);
  }

  #settle(): void {
    try {
      mergeByHand(this.#db);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#isReadOnly = true;
    }
  }

  /** To ask for words writes what has gathered in memory: that waits for the commit. */
  #narrowed(match: Match): Match {
    return this.#db.inTransaction ? match : this.#words.narrowed(match);
  }

  #countOf(narrow: Match): number {
    const known = this.#db.inTransaction ? null : this.#words.count(narrow);
    return known ?? this.#count.get(narrow.join(" "))?.n ?? 0;
  }

  #pageFromIndex(
    match: string,
    long: readonly number[],
    before: number,
    limit: number,
    offset: number,
  ): Float64Array {
    if (limit === 0) return new Float64Array();
    if (long.length === 0) return this.#newest(match, before, limit, offset);
    const seqs = [...this.#newest(match, before, offset + limit, 0), ...long.filter((seq) => seq < before)];
    return Float64Array.from(seqs.sort((a, b) => b - a).slice(offset, offset + limit));
  }

  #newest(match: string, before: number, limit: number, offset: number): Float64Array {
    const found = this.#page.values(match, before, limit, offset) as [number][];
    return Float64Array.from(found, ([seq]) => seq);
  }

  #change(): void {
    this.#remembered.clear();
    if (!this.#db.inTransaction) this.#db.run("BEGIN");
  }

  #remember(match: string, result: Remembered): void {
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(match, result);
  }
}

/** Without a file, on a disk that has no room for a new one, the index is in memory until the next start. */
function openIndex(path: string, salt: number, onUnmarked: () => void) {
  try {
    return { ...openDerived(path, SEARCH_SCHEMA, salt, onUnmarked), isInMemory: path === ":memory:" };
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return { ...openDerived(":memory:", SEARCH_SCHEMA, salt), isInMemory: true };
  }
}

/** Index of the first element that is not below the bound, in an ascending array. */
function firstNotBelow(seqs: Float64Array, bound: number): number {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((seqs[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
