// Bytes that come in pieces, handed out in pieces of the length that is asked for.

export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #position = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Bytes handed out so far. */
  get position(): number {
    return this.#position;
  }

  /** Fewer at the end. */
  async take(length: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [this.#rest];
    let available = this.#rest.length;
    while (available < length) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      pieces.push(value);
      available += value.length;
    }
    const bytes = pieces.length > 1 ? Buffer.concat(pieces) : this.#rest;
    this.#rest = bytes.subarray(length);
    this.#position += Math.min(length, bytes.length);
    return bytes.subarray(0, length);
  }
}
