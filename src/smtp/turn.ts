// A turn of the event loop. What has come in for many connections is acted on together, and their replies are
// written back to back: the same code runs for all of them in a row instead of in between the system's, and a
// sleeping client is woken once. One client alone gains nothing from waiting, and has its turn at once.

export interface Party {
  /** Takes in what has arrived. */
  act(): void;
  speak(): void;
}

export class Turn {
  #arrived: Party[] = [];
  #speakers: Party[] = [];
  #last: Party | null = null;

  /** Something has come in for this one. */
  arrive(party: Party): void {
    const isAlone = party === this.#last && this.#arrived.length === 0;
    this.#last = party;
    if (isAlone) {
      party.act();
      return;
    }
    this.#arrived.push(party);
    if (this.#arrived.length === 1) setImmediate(this.#letAct);
  }

  /** This one has something to say, when all that can be done now is done. */
  add(party: Party): void {
    if (party === this.#last && this.#speakers.length === 0) {
      party.speak();
      return;
    }
    this.#speakers.push(party);
    if (this.#speakers.length === 1) queueMicrotask(this.#letSpeak);
  }

  readonly #letAct = (): void => {
    const parties = this.#arrived;
    this.#arrived = [];
    for (const party of parties) party.act();
  };

  readonly #letSpeak = (): void => {
    const parties = this.#speakers;
    this.#speakers = [];
    for (const party of parties) party.speak();
  };
}
