// Files that are no longer needed go in the background: a large one takes the system a while.
// What a crash leaves behind is found by the next start.
import type { Disk } from "./disk.ts";

export class Removals {
  readonly #disk: Disk;
  readonly #underWay = new Set<Promise<void>>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  add(path: string, whenGone = () => {}): void {
    const removal = this.#disk
      .remove(path)
      .then(whenGone)
      .catch(() => {})
      .finally(() => this.#underWay.delete(removal));
    this.#underWay.add(removal);
  }

  async done(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
