// Counts the clients that are connected, in all and by address, and says when there are too many.

export class Admission {
  readonly #maxInAll: number;
  readonly #maxPerAddress: number;
  readonly #byAddress = new Map<string, number>();
  #inAll = 0;

  constructor(maxInAll: number, maxPerAddress: number) {
    this.#maxInAll = maxInAll;
    this.#maxPerAddress = maxPerAddress;
  }

  get count(): number {
    return this.#inAll;
  }

  /** Whether one more from this address is let in; if so, it counts until it leaves. */
  admit(address: string): boolean {
    const here = this.#byAddress.get(address) ?? 0;
    if (this.#inAll >= this.#maxInAll || here >= this.#maxPerAddress) return false;
    this.#byAddress.set(address, here + 1);
    this.#inAll++;
    return true;
  }

  leave(address: string): void {
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
    this.#inAll--;
  }
}
