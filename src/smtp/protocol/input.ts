// Received bytes that wait to be read, in order.

export class Input {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The chunk being read, and how far. */
  chunk: Buffer | null = null;
  offset = 0;

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#bytes += chunk.length;
    if (this.chunk !== null) {
      this.#chunks.push(chunk);
      return;
    }
    this.chunk = chunk;
    this.offset = 0;
  }

  /** Everything before `offset` of the current chunk has been read. */
  advance(offset: number): void {
    this.#bytes -= offset - this.offset;
    this.offset = offset;
    if (this.chunk !== null && offset < this.chunk.length) return;
    this.chunk = this.#chunks.length === 0 ? null : (this.#chunks.shift() as Buffer);
    this.offset = 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.chunk = null;
    this.offset = 0;
  }
}
