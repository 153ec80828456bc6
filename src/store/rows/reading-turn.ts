// How much text may be read from the rows in one turn of the event loop, by all who read: the recipients of
// one mail may take megabytes, and many who ask for them at once would keep everybody else waiting.
import { nextTurn } from "../../lib/next-turn.ts";
import { CHARS_PER_TURN } from "./long-rows.ts";

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

  spend(chars: number): void {
    if (this.#chars === 0) setImmediate(this.#begin);
    this.#chars += chars;
  }

  readonly #begin = (): void => {
    this.#chars = 0;
  };
}
