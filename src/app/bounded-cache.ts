// A cache of the most recently used values, limited by their bytes. Concurrent readers share one load.

/** Added to the size of each value, so that the number of values is limited, too. */
const ENTRY_BYTES = 1024;

interface Entry<Value> {
  readonly value: Promise<Value | null>;
  bytes: number;
}

export class BoundedCache<Value extends object> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #isLasting: (value: Value) => boolean;
  /** In the order of use, oldest first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  /** Values that `isLasting` rejects are not kept: the next load may give a better value. */
  constructor(maxBytes: number, sizeOf: (value: Value) => number, isLasting = (_value: Value) => true) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
    this.#isLasting = isLasting;
  }

  /** If a load fails or finds nothing, the result is not kept. */
  get(key: string, load: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const entry: Entry<Value> = { value: load(), bytes: 0 };
    this.#entries.set(key, entry);
    entry.value.then(
      (value) => {
        if (value === null || !this.#isLasting(value)) this.#remove(key, entry);
        else this.#weigh(key, entry, ENTRY_BYTES + this.#sizeOf(value));
      },
      () => this.#remove(key, entry),
    );
    return entry.value;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(key, entry);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #weigh(key: string, entry: Entry<Value>, bytes: number): void {
    if (this.#entries.get(key) !== entry) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, victim] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest, victim);
    }
  }

  #remove(key: string, entry: Entry<Value>): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
