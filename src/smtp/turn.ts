// A turn of the event loop handles the input of many connections, then sends all replies, then does the work that had
// to wait for them. This is faster than one connection after the other. The input of a client
// that is alone or new is handled at once. Turns are short, and clients with little input go first.

export interface Party {
  /** Whether the client has much input. If so, it acts after the others. */
  readonly isBulky: boolean;
  /** Handles the client's input. */
  act(): void;
  /** Sends the replies to the client. */
  speak(): void;
  /** Does the work that had to wait until the replies were sent. */
  settle(): void;
}

/** After a reply to a lone client, do not sleep: its next input usually comes sooner than the loop could wake up. */
const STAY_AWAKE_NS = 20_000;

/**
 * Time limits in a turn, for clients with little and with much input. Clients that are not reached
 * in this time wait for a later turn.
 */
const MAX_ACTING_NS = { brief: 10_000_000, bulky: 5_000_000 };

/** While replies wait to be sent, clients with much input skip at most this many turns. */
const MAX_PASSED_TURNS = 3;

export class Turn {
  readonly #brief: Party[] = [];
  readonly #bulky: Party[] = [];
  #isNext = false;
  #passedTurns = 0;
  #speakers: Party[] = [];
  #last: Party | null = null;
  /** The client that sent the last two inputs, if no client was waiting for a turn. */
  #lone: Party | null = null;
  #awakeUntil = 0;
  #isAwake = false;
  /** When the first client of this turn was handled at once because of `atOnce`; 0 if none was. */
  #atOnceSince = 0;

  /**
   * Handles new input of a client: at once if the client is alone and not bulky, or if `atOnce` is set and this turn is
   * still short; otherwise in a later turn.
   */
  arrive(party: Party, atOnce: boolean): void {
    const isAlone = party === this.#last && !this.#isNext;
    this.#last = party;
    this.#lone = isAlone ? party : null;
    if ((isAlone && !party.isBulky) || (atOnce && this.#mayActAtOnce())) party.act();
    else this.again(party);
  }

  /** Lets this client act in a later turn. */
  again(party: Party): void {
    (party.isBulky ? this.#bulky : this.#brief).push(party);
    this.#goOn();
  }

  /** Sends the client's replies at the end of the turn, or at once if the client is alone. */
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

  /** Lets at least one client act. Clients that are added during this turn get the next one. */
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

  /** Keeps the event loop awake: it does not sleep while an immediate is pending. */
  readonly #lookAgain = (): void => {
    this.#isAwake = Bun.nanoseconds() < this.#awakeUntil;
    if (this.#isAwake) setImmediate(this.#lookAgain);
  };
}
