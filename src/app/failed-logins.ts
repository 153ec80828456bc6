// Counts wrong passwords by IP address. After a few failures, the answer to each further wrong password is delayed, so
// that guessing is slow. The right password is never delayed.

const FREE_FAILURES = 5;
const DELAY_MS = 1000;
const REMEMBERED_MS = 60_000;
const MAX_ADDRESSES = 1000;

export class FailedLogins {
  readonly #now: () => number;
  /** The address with the latest failure is the last. */
  readonly #byAddress = new Map<string, { readonly count: number; readonly at: number }>();

  /** `now` gives the milliseconds of a clock that cannot be set back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a failure and returns the delay of its answer in milliseconds. */
  delayOf(address: string): number {
    const at = this.#now();
    const before = this.#byAddress.get(address);
    const count = before && at - before.at < REMEMBERED_MS ? before.count + 1 : 1;
    this.#byAddress.delete(address);
    this.#byAddress.set(address, { count, at });
    const [oldest = ""] = this.#byAddress.keys();
    if (this.#byAddress.size > MAX_ADDRESSES) this.#byAddress.delete(oldest);
    return count > FREE_FAILURES ? DELAY_MS : 0;
  }
}
