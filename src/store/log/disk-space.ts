// Free disk space. Mail is refused when less than a floor is left, so that there is room for the rest: deleting writes a
// little before it frees anything, the indexes follow the log, a compaction writes a copy. A reserve file takes up
// room that is given to deletions when even the floor is used up.
import { appendFileSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
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
const PART_BYTES = 16 << 10;
/** Handed out for one deletion; the indexes may take what it leaves over. */
const DELETION_BYTES = 4 * PART_BYTES;

export class DiskSpace {
  readonly #folder: string;
  readonly #reservePath: string;
  readonly #floorBytes: number;
  #reserve: number;
  /** Bytes above the floor, and until when that is taken for true. */
  #left = 0;
  #knownUntil = 0;

  constructor(reservePath: string) {
    this.#reservePath = reservePath;
    this.#folder = dirname(reservePath);
    this.#floorBytes = partOfDisk(this.#folder, MIN_FLOOR_BYTES, MAX_FLOOR_BYTES);
    this.#reserve = statSync(reservePath, { throwIfNoEntry: false })?.size ?? 0;
    // A start may have to write before anything can be deleted.
    this.releaseIfFull();
    this.#look();
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

  /** Hands out a part of the reserve where an operation that frees room could not write. */
  releaseIfFull(): void {
    if (freeBytes(this.#folder) < DELETION_BYTES) this.#release(DELETION_BYTES);
  }

  /** For what wins back more than it takes, unless too little were left for deletions. */
  lend(bytes: number): void {
    if (this.isShort && bytes < this.#reserve - 4 * DELETION_BYTES) this.#release(bytes + DELETION_BYTES);
  }

  #release(bytes: number): void {
    if (this.#reserve === 0) return;
    this.#reserve = Math.max(0, this.#reserve - bytes);
    truncateSync(this.#reservePath, this.#reserve);
  }

  #look(): void {
    if (this.#left > PLENTY_BYTES && performance.now() < this.#knownUntil) return;
    try {
      this.#left = freeBytes(this.#folder) - this.#floorBytes;
      this.#knownUntil = performance.now() + KNOWN_FOR_MS;
      if (this.#reserve === RESERVE_BYTES || this.#left < 2 * RESERVE_BYTES) return;
      writeFileSync(this.#reservePath, "", { mode: FILE_MODE });
      for (let n = 0; n < RESERVE_BYTES; n += PART_BYTES)
        appendFileSync(this.#reservePath, new Uint8Array(PART_BYTES));
      this.#reserve = RESERVE_BYTES;
    } catch {
      // A folder that is gone: the next write says so.
    }
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export function partOfDisk(folder: string, minBytes: number, maxBytes: number): number {
  const { blocks, bsize } = statfsSync(folder);
  return Math.max(minBytes, Math.min(maxBytes, (blocks * bsize) / PART));
}
