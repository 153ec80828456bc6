// How far the text index is behind the mail that comes in, and which senders wait for it: a search waits for all that
// was acknowledged, so that must never be much.
import type { MessageRow } from "../rows/row.ts";
import { isLong } from "./long-messages.ts";
import { Pace } from "./pace.ts";
import type { IndexedTurn } from "./protocol.ts";

/** After a pause other mail may come than before. */
const PAUSE_MS = 20;
const FEW_BYTES = 64 << 10;

export class Lag {
  readonly pace = new Pace();
  /** Of the messages that came in since the worker was opened; not of long ones, whose senders wait anyway. */
  #bytes = 0;
  #lastCreated = 0;
  /** Ids of messages, not long ones, whose senders wait until they are indexed. */
  readonly #late = new Set<string>();
  #acknowledgedSeq = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** All messages that were acknowledged are up to here, but for long ones whose senders waited. */
  get acknowledgedSeq(): number {
    return this.#acknowledgedSeq;
  }

  /** Decides whether a message may be acknowledged at once; where searches wait for old mail anyway, it may. */
  add(row: MessageRow, isCatchingUp: boolean): void {
    if (Math.abs(row.created - this.#lastCreated) > PAUSE_MS && this.#bytes < FEW_BYTES) this.pace.forget();
    this.#lastCreated = row.created;
    if (!isLong(row)) this.#bytes += row.size;
    const mustWait = isLong(row) || this.pace.isTooMuch(this.#bytes);
    if (!mustWait || isCatchingUp) this.#acknowledgedSeq = row.seq;
    else if (!isLong(row)) this.#late.add(row.id);
  }

  /** Whether the sender of a message just added must wait. Asked once, then it is forgotten. */
  takeLate(message: { readonly id: string; readonly size: number }): boolean {
    return this.#late.delete(message.id) || isLong(message);
  }

  indexed(turn: IndexedTurn): void {
    this.#bytes = Math.max(0, this.#bytes - turn.bytes);
    this.pace.measured(turn);
  }

  /** What a byte of the newest messages takes. */
  sampled(msPerByte: number): void {
    this.pace.sampled(msPerByte, this.#bytes);
  }

  /** Nothing is under way: what was deleted before it was handed over is never indexed. */
  end(): void {
    this.forgetBytes();
    this.#late.clear();
  }

  forgetBytes(): void {
    this.#bytes = 0;
  }

  /** Searches wait for all up to here: it may be missing from the index. */
  acknowledgeUpTo(seq: number): void {
    this.#acknowledgedSeq = seq;
  }
}
