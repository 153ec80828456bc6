// A turn of the event loop: handles the input of many connections together, then writes their replies back to back,
// then closes connections. This is faster than one connection after the other. A client that is alone does not wait,
// unless it sends much. A newcomer does not wait either: it shares only the writing. A turn is short, so that others on
// this thread are served in between, and clients that have sent little go before those that send much.

export interface Party {
  /** Has much input that waits: acts after the others. */
  readonly isBulky: boolean;
  /** Takes in what has arrived. */
  act(): void;
  /** Sends its replies. */
  speak(): void;
  /** Runs the actions that waited for them to be sent. */
  settle(): void;
}

/** A single client mostly sends more within this time; sleeping and waking up would take longer. */
const STAY_AWAKE_NS = 20_000;

/** The time in one turn for each of both kinds. The rest acts in the next turn. */
const MAX_ACTING_NS = { brief: 10_000_000, bulky: 5_000_000 };

/** Clients with much input let the replies of others go first for at most this many turns. */
const MAX_PASSED_TURNS = 3;

export class Turn {
  readonly #brief: Party[] = [];
  readonly #bulky: Party[] = [];
  #isNext = false;
  #passedTurns = 0;
  #speakers: Party[] = [];
  #last: Party | null = null;
  /** The last two inputs came from this one. */
  #lone: Party | null = null;
  #awakeUntil = 0;
  #isAwake = false;
  /** When the first acted at once in this turn; 0 if nobody has. */
  #atOnceSince = 0;

  /** Called when data came in for a party. With `atOnce` it acts without waiting for the others. */
  arrive(party: Party, atOnce: boolean): void {
    const isAlone = party === this.#last && !this.#isNext;
    this.#last = party;
    this.#lone = isAlone ? party : null;
    if ((isAlone && !party.isBulky) || (atOnce && this.#mayActAtOnce())) party.act();
    else this.again(party);
  }

  /** This one has more to do than fits into its turn. */
  again(party: Party): void {
    (party.isBulky ? this.#bulky : this.#brief).push(party);
    this.#goOn();
  }

  /** This one has replies to send at the end of the turn. */
  add(party: Party): void {
    if (party === this.#lone && this.#speakers.length === 0) {
      party.speak();
      party.settle();
      this.#stayAwake();
      return;
    }
    this.#speakers.push(party);
    if (this.#speakers.length === 1) setImmediate(this.#letSpeak);
  }

  #mayActAtOnce(): boolean {
    const now = Bun.nanoseconds();
    if (this.#atOnceSince === 0) this.#atOnceSince = now;
    return now - this.#atOnceSince < MAX_ACTING_NS.brief;
  }

  #goOn(): void {
    if (this.#isNext) return;
    this.#isNext = true;
    setImmediate(this.#letAct);
  }

  readonly #letAct = (): void => {
    this.#isNext = false;
    this.#letSomeAct(this.#brief, MAX_ACTING_NS.brief);
    if (this.#bulky.length > 0) this.#letBulkyAct();
    if (this.#brief.length + this.#bulky.length > 0) this.#goOn();
  };

  #letBulkyAct(): void {
    const passes = this.#speakers.length > 0 && this.#passedTurns < MAX_PASSED_TURNS;
    this.#passedTurns = passes ? this.#passedTurns + 1 : 0;
    if (!passes) this.#letSomeAct(this.#bulky, MAX_ACTING_NS.bulky);
  }

  /** At least one. Clients that arrive now get the next turn. */
  #letSomeAct(parties: Party[], maxNs: number): void {
    const waiting = parties.length;
    const begun = Bun.nanoseconds();
    let acted = 0;
    this.#atOnceSince = 0;
    while (acted < waiting && (acted === 0 || Bun.nanoseconds() - begun < maxNs)) {
      (parties[acted++] as Party).act();
    }
    if (acted === parties.length) parties.length = 0;
    else parties.splice(0, acted);
  }

  readonly #letSpeak = (): void => {
    const parties = this.#speakers;
    this.#speakers = [];
    this.#atOnceSince = 0;
    for (const party of parties) party.speak();
    for (const party of parties) party.settle();
  };

  #stayAwake(): void {
    this.#awakeUntil = Bun.nanoseconds() + STAY_AWAKE_NS;
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(this.#lookAgain);
  }

  /** The event loop does not sleep as long as there is something to do at once. */
  readonly #lookAgain = (): void => {
    this.#isAwake = Bun.nanoseconds() < this.#awakeUntil;
    if (this.#isAwake) setImmediate(this.#lookAgain);
  };
}
