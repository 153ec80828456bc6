// The bodies that wait to be sent, first in, first out. Bounded in count and bytes: the oldest give way,
// because who looks at a receiver after an outage wants to see what happens now.

export interface QueueLimits {
  readonly maxBodies: number;
  readonly maxBytes: number;
}

export class BodyQueue {
  readonly #limits: QueueLimits;
  readonly #bodies: string[] = [];
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#bodies.length;
  }

  /** The number of bodies that gave way; the new one never does, however large it is. */
  push(body: string): number {
    this.#bodies.push(body);
    this.#bytes += Buffer.byteLength(body);
    let dropped = 0;
    for (; this.#bodies.length > 1 && this.#isOverfull; dropped++) this.shift();
    return dropped;
  }

  shift(): string | undefined {
    const body = this.#bodies.shift();
    if (body !== undefined) this.#bytes -= Buffer.byteLength(body);
    return body;
  }

  get #isOverfull(): boolean {
    return this.#bodies.length > this.#limits.maxBodies || this.#bytes > this.#limits.maxBytes;
  }
}
