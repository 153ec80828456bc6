// A large body in memory: blocks that it is copied into as it arrives, and that the search thread reads where they
// are. In one piece it would be copied for each of them, while everybody else waits.
import type { Body, BodyFile } from "./log.ts";

/** All but the last are of this size. */
export const BLOCK_BYTES = 1 << 18;

export type Blocks = readonly SharedArrayBuffer[];

export class MemoryBodyFile implements BodyFile {
  #blocks: SharedArrayBuffer[] = [];
  #size = 0;

  append(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const used = this.#size % BLOCK_BYTES;
      if (used === 0) this.#blocks.push(new SharedArrayBuffer(BLOCK_BYTES));
      const part = chunk.subarray(at, at + BLOCK_BYTES - used);
      new Uint8Array(this.#blocks.at(-1) as SharedArrayBuffer).set(part, used);
      at += part.length;
      this.#size += part.length;
    }
  }

  async finish(): Promise<Body> {
    return { kind: "blocks", blocks: this.#blocks, size: this.#size };
  }

  abort(): void {
    this.#blocks = [];
  }

  remove(): void {
    this.abort();
  }
}

/** The bytes from here to there, block by block. */
export function* viewsOf(blocks: Blocks, start: number, end: number): Generator<Uint8Array, void, void> {
  for (let at = start; at < end; ) {
    const from = at % BLOCK_BYTES;
    const length = Math.min(end - at, BLOCK_BYTES - from);
    const block = blocks[(at - from) / BLOCK_BYTES];
    if (block === undefined) return;
    yield new Uint8Array(block, from, length);
    at += length;
  }
}

/** A copy of the bytes from here to there. */
export function copyOf(blocks: Blocks, start: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  let at = 0;
  for (const view of viewsOf(blocks, start, end)) {
    bytes.set(view, at);
    at += view.length;
  }
  return bytes;
}
