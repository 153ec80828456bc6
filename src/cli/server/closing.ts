// What a running server has to close, in its order: the doors together, then what stands behind them, the last
// one opened first.

export class Closing {
  readonly #doors: ((graceMs: number) => Promise<void>)[] = [];
  readonly #behind: (() => Promise<void> | void)[] = [];

  /** Closes by itself what is under way when the grace is over. */
  addDoor(close: (graceMs: number) => Promise<void>): void {
    this.#doors.push(close);
  }

  add(close: () => Promise<void> | void): void {
    this.#behind.push(close);
  }

  async run(graceMs: number): Promise<void> {
    await Promise.all(this.#doors.splice(0).map((close) => close(graceMs)));
    for (const close of this.#behind.splice(0).reverse()) await close();
  }
}
