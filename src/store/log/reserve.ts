// A file that only takes up room. On a full disk it is given up, so that mail can be deleted:
// deleting writes a little before it frees anything.
import { appendFileSync, existsSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isDiskFull } from "../errors.ts";
import { FILE_MODE } from "./data-dir.ts";
import type { Room } from "./room.ts";

const RESERVE_BYTES = 1 << 20;
const RESTORE_AFTER_MS = 1000;
/** More than a start makes: two indexes with two files beside each, and a segment. */
const FILES_OF_START = 8;

export class Reserve {
  readonly #path: string;
  readonly #room: Room;
  #timer: Timer | null = null;
  /** There was a file for it, but no room for all of it when it was last tried. */
  #isLacking = false;

  constructor(path: string, room: Room) {
    this.#path = path;
    this.#room = room;
  }

  /** Takes the room a little later, when nobody waits for it, and again until all of it is there. */
  restoreSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.restore();
    }, RESTORE_AFTER_MS);
    this.#timer.unref();
  }

  /** False when there was nothing left to give. */
  release(): boolean {
    if (statSync(this.#path, { throwIfNoEntry: false }) === undefined) return false;
    rmSync(this.#path, { force: true });
    return true;
  }

  /** At the start, which has to catch up with the log before anything can be deleted. */
  releaseIfFull(): boolean {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(this.#path));
    const takesFewFiles = files > 0 && ffree < FILES_OF_START;
    return (bavail * bsize < RESERVE_BYTES || takesFewFiles) && this.release();
  }

  /** Gives the room up for this, and mail nothing of it. */
  async lend<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#room.keptBytes = RESERVE_BYTES;
    this.release();
    try {
      return await run();
    } finally {
      this.restore();
      this.#room.keptBytes = 0;
    }
  }

  /** Right after a release: on a full disk others are waiting for every byte. */
  restore(): void {
    const lacking = RESERVE_BYTES - (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0);
    try {
      if (lacking > 0) appendFileSync(this.#path, new Uint8Array(lacking), { mode: FILE_MODE });
      this.#isLacking = false;
    } catch (error) {
      // No room for all of it now. What was written of it stays: better than nothing.
      this.#isLacking = isDiskFull(error) && existsSync(this.#path);
      this.restoreSoon();
    }
  }

  /** False when mail would take its room, as where a quota leaves less than the disk says. */
  isThere(): boolean {
    const isLent = this.#room.keptBytes > 0;
    if (this.#isLacking && !isLent) this.restore();
    return !this.#isLacking;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
