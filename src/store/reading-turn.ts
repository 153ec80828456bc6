// How much text lists may read from the rows in one turn of the event loop, all of them together: the recipients of
// one mail may take megabytes, and many who ask for them at once would keep everybody else waiting.
import { nextTurn } from "../lib/next-turn.ts";
import type { MessageSummary } from "../model/index.ts";
import { charsOf, summaryOf } from "./rows/row.ts";
import type { RowQueries } from "./rows/row-queries.ts";
import type { MessagePage } from "./store.ts";

export const CHARS_PER_TURN = 512 * 1024;

export class ReadingTurn {
  #chars = 0;
  #queue: Promise<void> = Promise.resolve();

  /** Who has not begun to read in this turn takes another one. */
  get isOver(): boolean {
    return this.#chars >= CHARS_PER_TURN;
  }

  /** In the order of those who wait. */
  another(): Promise<void> {
    this.#queue = this.#queue.then(nextTurn);
    return this.#queue;
  }

  /** As many as can be read in one turn, and the ids of the others; those that are gone are left out. */
  read(rows: RowQueries, seqs: readonly number[]): Pick<MessagePage, "messages" | "rest"> {
    const messages: MessageSummary[] = [];
    let [chars, at] = [0, 0];
    for (; at < seqs.length && chars < CHARS_PER_TURN; at++) {
      const row = rows.bySeq(seqs[at] ?? 0);
      if (row === null) continue;
      chars += charsOf(row);
      messages.push(summaryOf(row));
    }
    this.#spend(chars);
    return { messages, rest: seqs.slice(at).flatMap((seq) => rows.idOf(seq) ?? []) };
  }

  #spend(chars: number): void {
    if (this.#chars === 0) setImmediate(this.#begin);
    this.#chars += chars;
  }

  readonly #begin = (): void => {
    this.#chars = 0;
  };
}
