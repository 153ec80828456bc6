// Bodies of large messages, one file each. They are written as they arrive and can be read in pieces, so that a whole
// body need not be in memory.
import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nextTurn } from "../../lib/runtime.ts";
import { diskFull } from "../errors.ts";
import { type RawMessage, StoreError } from "../store.ts";
import { type DataDir, FILE_MODE } from "./data-dir.ts";
import { realDisk, writeAll } from "./disk.ts";
import type { DiskSpace } from "./disk-space.ts";
import type { LargeBody, LargeBodyWriter } from "./log.ts";
import { crc32 } from "./record.ts";

const BLOCK_BYTES = 64 << 10;

interface LargeBodyOptions {
  readonly path: string;
  readonly salt: number;
  readonly isSynced: boolean;
  readonly space: DiskSpace;
}

export class LargeBodyFile implements LargeBodyWriter {
  readonly #options: LargeBodyOptions;
  readonly #fd: number;
  #size = 0;
  #crc: number;
  #isClosed = false;

  constructor(options: LargeBodyOptions) {
    this.#options = options;
    this.#crc = options.salt;
    this.#fd = openSync(options.path, "wx", FILE_MODE);
  }

  /** After each block the sender waits for a turn of the event loop, so that other work can run and memory is freed. */
  append(chunk: Uint8Array): void | Promise<void> {
    if (!this.#options.space.reserveBytes(chunk.length)) throw diskFull();
    writeAll(realDisk, this.#fd, chunk, this.#size);
    this.#crc = crc32(chunk, this.#crc);
    const blocks = Math.floor(this.#size / BLOCK_BYTES);
    this.#size += chunk.length;
    if (Math.floor(this.#size / BLOCK_BYTES) > blocks) return nextTurn();
  }

  async finish(): Promise<LargeBody> {
    const { path, isSynced } = this.#options;
    if (isSynced) await realDisk.sync(this.#fd);
    this.#close();
    return { path, size: this.#size, crc: this.#crc };
  }

  abort(): void {
    this.#close();
    removeIfPossible(this.#options.path);
  }

  #close(): void {
    if (!this.#isClosed) closeSync(this.#fd);
    this.#isClosed = true;
  }
}

export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Ignored: the next start removes the file, but a segment only if a newer one replaces it.
  }
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === "ENOENT";

export async function isSound({ path, size, crc }: LargeBody, salt: number): Promise<boolean> {
  let [found, sum] = [0, salt];
  try {
    for await (const piece of Bun.file(path).slice(0, size).stream()) {
      found += piece.length;
      sum = crc32(piece, sum);
    }
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  return found === size && sum === crc;
}

/** The bytes of a file that is known to be sound. */
export function largeMessage({ path, size }: LargeBody): RawMessage {
  const content = (start = 0, end = size) => Bun.file(path).slice(start, Math.min(end, size));
  const bytes = (start?: number, end?: number) =>
    content(start, end)
      .bytes()
      .catch((cause) => {
        if (!isMissing(cause)) throw cause;
        throw new StoreError("unknown_message", "the message has been removed", { cause });
      });
  return { size, content, bytes, stream: (start, end) => content(start, end).stream() };
}

/** Empty for a node on PostgreSQL, which has no such folder. */
export const listLarge = (dir: DataDir): { id: string; path: string }[] =>
  (existsSync(dir.large) ? readdirSync(dir.large) : [])
    .filter((name) => name.endsWith(".eml"))
    .map((name) => ({ id: name.slice(0, -4), path: join(dir.large, name) }));
