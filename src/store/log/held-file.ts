// A file that is held open for as long as the store is: the segment that is written on, the lock. Somebody may delete it
// under a running server, or its disk may vanish: what is written to it then goes with the process, and a lock without
// its name keeps nobody out. So the name is looked for.
import { closeSync, fstatSync, futimesSync, openSync, statSync } from "node:fs";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";

/** For so long after a look the file is taken to be in its place, so that looking costs nothing under load. */
const TRUSTED_MS = 10;
/** A random time from the last century is nobody else's. */
const MAX_MARK_MS = Date.UTC(2000, 0, 1);
const ADVICE = "no mail is taken in until it is back; if it was deleted, restart Mailkeep";

export class HeldFile {
  readonly fd: number;
  readonly #path: string;
  readonly #what: "log" | "lock";
  readonly #logger: Logger;
  #isGone = false;
  #trustedUntil = 0;

  constructor(path: string, what: "log" | "lock", logger: Logger) {
    this.#path = path;
    this.#what = what;
    this.#logger = logger;
    this.fd = openSync(path, "r+");
  }

  assertLatelyInPlace(): void {
    if (performance.now() >= this.#trustedUntil) this.assertInPlace();
  }

  /** Throws when the name leads nowhere, or to another file. */
  assertInPlace(): void {
    this.#trustedUntil = 0;
    const isGone = !this.#isInPlace();
    if (isGone !== this.#isGone) this.#report(isGone);
    if (isGone) throw new StoreError("data_dir_unusable", `the ${this.#what} is gone from the data folder`);
    this.#trustedUntil = performance.now() + TRUSTED_MS;
  }

  close(): void {
    closeSync(this.fd);
  }

  #isInPlace(): boolean {
    const held = fstatSync(this.fd, { bigint: true });
    const named = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (held.nlink === 0n || named === undefined) return false;
    return (held.ino === named.ino && held.dev === named.dev) || this.#isSeenByName();
  }

  /** Some file systems number the same file anew: a time that is set on the one is then seen on the other. */
  #isSeenByName(): boolean {
    const { atime, mtime } = fstatSync(this.fd);
    const mark = new Date(Math.floor(Math.random() * MAX_MARK_MS));
    futimesSync(this.fd, atime, mark);
    const seen = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs;
    futimesSync(this.fd, atime, mtime);
    return seen === mark.getTime();
  }

  #report(isGone: boolean): void {
    this.#isGone = isGone;
    if (isGone) this.#logger.error(`${this.#what}_gone`, { file: this.#path, advice: ADVICE });
    else this.#logger.info(`${this.#what}_back`, { file: this.#path });
  }
}
