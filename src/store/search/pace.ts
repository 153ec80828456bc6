// How fast messages are indexed of late, and how many may wait for it. How long a byte takes depends on what is
// written there: mail made to hurt takes fifty times as long as mail that is easy.

/** Until something is measured: slow. */
const FIRST_BYTES = 64 << 10;
const FIRST_MS = 12;
/** What counts of the past when something new is measured. */
const KEPT_SHARE = 0.7;
/** Searches wait for what is acknowledged and not indexed, so that has limits: a tight one where it takes long. */
const MAX_BYTES = 24 << 20;
const SLOW_MS = 0.1 / 1024;
const MAX_SLOW_MS = 100;

export class Pace {
  #bytes = FIRST_BYTES;
  #ms = FIRST_MS;

  /** So many bytes took so long. */
  measured(bytes: number, ms: number): void {
    this.#bytes = this.#bytes * KEPT_SHARE + bytes;
    this.#ms = this.#ms * KEPT_SHARE + ms;
  }

  /** Milliseconds that so many bytes will take. */
  for(bytes: number): number {
    return (bytes * this.#ms) / this.#bytes;
  }

  /** Whether senders must wait as long as so many bytes are not indexed. */
  isTooMuch(bytes: number): boolean {
    return bytes > MAX_BYTES || (this.for(1) > SLOW_MS && this.for(bytes) > MAX_SLOW_MS);
  }
}
