// What has been received from a client and waits for its turn: one piece a turn. A client that sends faster than
// its session reads, or than its mail can be kept, is paused.
import type { Socket } from "bun";

/** Received bytes that wait in the session; above this the socket is paused. */
const MAX_HELD_BYTES = 64 * 1024;

/** What is dealt with at a glance, even if it is a header and its end has come. */
const MAX_BRIEF_BYTES = 16 * 1024;

export class Arrivals {
  #pieces: Buffer[] = [];
  #isPaused = false;

  get count(): number {
    return this.#pieces.length;
  }

  /** The next piece together with `bytes` that came before it. */
  areMuchWith(bytes: number): boolean {
    return bytes + (this.#pieces[0]?.length ?? 0) > MAX_BRIEF_BYTES;
  }

  put(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  take(): Buffer | undefined {
    // Mostly there is one, and to take the last is what costs least.
    return this.#pieces.length === 1 ? this.#pieces.pop() : this.#pieces.shift();
  }

  clear(): void {
    this.#pieces = [];
  }

  /** `heldBytes` wait in the session; `stalled`: the mailbox has asked for a pause. */
  throttle(socket: Socket<unknown>, heldBytes: number, stalled: boolean): void {
    const pause = stalled || this.#pieces.length > 1 || heldBytes > MAX_HELD_BYTES;
    if (pause === this.#isPaused) return;
    this.#isPaused = pause;
    if (pause) socket.pause();
    else socket.resume();
  }
}
