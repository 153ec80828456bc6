// Records the answers that the clients of the soak got, and compares them with the mailbox at the end.

export class Tally {
  readonly #stored = new Set<string>();
  readonly #announced = new Map<string, number>();
  readonly #removed = new Set<string>();
  readonly failures: string[] = [];
  requests = 0;
  slowestMs = 0;

  get storedCount(): number {
    return this.#stored.size;
  }

  get removedCount(): number {
    return this.#removed.size;
  }

  stored(id: string): void {
    if (this.#stored.has(id)) this.failed(`the id ${id} was given twice`);
    this.#stored.add(id);
  }

  answered(milliseconds: number): void {
    this.requests++;
    this.slowestMs = Math.max(this.slowestMs, milliseconds);
  }

  failed(what: string): void {
    this.failures.push(what);
  }

  /** Records a frame of the WebSocket that gets all events. */
  heard(frame: { readonly type: string; readonly data?: { readonly id: string } }): void {
    const id = frame.data?.id ?? "";
    if (frame.type === "message:new") this.#announced.set(id, (this.#announced.get(id) ?? 0) + 1);
    if (frame.type === "message:delete") this.#removed.add(id);
  }

  /** Every stored mail must be announced once. Those not removed must be listed, and no others. */
  differences(listed: readonly string[]): string[] {
    const found = new Set(listed);
    const problems = [...this.#stored].flatMap((id) => {
      const times = this.#announced.get(id) ?? 0;
      const isExpected = !this.#removed.has(id);
      return [
        ...(times === 1 ? [] : [`${id} was announced ${times} times`]),
        ...(found.has(id) === isExpected ? [] : [`${id} is ${isExpected ? "lost" : "back"}`]),
      ];
    });
    const strangers = listed
      .filter((id) => !this.#stored.has(id))
      .map((id) => `${id} was never acknowledged`);
    return [...problems, ...strangers];
  }
}
