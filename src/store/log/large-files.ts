// Bodies of large messages, one file each. They are written as they come, outside the event loop; a sender that is
// faster than the disk is asked to wait, so a body never lies in memory as a whole. They are read in pieces, too.
import { close, closeSync, fdatasync, openSync, readdirSync, rmSync, write, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { streamOf } from "../../lib/generator-stream.ts";
import { diskFull } from "../errors.ts";
import { type RawMessage, StoreError } from "../store.ts";
import { crc32 } from "./crc32.ts";
import { type DataDir, FILE_MODE } from "./data-dir.ts";
import type { DiskSpace } from "./disk-space.ts";
import type { LargeBody, LargeBodyWriter } from "./log.ts";
import type { LargeMeta } from "./record.ts";

const BLOCK_BYTES = 64 << 10;
/** With this much on its way to disk, further blocks are written on the spot: many bodies together stay small, too. */
const MAX_WAITING_BYTES = 8 << 20;
const READ_BYTES = 256 << 10;

/** Bytes of all bodies that are being written outside the event loop. */
export interface BytesUnderWay {
  bytes: number;
}

export interface LargeBodyOptions {
  readonly path: string;
  readonly salt: number;
  readonly isSynced: boolean;
  readonly space: DiskSpace;
  readonly underWay: BytesUnderWay;
}

export class LargeBodyFile implements LargeBodyWriter {
  readonly #options: LargeBodyOptions;
  readonly #fd: number;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #used = 0;
  #size = 0;
  /** Bytes before the current block. */
  #passed = 0;
  #crc: number;
  #writing: Promise<void> | null = null;
  #failure: unknown = null;
  #isClosed = false;

  constructor(options: LargeBodyOptions) {
    this.#options = options;
    this.#crc = options.salt;
    this.#fd = openSync(options.path, "wx", FILE_MODE);
  }

  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (!this.#options.space.reserveBytes(chunk.length)) throw diskFull();
    this.#crc = crc32(chunk, this.#crc);
    this.#size += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, BLOCK_BYTES - this.#used);
      this.#block.set(chunk.subarray(at, at + taken), this.#used);
      this.#used += taken;
      at += taken;
      if (this.#used === BLOCK_BYTES) this.#passBlock();
    }
    return this.#writing ?? undefined;
  }

  async finish(): Promise<LargeBody> {
    const { path, isSynced } = this.#options;
    try {
      await this.#writing;
      if (this.#failure !== null) throw this.#failure;
      this.#writeNow();
      if (isSynced) await promisify(fdatasync)(this.#fd);
    } catch (error) {
      this.abort();
      throw error;
    }
    this.#isClosed = true;
    closeSync(this.#fd);
    return { path, size: this.#size, crc: this.#crc };
  }

  abort(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      // A write may still be running: the descriptor is closed after it.
      void Promise.resolve(this.#writing).then(() => close(this.#fd));
    }
    removeIfPossible(this.#options.path);
  }

  /** One block at a time is written outside the event loop; if the next one is full by then, it is written here. */
  #passBlock(): void {
    const { underWay } = this.#options;
    if (this.#writing !== null || underWay.bytes >= MAX_WAITING_BYTES) {
      this.#writeNow();
      return;
    }
    const block = this.#block;
    const position = this.#passed;
    this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#used = 0;
    this.#passed += BLOCK_BYTES;
    underWay.bytes += BLOCK_BYTES;
    this.#writing = this.#writeLater(block, position).finally(() => {
      underWay.bytes -= BLOCK_BYTES;
      this.#writing = null;
    });
  }

  #writeNow(): void {
    for (let done = 0; done < this.#used; )
      done += writeSync(this.#fd, this.#block, done, this.#used - done, this.#passed + done);
    this.#passed += this.#used;
    this.#used = 0;
  }

  /** Never rejects: a failure is kept and meets the next append or the end. */
  async #writeLater(block: Buffer, position: number): Promise<void> {
    try {
      for (let done = 0; done < block.length; ) done += await this.#writeSome(block, done, position + done);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #writeSome(block: Buffer, from: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.#fd, block, from, block.length - from, position, (error, written) =>
        error ? reject(error) : resolve(written),
      );
    });
  }
}

/** What a failing disk keeps is removed by the next start. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Nobody can do anything about it now.
  }
}

/** Whether a file holds what was stored. */
export async function isSound(path: string, { size, crc }: LargeMeta, salt: number): Promise<boolean> {
  let [found, sum] = [0, salt];
  try {
    for await (const piece of readPieces(path, 0, size)) {
      found += piece.length;
      sum = crc32(piece, sum);
    }
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
  return found === size && sum === crc;
}

/** The bytes of a file that is known to be sound. */
export function largeMessage(path: string, size: number): RawMessage {
  const bounded = (end = size) => Math.min(end, size);
  const stream = (start = 0, end?: number) => streamOf(readPieces(path, start, bounded(end)));
  return {
    size,
    stream,
    bytes: (start, end) => new Response(stream(start, end)).bytes(),
    content: (start = 0, end) => Bun.file(path).slice(start, bounded(end)),
  };
}

async function* readPieces(path: string, start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
  if (start >= end) return;
  const file = await opened(path);
  try {
    for (let at = start; at < end; ) {
      const buffer = new Uint8Array(Math.min(READ_BYTES, end - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new StoreError("io_error", `${path} is shorter than it was`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
    throw new StoreError("unknown_message", "the message has been removed", { cause: error });
  }
}

/** Every large body on disk. */
export const listLarge = (dir: DataDir): { id: string; path: string }[] =>
  readdirSync(dir.large)
    .filter((name) => name.endsWith(".eml"))
    .map((name) => ({ id: name.slice(0, -4), path: join(dir.large, name) }));
