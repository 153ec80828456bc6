// A turn of the event loop handles the input of many connections, then sends all replies, then does the work that had
// to wait for them. This is faster than one connection after the other. A client that is alone is served at once.

export interface Party {
  /** Handles the client's input. */
  act(): void;
  /** Sends the replies to the client. */
  speak(): void;
  /** Does the work that had to wait until the replies were sent. */
  settle(): void;
}

/** Clients that are not reached in this time wait for a later turn. */
const MAX_ACTING_NS = 10_000_000;

export class Turn {
  #waiting: Party[] = [];
  #speakers: Party[] = [];
  #isNext = false;
  #last: Party | null = null;
  /** The client that sent the last two inputs, if no client was waiting for a turn. */
  #lone: Party | null = null;

  /** Handles new input of a client: at once if the client is alone, otherwise in a later turn. */
  arrive(party: Party): void {
    this.#lone = party === this.#last && !this.#isNext ? party : null;
    this.#last = party;
    if (this.#lone === null) this.again(party);
    else party.act();
  }

  /** Lets this client act in a later turn. */
  again(party: Party): void {
    this.#waiting.push(party);
    this.#goOn();
  }

  /** Sends the client's replies at the end of the turn, or at once if the client is alone. */
  add(party: Party): void {
    if (party === this.#lone && this.#speakers.length === 0) {
      party.speak();
      party.settle();
      return;
    }
    this.#speakers.push(party);
    if (this.#speakers.length === 1) setImmediate(this.#letSpeak);
  }

  #goOn(): void {
    if (this.#isNext) return;
    this.#isNext = true;
    setImmediate(this.#letAct);
  }

  /** Lets at least one client act. Clients that are added meanwhile wait for a later turn. */
  readonly #letAct = (): void => {
    this.#isNext = false;
    const parties = this.#waiting;
    this.#waiting = [];
    const end = Bun.nanoseconds() + MAX_ACTING_NS;
    let acted = 0;
    do (parties[acted++] as Party).act();
    while (acted < parties.length && Bun.nanoseconds() < end);
    this.#waiting = [...parties.slice(acted), ...this.#waiting];
    if (this.#waiting.length > 0) this.#goOn();
  };

  readonly #letSpeak = (): void => {
    const parties = this.#speakers;
    this.#speakers = [];
    for (const party of parties) party.speak();
    for (const party of parties) party.settle();
  };
}
