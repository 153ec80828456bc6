// Open descriptors for reading segments, bounded in number; the least recently used goes first.
import { closeSync, openSync } from "node:fs";

const MAX_OPEN = 32;

export class SegmentReaders {
  readonly #open = new Map<number, number>();

  /** The descriptor of this segment; `path` is asked for only when it has to be opened. */
  get(number: number, path: () => string): number {
    const known = this.#open.get(number);
    if (known !== undefined) {
      this.#open.delete(number);
      this.#open.set(number, known);
      return known;
    }
    if (this.#open.size >= MAX_OPEN) this.#closeOldest();
    const fd = openSync(path(), "r");
    this.#open.set(number, fd);
    return fd;
  }

  forget(number: number): void {
    const fd = this.#open.get(number);
    if (fd === undefined) return;
    this.#open.delete(number);
    closeSync(fd);
  }

  closeAll(): void {
    for (const number of [...this.#open.keys()]) this.forget(number);
  }

  #closeOldest(): void {
    const oldest = this.#open.keys().next();
    if (!oldest.done) this.forget(oldest.value);
  }
}
