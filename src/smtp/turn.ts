// The end of a turn of the event loop, when the replies of many connections are written back to back.
// Written one by one between other work, each would wake a sleeping client for itself, and waking is most of
// what a small reply costs. A client's share of the work still overlaps with ours: a long turn is written in parts.
// One client alone gains nothing from waiting, and is answered at once.

export interface Speaker {
  speak(): void;
}

const PART = 16;

export class Turn {
  #waiting: Speaker[] = [];
  #scheduled = false;
  #last: Speaker | null = null;

  /** Lets this one speak by the end of the turn. */
  add(speaker: Speaker): void {
    const isAlone = speaker === this.#last && this.#waiting.length === 0;
    this.#last = speaker;
    if (isAlone) {
      speaker.speak();
      return;
    }
    this.#waiting.push(speaker);
    if (this.#waiting.length >= PART) this.#letSpeak();
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#scheduled = false;
    this.#letSpeak();
  };

  #letSpeak(): void {
    const speakers = this.#waiting;
    this.#waiting = [];
    for (const speaker of speakers) speaker.speak();
  }
}
