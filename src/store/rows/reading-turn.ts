// How much text may be read from the rows in one turn of the event loop, by all who read: the recipients of
// one mail may take megabytes, and many who ask for them at once would keep everybody else waiting.
import { nextTurn } from "../../lib/next-turn.ts";
import type { MessageSummary } from "../../model/index.ts";
import type { MessagePage } from "../store.ts";
import { CHARS_PER_TURN } from "./long-rows.ts";
import { charsOf, summaryOf } from "./row.ts";
import type { RowQueries } from "./row-queries.ts";

export class ReadingTurn {
  #chars = 0;
  #queue: Promise<void> = Promise.resolve();

  /** Who wants to read long texts takes another one. What is short is read at once: many wait in line. */
  get isOver(): boolean {
    return this.#chars >= CHARS_PER_TURN;
  }

  /** In the order of those who wait. */
  another(): Promise<void> {
    this.#queue = this.#queue.then(nextTurn);
    return this.#queue;
  }

  /** As many of a page as can be read in one turn, and the ids of the others; those that are gone are left out. */
  async read(rows: RowQueries, seqs: readonly number[]): Promise<Pick<MessagePage, "messages" | "rest">> {
    if (this.isOver && rows.hasLong(seqs)) await this.another();
    const messages: MessageSummary[] = [];
    let [chars, at] = [0, 0];
    for (; at < seqs.length && chars < CHARS_PER_TURN; at++) {
      const row = rows.bySeq(seqs[at] ?? 0);
      if (row === null) continue;
      chars += charsOf(row);
      messages.push(summaryOf(row));
    }
    this.spend(chars);
    return { messages, rest: seqs.slice(at).flatMap((seq) => rows.idOf(seq) ?? []) };
  }

  spend(chars: number): void {
    if (this.#chars === 0) setImmediate(this.#begin);
    this.#chars += chars;
  }

  readonly #begin = (): void => {
    this.#chars = 0;
  };
}
