// The text index while the disk has no room for it: the file as it stands, without what was removed since,
// and in memory what came after. Mail that was taken in is found all the same.
import type { Envelope } from "./long-texts.ts";
import type { Answer, Match } from "./protocol.ts";
import { type IndexedText, TextIndex } from "./text-index.ts";

export class SpilledIndex {
  readonly #file: TextIndex;
  readonly #memory = new TextIndex(":memory:");
  readonly #removed: Set<number>;
  /** Of the texts in memory, by seq. */
  readonly #chars = new Map<number, number>();
  /** The most that was to be taken at a time: of a message with attachments far more than its text. */
  #mostBytes = 0;

  /** `removed`: what the file still holds and should not. What it lacks the text of goes to memory as well. */
  constructor(file: TextIndex, removed: readonly number[]) {
    this.#file = file;
    this.#removed = new Set([...removed, ...file.unfinished]);
    this.#memory.clear(file.indexedSeq);
    for (const seq of file.unfinished) this.#memory.expect(seq);
  }

  get indexedSeq(): number {
    return this.#memory.indexedSeq;
  }

  get unfinished(): number[] {
    return this.#memory.unfinished;
  }

  /** For all that is in memory: with less the file would be full again before it has all of it. */
  get bytesNeeded(): number {
    return [...this.#chars.values()].reduce((sum, chars) => sum + chars, this.#mostBytes);
  }

  mustTake(bytes: number): void {
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
  }

  holds(seq: number): boolean {
    return this.#memory.holds(seq);
  }

  expect(seq: number): void {
    this.#memory.expect(seq);
  }

  add(text: IndexedText): void {
    this.#memory.add(text);
    this.#chars.set(text.seq, text.subject.length + text.body.length);
  }

  addLong(envelope: Envelope): void {
    this.#chars.set(envelope.seq, envelope.subject.length);
    this.#memory.addLong(envelope);
  }

  addPiece(seq: number, number: number, text: string): void {
    this.#memory.addPiece(seq, number, text);
    this.#chars.set(seq, (this.#chars.get(seq) ?? 0) + text.length);
  }

  finishLong(seq: number): void {
    this.#memory.finishLong(seq);
  }

  merge(): boolean {
    return this.#memory.merge();
  }

  segments(): number {
    return this.#memory.segments();
  }

  mergeLong(): boolean {
    return this.#memory.mergeLong();
  }

  longSegments(): number {
    return this.#memory.longSegments();
  }

  remove(seq: number): void {
    this.#memory.remove(seq);
    this.#chars.delete(seq);
    this.#removed.add(seq);
  }

  clear(clearedSeq: number): void {
    this.#memory.clear(clearedSeq);
    this.#removed.clear();
    this.#chars.clear();
    this.#mostBytes = 0;
  }

  page(match: Match, before: number, limit: number, offset: number): Answer {
    const all = this.all(match);
    const page = all.filter((seq) => seq < before).reverse();
    return { seqs: page.slice(offset, offset + limit), total: all.length };
  }

  /** Oldest first. */
  all(match: Match): Float64Array {
    const inFile = this.#file.all(match).filter((seq) => !this.#removed.has(seq));
    return Float64Array.from([...inFile, ...this.#memory.all(match)]).sort();
  }

  close(): void {
    this.#memory.close();
  }
}
