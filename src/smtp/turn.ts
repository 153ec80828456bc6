// A turn of the event loop. What has come in for many connections is acted on together, and their replies are
// written back to back: the same code runs for all of them in a row instead of in between the system's, and a
// sleeping client is woken once. Nobody waits for a reply while another's connection is closed: that comes last.
// One client alone gains nothing from waiting, and has its turn at once. Those who keep their connection fall into
// step with each other; newcomers do not, so they share only the writing. A turn is short: what takes long, such as
// many large headers at once, is spread over several, so that others who use the same thread are served in between.

export interface Party {
  /** Takes in what has arrived. */
  act(): void;
  /** Sends its replies. */
  speak(): void;
  /** Does what waited for them to be sent. */
  settle(): void;
}

/** A client alone mostly goes on within this time: to fall asleep and be woken would take longer. */
const STAY_AWAKE_NS = 20_000;

/** Acting in one turn; after that the next one begins. */
const MAX_ACTING_NS = 10_000_000;

export class Turn {
  #arrived: Party[] = [];
  #speakers: Party[] = [];
  #last: Party | null = null;
  /** The last that came, if it had also come before that. */
  #lone: Party | null = null;
  #awakeUntil = 0;
  #isAwake = false;
  #actingNs = 0;

  /** Something has come in for this one. `atOnce`: it acts without waiting for others. */
  arrive(party: Party, atOnce: boolean): void {
    const isAlone = party === this.#last && this.#arrived.length === 0;
    this.#last = party;
    this.#lone = isAlone ? party : null;
    if ((isAlone || atOnce) && this.#actingNs < MAX_ACTING_NS) this.#letOneAct(party);
    else this.again(party);
  }

  /** This one has more to do than fits into its turn. */
  again(party: Party): void {
    this.#arrived.push(party);
    if (this.#arrived.length === 1) setImmediate(this.#letAct);
  }

  /** This one has something to say, when all that can be done now is done. */
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

  readonly #letAct = (): void => {
    const parties = this.#arrived;
    this.#arrived = [];
    this.#actingNs = 0;
    let acted = 0;
    for (const party of parties) {
      if (this.#actingNs >= MAX_ACTING_NS) break;
      this.#letOneAct(party);
      acted++;
    }
    if (acted < parties.length) this.#putBack(parties.slice(acted));
  };

  #letOneAct(party: Party): void {
    const begun = Bun.nanoseconds();
    party.act();
    this.#actingNs += Bun.nanoseconds() - begun;
  }

  /** They come first in the next turn. */
  #putBack(parties: readonly Party[]): void {
    if (this.#arrived.length === 0) setImmediate(this.#letAct);
    this.#arrived.unshift(...parties);
  }

  readonly #letSpeak = (): void => {
    const parties = this.#speakers;
    this.#speakers = [];
    this.#actingNs = 0;
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
