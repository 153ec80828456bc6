// Questions that wait for messages whose text is still being gone through. A search knows every message that was
// acknowledged before it. One whose sender still waits for its text is not, and a search waits for it a moment only:
// that is enough for nearly all, which somebody who heard of them may look for.
import type { Known, Question } from "./protocol.ts";

export interface Asked extends Known {
  readonly number: number;
  readonly question: Question;
}

/** What is in the index by now. */
export interface Progress {
  /** No message up to here waits, but for long ones. */
  readonly reachedSeq: number;
  /** Those long ones whose text is gone through, oldest first. */
  readonly long: readonly number[];
}

interface Waiting extends Asked {
  readonly askedAt: number;
}

const PATIENCE_MS = 20;

export class WaitingQuestions {
  readonly #now: () => number;
  #waiting: Waiting[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  add(asked: Asked): void {
    this.#waiting.push({ ...asked, askedAt: this.#now() });
  }

  /** Those that can be answered by now; they wait no longer. */
  takeDue({ reachedSeq, long }: Progress): Asked[] {
    if (this.#waiting.length === 0) return [];
    const senders = new Set(this.#waiting.map(({ question }) => question.kind === "text" && question.seq));
    const acknowledged = long.filter((seq) => !senders.has(seq));
    const now = this.#now();
    const isDue = ({ question, acknowledgedSeq, lastSeq, askedAt }: Waiting): boolean => {
      if (question.kind === "text") return reachedSeq >= question.seq && !long.includes(question.seq);
      if (question.kind === "barrier") return reachedSeq >= lastSeq && long.length === 0;
      const isPatient = now - askedAt < PATIENCE_MS;
      const [first = Number.POSITIVE_INFINITY] = isPatient ? long : acknowledged;
      return reachedSeq >= (isPatient ? lastSeq : acknowledgedSeq) && first > lastSeq;
    };
    const due = this.#waiting.filter(isDue);
    this.#waiting = this.#waiting.filter((waiting) => !isDue(waiting));
    return due;
  }

  /** None waits any longer. */
  takeAll(): Asked[] {
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }
}
