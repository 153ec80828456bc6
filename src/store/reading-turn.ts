// How much text lists may read from the rows in one turn of the event loop, all of them together: the recipients of
// one mail may take megabytes, and many who ask for them at once would keep everybody else waiting.
import { nextTurn } from "../lib/next-turn.ts";

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

  spend(chars: number): void {
    if (this.#chars === 0) setImmediate(this.#begin);
    this.#chars += chars;
  }

  readonly #begin = (): void => {
    this.#chars = 0;
  };
}
