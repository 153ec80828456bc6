// Free disk space. Mail is refused when less than a floor is left, so that there is room for the rest: deleting writes a
// little before it frees anything, the indexes follow the log, a compaction writes a copy. A reserve file takes up
// room that is given to deletions when even the floor is used up.
import { rmSync, statfsSync, statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { FILE_MODE } from "./data-dir.ts";

const MIN_FLOOR_BYTES = 512 << 10;
const MAX_FLOOR_BYTES = 16 << 20;
/** A small disk can spare less: this part of it. */
const PART = 32;
/** With this much above the floor, the last value is used for a while without asking again. */
const PLENTY_BYTES = 64 << 20;
const KNOWN_FOR_MS = 100;
/** What a message costs beside its bytes: its rows, and those once more in their write-ahead log. */
const MESSAGE_COSTS_BYTES = 2 << 10;
const RESERVE_BYTES = 1 << 20;
const RESTORE_AFTER_MS = 1000;

export class DiskSpace {
  readonly #folder: string;
  readonly #reservePath: string;
  readonly #floorBytes: number;
  /** Bytes above the floor, and until when that is taken for true. */
  #left = 0;
  #knownUntil = 0;
  #restoreTimer: Timer | null = null;
  #isStopped = false;

  constructor(reservePath: string) {
    this.#reservePath = reservePath;
    this.#folder = dirname(reservePath);
    this.#floorBytes = partOfDisk(this.#folder, MIN_FLOOR_BYTES, MAX_FLOOR_BYTES);
  }

  /** Books the bytes of a message; false when there is no room for it. */
  reserveBytes(bytes: number): boolean {
    const needed = bytes + MESSAGE_COSTS_BYTES;
    this.#look();
    if (this.#left <= needed) return false;
    this.#left -= needed;
    return true;
  }

  /** Whether not even a small message fits. */
  get isShort(): boolean {
    this.#look();
    return this.#left <= MESSAGE_COSTS_BYTES;
  }

  /** Whether changes that free nothing must be refused, too: half of the floor is gone. */
  get isVeryShort(): boolean {
    return this.isShort && this.#left < -this.#floorBytes / 2;
  }

  /** Hands out the reserve for an operation that frees room; false when there is none. It is taken back a little later. */
  releaseReserve(): boolean {
    this.restoreSoon();
    if (statSync(this.#reservePath, { throwIfNoEntry: false }) === undefined) return false;
    rmSync(this.#reservePath, { force: true });
    return true;
  }

  /** At the start, which may have to write before anything can be deleted. */
  releaseIfFull(): void {
    const { bavail, bsize } = statfsSync(this.#folder);
    if (bavail * bsize < RESERVE_BYTES) this.releaseReserve();
  }

  /** Takes the reserve when nobody waits for it, and tries again as long as there is no room. */
  restoreSoon(): void {
    if (this.#isStopped) return;
    this.#restoreTimer ??= setTimeout(() => {
      this.#restoreTimer = null;
      this.#restore().catch(() => this.restoreSoon());
    }, RESTORE_AFTER_MS).unref();
  }

  stop(): void {
    if (this.#restoreTimer !== null) clearTimeout(this.#restoreTimer);
    this.#isStopped = true;
  }

  async #restore(): Promise<void> {
    const missing = RESERVE_BYTES - (statSync(this.#reservePath, { throwIfNoEntry: false })?.size ?? 0);
    if (missing <= 0) return;
    if (this.isShort) this.restoreSoon();
    else await appendFile(this.#reservePath, new Uint8Array(missing), { mode: FILE_MODE });
  }

  #look(): void {
    if (this.#left > PLENTY_BYTES && performance.now() < this.#knownUntil) return;
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      this.#left = bavail * bsize - this.#floorBytes;
      this.#knownUntil = performance.now() + KNOWN_FOR_MS;
    } catch {
      // A folder that is gone: the next write says so.
    }
  }
}

/** The same part of every disk, within bounds. */
export function partOfDisk(folder: string, minBytes: number, maxBytes: number): number {
  const { blocks, bsize } = statfsSync(folder);
  return Math.max(minBytes, Math.min(maxBytes, (blocks * bsize) / PART));
}
