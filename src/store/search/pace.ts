// How fast messages are indexed of late, and how many may wait for it. How long a byte takes depends on what is
// written there: mail made to hurt takes fifty times as long as mail that is easy.

/** What was measured before counts only as far as less than this has been indexed since: mail changes. */
const WINDOW_BYTES = 256 << 10;
/** Until something is measured: slow. */
const FIRST_MS = 48;
/** Searches wait for what is acknowledged and not indexed, so that has limits: a tight one where it takes long. */
const MAX_BYTES = 24 << 20;
const SLOW_MS = 0.15 / 1024;
const MAX_SLOW_MS = 100;

export class Pace {
  #bytes = WINDOW_BYTES;
  #ms = FIRST_MS;

  /** So many bytes took so long. */
  measured(bytes: number, ms: number): void {
    const kept = Math.max(0, WINDOW_BYTES - bytes) / this.#bytes;
    this.#bytes = this.#bytes * kept + bytes;
    this.#ms = this.#ms * kept + ms;
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
