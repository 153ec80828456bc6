// Files that are no longer needed go in the background: a large one takes the system a while.
// What a crash leaves behind is found by the next start.
import { rm } from "node:fs/promises";

export class Removals {
  readonly #underWay = new Set<Promise<void>>();

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  add(path: string): void {
    const removal = rm(path, { force: true })
      .catch(() => {})
      .finally(() => this.#underWay.delete(removal));
    this.#underWay.add(removal);
  }

  async done(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
