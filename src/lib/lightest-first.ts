// What waits for its turn: the lightest is next, so that a small one does not wait behind all large ones, though no more
// than a few may pass the one that has waited longest.

const MAX_PASSING = 20;

export class LightestFirst<Item> {
  /** The one that has waited longest is first. */
  readonly #waiting: { readonly item: Item; readonly weight: number }[] = [];
  #passing = 0;

  get size(): number {
    return this.#waiting.length;
  }

  add(item: Item, weight: number): void {
    this.#waiting.push({ item, weight });
  }

  take(): Item | undefined {
    const next = this.#passing < MAX_PASSING ? this.#lightest() : 0;
    this.#passing = next === 0 ? 0 : this.#passing + 1;
    return this.#waiting.splice(next, 1)[0]?.item;
  }

  takeAll(): Item[] {
    this.#passing = 0;
    return this.#waiting.splice(0).map(({ item }) => item);
  }

  #lightest(): number {
    let lightest = 0;
    for (const [at, { weight }] of this.#waiting.entries()) {
      if (weight < (this.#waiting[lightest]?.weight ?? 0)) lightest = at;
    }
    return lightest;
  }
}
