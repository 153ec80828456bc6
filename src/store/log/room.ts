// How much the disk still takes. Mail is refused while there is room for everything else: deleting writes a
// little before it frees anything, a compaction writes a copy, the indexes follow what was taken in.
import { statfsSync } from "node:fs";

/** With this much above the floor, what was seen last is taken for true for a while. */
const PLENTY_BYTES = 64 << 20;
const KNOWN_FOR_MS = 100;
/** By then the rows of a message have reached the disk. */
const ROWS_WAIT_MS = 200;
/** What a message costs beside its bytes: its rows, and those once more in their write-ahead log. */
const MESSAGE_COSTS_BYTES = 2 << 10;
const MIN_FLOOR_BYTES = 512 << 10;
const MAX_FLOOR_BYTES = 16 << 20;
/** A small disk can spare less: this part of it. */
const PART = 32;

export class Room {
  readonly #folder: string;
  readonly #floorBytes: number;
  /** Bytes above the floor, and until when that is taken for true. */
  #left = 0;
  #knownUntil = 0;
  /** Messages whose rows the disk may not show yet, in this span of time and in the one before. */
  #recent = 0;
  #recentBefore = 0;
  #spanEnd = 0;
  /** Bytes that are free for the moment, but not for mail. */
  keptBytes = 0;

  /** `share`: how much of the room that mail leaves to others is left here. */
  constructor(folder: string, share = 1) {
    this.#folder = folder;
    this.#floorBytes = share * partOfDisk(folder, MIN_FLOOR_BYTES, MAX_FLOOR_BYTES);
  }

  /** Whether a message of this size may be written; if so, it counts as written. */
  takes(bytes: number): boolean {
    const needed = bytes + MESSAGE_COSTS_BYTES;
    this.#look();
    if (this.#left <= needed + this.#waitingBytes) return false;
    this.#left -= needed;
    this.#recent++;
    return true;
  }

  /** Whether not even a small one may. */
  get isShort(): boolean {
    this.#look();
    return this.#left <= MESSAGE_COSTS_BYTES + this.#waitingBytes;
  }

  /** Whether half of what is left to others is gone as well. */
  get isVeryShort(): boolean {
    return this.isShort && this.#left < -this.#floorBytes / 2;
  }

  get #waitingBytes(): number {
    const now = performance.now();
    if (now >= this.#spanEnd) {
      this.#recentBefore = now < this.#spanEnd + ROWS_WAIT_MS ? this.#recent : 0;
      this.#recent = 0;
      this.#spanEnd = now + ROWS_WAIT_MS;
    }
    return (this.#recent + this.#recentBefore) * MESSAGE_COSTS_BYTES;
  }

  #look(): void {
    if (this.#left > PLENTY_BYTES && performance.now() < this.#knownUntil) return;
    const { bavail, bsize } = statfsSync(this.#folder);
    this.#left = bavail * bsize - this.#floorBytes - this.keptBytes;
    this.#knownUntil = performance.now() + KNOWN_FOR_MS;
  }
}

/** The same part of every disk, within bounds. */
export function partOfDisk(folder: string, minBytes: number, maxBytes: number): number {
  const { blocks, bsize } = statfsSync(folder);
  return Math.max(minBytes, Math.min(maxBytes, (blocks * bsize) / PART));
}
