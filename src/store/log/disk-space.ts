// Free disk space. The floor is space that mail may not use: it is for the indexes, for compactions, and for
// deletions, which write a little before they free anything. When even the floor is used up, a reserve file
// is emptied to make room, then the text index is removed.
import { statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { type DataDir, FILE_MODE, removeIndex } from "./data-dir.ts";

const MAX_SEGMENT_BYTES = 16 << 20;
const MIN_SEGMENT_BYTES = 256 << 10;
/** On a small disk, a segment is the size of the disk divided by this number. */
const SEGMENTS_OF_DISK = 32;
/** The floor is this many segments. With only one, deletions used it up before a compaction freed anything. */
const FLOOR_SEGMENTS = 4;
/** If more than this is free above the floor, the disk is not asked again for KNOWN_FOR_MS. */
const PLENTY_BYTES = 64 << 20;
const KNOWN_FOR_MS = 100;
/** The space that a message needs besides its bytes: its row, which SQLite also writes to its write-ahead log. */
const MESSAGE_COSTS_BYTES = 2 << 10;
const RESERVE_BYTES = 1 << 20;
const DELETION_BYTES = 64 << 10;

export class DiskSpace {
  readonly #dir: DataDir;
  readonly #floorBytes: number;
  #reserve: number;
  /** The free bytes above the floor, and the time until which this value is used. */
  #left = 0;
  #knownUntil = 0;

  constructor(dir: DataDir) {
    this.#dir = dir;
    this.#floorBytes = FLOOR_SEGMENTS * segmentBytesIn(dir.root);
    this.#reserve = statSync(dir.reserve, { throwIfNoEntry: false })?.size ?? 0;
    // Opening the store needs some space, too.
    if (!this.releaseIfFull()) removeIndex(dir.search);
    this.#look();
  }

  /** Returns false if there is no room for this many bytes of a message. */
  reserveBytes(bytes: number): boolean {
    const needed = bytes + MESSAGE_COSTS_BYTES;
    this.#look();
    if (this.#left <= needed) return false;
    this.#left -= needed;
    return true;
  }

  /** True if even a message of 0 bytes does not fit. */
  get isShort(): boolean {
    this.#look();
    return this.#left <= MESSAGE_COSTS_BYTES;
  }

  /** Empties the reserve if this makes room for `bytes`. False if there is no room. */
  releaseIfFull(bytes = DELETION_BYTES): boolean {
    const free = freeBytes(this.#dir.root);
    if (free >= bytes) return true;
    if (free + this.#reserve < bytes) return false;
    this.#reserve = 0;
    truncateSync(this.#dir.reserve, 0);
    return true;
  }

  #look(): void {
    if (this.#left > PLENTY_BYTES && performance.now() < this.#knownUntil) return;
    try {
      this.#left = freeBytes(this.#dir.root) - this.#floorBytes;
      this.#knownUntil = performance.now() + KNOWN_FOR_MS;
      if (this.#reserve === RESERVE_BYTES || this.#left < 2 * RESERVE_BYTES) return;
      writeFileSync(this.#dir.reserve, new Uint8Array(RESERVE_BYTES), { mode: FILE_MODE });
      this.#reserve = RESERVE_BYTES;
    } catch {
      // If the folder is gone or read-only, the next write fails with a clear error.
    }
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export function segmentBytesIn(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  const part = (blocks * bsize) / SEGMENTS_OF_DISK;
  return Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, part));
}
