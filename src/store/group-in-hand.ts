// What a group of changes has come to so far: what the next of them must know of those before it, and what is left to
// do once the group is in the log.
import { charsOf, type MessageRow } from "./rows/row.ts";
import type { RowsState } from "./rows/state.ts";

export class GroupInHand {
  /** The newest message and the newest change, those of the group included. */
  lastSeq: number;
  lastChange: number;
  /** It does nothing but take in messages. */
  onlyInserts = true;
  /** It deletes something. */
  frees = false;
  /** How much text the rows have that it has changed. */
  chars = 0;
  /** What must be told once it is in the log and the rows: new messages, or what was done to others. */
  readonly news: (MessageRow | (() => void))[] = [];
  readonly #isConfirmed: boolean;
  /** What it does to the rows once the disk has confirmed it. */
  readonly #waiting: (() => void)[] = [];
  /** The messages that it will have changed or removed by then, and whether all. */
  #touched: Set<number> | null = null;
  #clears = false;

  /** `isConfirmed`: the rows are changed only once the disk has confirmed the group. */
  constructor({ last_seq, last_change }: RowsState, isConfirmed: boolean) {
    this.lastSeq = last_seq;
    this.lastChange = last_change;
    this.#isConfirmed = isConfirmed;
  }

  get isEmpty(): boolean {
    return this.news.length === 0;
  }

  get waitingChanges(): number {
    return this.#waiting.length;
  }

  changeRows(change: () => void): void {
    if (this.#isConfirmed) this.#waiting.push(change);
    else change();
  }

  /** Does to the rows what has waited for the disk. */
  makeWaitingChanges(): void {
    for (const change of this.#waiting) change();
  }

  /** Changes that wait for the disk do not see each other. False when one before this has to do with these messages. */
  touch(found: readonly MessageRow[]): boolean {
    if (this.#isConfirmed && !this.#touchOnce(found)) return false;
    this.onlyInserts = false;
    for (const row of found) this.chars += charsOf(row);
    return true;
  }

  /** All there are, those of the group included. False when one before this does more than take in messages. */
  touchAll(): boolean {
    if (this.#isConfirmed && !this.onlyInserts) return false;
    this.onlyInserts = false;
    this.#clears = true;
    return true;
  }

  #touchOnce(found: readonly MessageRow[]): boolean {
    this.#touched ??= new Set();
    const touched = this.#touched;
    if (this.#clears || found.some(({ seq }) => touched.has(seq))) return false;
    for (const { seq } of found) touched.add(seq);
    return true;
  }
}
