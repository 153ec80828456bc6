// A large body on its way to disk. Bytes are written as they come, outside the event loop; a sender that is
// faster than the disk is asked to wait, so a body never lies in memory as a whole. Nor do many of them together:
// once enough bytes wait for the disk, the next ones are written on the spot.
import { close, closeSync, fdatasync, openSync, rmSync, writeSync, writev } from "node:fs";
import { crc32 } from "../../lib/crc32.ts";
import { diskFull } from "../errors.ts";
import { FILE_MODE } from "./data-dir.ts";
import type { Body, BodyFile } from "./log.ts";
import type { Room } from "./room.ts";

const WRITE_BYTES = 128 << 10;
const MAX_WAITING_BYTES = 8 << 20;

/** Bytes of all bodies of a log that are being written outside the event loop. */
export interface BytesUnderWay {
  bytes: number;
}

export class DiskBodyFile implements BodyFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #synced: boolean;
  readonly #underWay: BytesUnderWay;
  readonly #room: Room;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size = 0;
  #crc: number;
  #writing: Promise<void> | null = null;
  #failure: unknown = null;
  #ended = false;

  constructor(path: string, salt: number, synced: boolean, underWay: BytesUnderWay, room: Room) {
    this.#path = path;
    this.#underWay = underWay;
    this.#room = room;
    this.#crc = salt;
    this.#synced = synced;
    this.#fd = openSync(path, "wx", FILE_MODE);
  }

  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (!this.#room.takes(chunk.length)) throw diskFull();
    this.#crc = crc32(chunk, this.#crc);
    this.#size += chunk.length;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes < WRITE_BYTES) return;
    if (this.#writing === null && this.#underWay.bytes > MAX_WAITING_BYTES) return this.#writeOnTheSpot();
    this.#writing ??= this.#writeWaiting();
    return this.#writing;
  }

  async finish(): Promise<Body> {
    try {
      await this.#writing;
      await this.#writeWaiting();
      if (this.#failure !== null) throw this.#failure;
      if (this.#synced) await called((done) => fdatasync(this.#fd, done));
    } catch (error) {
      this.abort();
      throw error;
    }
    this.#ended = true;
    closeSync(this.#fd);
    return { kind: "file", path: this.#path, size: this.#size, crc: this.#crc };
  }

  abort(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting = [];
    // A write may still be under way: the descriptor is closed after it.
    void Promise.resolve(this.#writing).then(() => close(this.#fd));
    removeIfPossible(this.#path);
  }

  remove(): void {
    removeIfPossible(this.#path);
  }

  /** Never rejects: a failure is kept and meets the next append or the end. */
  async #writeWaiting(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const chunks = this.#waiting;
        const bytes = this.#waitingBytes;
        this.#waiting = [];
        this.#waitingBytes = 0;
        this.#underWay.bytes += bytes;
        await this.#writeAll(chunks).finally(() => {
          this.#underWay.bytes -= bytes;
        });
      }
    } catch (error) {
      this.#failure ??= error;
    } finally {
      this.#writing = null;
    }
  }

  /** A promise all the same: by it the caller knows that its chunks are not needed any more. */
  #writeOnTheSpot(): Promise<void> {
    for (const chunk of this.#waiting) {
      for (let done = 0; done < chunk.length; ) done += writeSync(this.#fd, chunk, done);
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
    return Promise.resolve();
  }

  async #writeAll(chunks: Uint8Array[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      const written = await called<number>((done) => writev(this.#fd, rest, done));
      rest = without(rest, written);
    }
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

function without(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = bytes;
  for (const chunk of chunks) {
    if (skip < chunk.length) rest.push(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.length);
  }
  return rest;
}

function called<Value = void>(
  start: (done: (error: Error | null, value?: Value) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value as Value)));
  });
}
