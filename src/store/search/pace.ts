// How fast messages are indexed of late, and how many may wait for it. How long a byte takes depends on what is
// written there: mail made to hurt takes fifty times as long as mail that is easy.
import type { IndexedTurn } from "./protocol.ts";

/** What was measured before counts only as far as less than this has been indexed since: mail changes. */
const WINDOW_BYTES = 1 << 20;
/** So much must have been measured before more than a little may wait. */
const SAMPLE_BYTES = 128 << 10;
const MAX_UNKNOWN_BYTES = 64 << 10;
/** Searches wait for what is acknowledged and not indexed, so that has limits: a tight one unless it is easy. */
const MAX_MS = 40;
const MAX_EASY_MS = 1000;
const MAX_BYTES = 32 << 20;
/** For a byte. */
export const EASY_MS = 0.055 / 1024;

export class Pace {
  #bytes = 0;
  #ms = 0;
  #mergingMs = 0;
  /** For a byte of the mail that is the hardest to index among the samples of what waits. */
  #sampleMs = 0;
  /** Bytes to be indexed before that mail has its turn. */
  #beforeSample = 0;

  /** Enough was indexed of late to tell. */
  get isKnown(): boolean {
    return this.#bytes >= SAMPLE_BYTES;
  }

  measured({ bytes, ms, mergingMs }: IndexedTurn): void {
    this.#bytes += bytes;
    this.#ms += ms;
    this.#mergingMs += mergingMs;
    const kept = Math.min(1, WINDOW_BYTES / this.#bytes);
    this.#bytes *= kept;
    this.#ms *= kept;
    this.#mergingMs *= kept;
    this.#beforeSample -= bytes;
    if (this.#beforeSample <= 0) this.#sampleMs = 0;
  }

  /** What mail takes for a byte that is far from its turn: so many bytes come before it. */
  sampled(msPerByte: number, before: number): void {
    if (msPerByte < this.#sampleMs) return;
    this.#sampleMs = msPerByte;
    this.#beforeSample = before;
  }

  /** What comes now may be of another kind. */
  forget(): void {
    this.#bytes = 0;
    this.#ms = 0;
    this.#mergingMs = 0;
    this.#sampleMs = 0;
  }

  /** Whether senders must wait as long as so many bytes are not indexed. */
  isTooMuch(bytes: number): boolean {
    if (!this.isKnown) return bytes > MAX_UNKNOWN_BYTES;
    if (bytes > MAX_BYTES) return true;
    const textMs = Math.max((this.#ms - this.#mergingMs) / this.#bytes, this.#sampleMs);
    if (textMs <= EASY_MS) return textMs * bytes > MAX_EASY_MS;
    return Math.max(this.#ms / this.#bytes, textMs) * bytes > MAX_MS;
  }
}
