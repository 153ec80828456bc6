// Reads the log for the search worker, through one descriptor: neighbours lie in the same file.
import { closeSync, openSync, readSync } from "node:fs";
import type { BodySource } from "../log/log.ts";
import { type Blocks, copyOf } from "../log/memory-body.ts";
import type { Stretch } from "./protocol.ts";

/** A message where it lies; the bytes of one read are good until the next. */
export interface StoredRaw {
  readonly size: number;
  read(start: number, end: number): Uint8Array;
}

/** Messages up to this size are read at once, larger ones in the pieces that are asked for. */
const READ_WHOLE_BYTES = 1 << 20;
/** A buffer that has grown beyond this is not kept. */
const KEPT_BUFFER_BYTES = 16 << 20;
const FIRST_BUFFER_BYTES = 64 << 10;

export class BodyReader {
  #path = "";
  #fd = -1;
  #buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);

  open(source: BodySource): StoredRaw {
    if ("bytes" in source) return inMemory(source.bytes);
    if ("blocks" in source) return inBlocks(source.blocks, source.size);
    const { path, at, size } = source;
    this.#use(path);
    if (size <= READ_WHOLE_BYTES) return inMemory(this.#read(at, size));
    return { size, read: (start, end) => this.#read(at + start, end - start) };
  }

  /** Good until the next read. */
  stretch({ path, from, to }: Stretch): Buffer {
    this.#use(path);
    return this.#read(from, to - from);
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    this.#path = "";
  }

  #use(path: string): void {
    if (path === this.#path) return;
    this.close();
    this.#fd = openSync(path, "r");
    this.#path = path;
  }

  #read(at: number, size: number): Buffer {
    if (this.#buffer.length < size || this.#buffer.length > KEPT_BUFFER_BYTES)
      this.#buffer = Buffer.allocUnsafe(Math.max(size, FIRST_BUFFER_BYTES));
    return this.#buffer.subarray(0, readSync(this.#fd, this.#buffer, 0, size, at));
  }
}

/** Copied, for not everything takes bytes that another thread could change. */
const inBlocks = (blocks: Blocks, size: number): StoredRaw => ({
  size,
  read: (start, end) => copyOf(blocks, start, end),
});

export const inMemory = (bytes: Uint8Array): StoredRaw => ({
  size: bytes.length,
  read: (start, end) => bytes.subarray(start, end),
});
