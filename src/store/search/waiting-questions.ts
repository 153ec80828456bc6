// Questions that wait for large messages whose text is still being gone through. A search knows every message that
// was acknowledged before it. One whose sender still waits for its text is not, and a search waits for it a moment
// only: that is enough for nearly all, which somebody who heard of them may look for.
import type { Question } from "./protocol.ts";

export interface Asked {
  readonly number: number;
  readonly question: Question;
}

interface Waiting extends Asked {
  /** The last large message that was there when it was asked. */
  readonly lastSeq: number;
  readonly askedAt: number;
}

const PATIENCE_MS = 20;

export class WaitingQuestions {
  readonly #now: () => number;
  #waiting: Waiting[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `underWay`: the seqs of the large messages that are gone through, oldest first. */
  add(asked: Asked, underWay: readonly number[]): void {
    this.#waiting.push({ ...asked, lastSeq: underWay.at(-1) ?? 0, askedAt: this.#now() });
  }

  /** Those that can be answered by now; they wait no longer. */
  takeDue(underWay: readonly number[]): Asked[] {
    if (this.#waiting.length === 0) return [];
    const senders = new Set(this.#waiting.map(({ question }) => question.kind === "text" && question.seq));
    const acknowledged = underWay.filter((seq) => !senders.has(seq));
    const now = this.#now();
    const isDue = ({ question, lastSeq, askedAt }: Waiting): boolean => {
      if (question.kind === "text") return !underWay.includes(question.seq);
      if (question.kind === "barrier") return underWay.length === 0;
      const [first = Number.POSITIVE_INFINITY] = now - askedAt < PATIENCE_MS ? underWay : acknowledged;
      return first > lastSeq;
    };
    const due = this.#waiting.filter(isDue);
    this.#waiting = this.#waiting.filter((waiting) => !isDue(waiting));
    return due;
  }
}
