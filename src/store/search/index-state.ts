// What a text index knows of the messages that it was handed. It is saved in the transaction that adds their texts,
// so after a crash the index goes on from there.
import type { Database } from "bun:sqlite";

export class IndexState {
  readonly #db: Database;
  #indexedSeq = 0;
  #clearedSeq = 0;
  /** Messages up to `#indexedSeq` without all of their text. */
  readonly #unfinished = new Set<number>();

  constructor(db: Database) {
    this.#db = db;
    this.load();
  }

  /** The last message that it was handed. */
  get indexedSeq(): number {
    return this.#indexedSeq;
  }

  get clearedSeq(): number {
    return this.#clearedSeq;
  }

  get unfinished(): number[] {
    return [...this.#unfinished];
  }

  /** Whether all of a message is there, or it has gone. */
  holds(seq: number): boolean {
    return seq <= this.#indexedSeq && !this.#unfinished.has(seq);
  }

  expects(seq: number): boolean {
    return this.#unfinished.has(seq);
  }

  expect(seq: number): void {
    this.finish(seq);
    this.#unfinished.add(seq);
  }

  finish(seq: number): void {
    this.#unfinished.delete(seq);
    this.#indexedSeq = Math.max(this.#indexedSeq, seq);
  }

  forget(seq: number): void {
    this.#unfinished.delete(seq);
  }

  clear(clearedSeq: number): void {
    this.#clearedSeq = clearedSeq;
    this.#indexedSeq = clearedSeq;
    this.#unfinished.clear();
  }

  save(): void {
    this.#db.run("UPDATE state SET indexed_seq = ?, cleared_seq = ?", [this.#indexedSeq, this.#clearedSeq]);
    this.#db.run("DELETE FROM unfinished");
    this.#db.run("INSERT INTO unfinished SELECT value FROM json_each(?)", [JSON.stringify(this.unfinished)]);
  }

  /** What was saved last. */
  load(): void {
    const [state] = this.#db.query("SELECT indexed_seq, cleared_seq FROM state").values() as [
      number,
      number,
    ][];
    const unfinished = this.#db.query("SELECT seq FROM unfinished").values() as [number][];
    [this.#indexedSeq, this.#clearedSeq] = state ?? [0, 0];
    this.#unfinished.clear();
    for (const [seq] of unfinished) this.#unfinished.add(seq);
  }
}
