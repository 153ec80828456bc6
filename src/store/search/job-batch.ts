// Gathers mails for the search worker into one job: data from their records as JSON, and their raw bytes in one buffer.
import type { Body, MessageRecord } from "../log/log.ts";
import { type AddedMail, type AddJob, MAX_SEARCHED_BYTES } from "./protocol.ts";

const FIRST_BYTES = 16 << 10;
const MAX_BYTES = 1 << 20;
const MAX_MAILS = 500;
const NOTHING = new Uint8Array();

export class JobBatch {
  #mails: AddedMail[] = [];
  #buffer = new Uint8Array(FIRST_BYTES);
  #used = 0;
  #applied = 0;

  get isFull(): boolean {
    return this.#used >= MAX_BYTES || this.#mails.length >= MAX_MAILS;
  }

  /** If the body is in memory, copies the bytes to be searched. Returns their number. */
  add({ seq, inbox, subject, sender, recipients }: MessageRecord, body: Body | null): number {
    this.#applied = seq;
    const isHere = body instanceof Uint8Array;
    const searched = isHere ? body.subarray(0, MAX_SEARCHED_BYTES) : NOTHING;
    const path = isHere || body === null ? null : body.path;
    const [at, size] = [this.#used, searched.length];
    this.#mails.push({ seq, inbox, subject, sender, recipients, at, size, path });
    this.#reserve(size);
    this.#buffer.set(searched, at);
    this.#used += size;
    return size;
  }

  take(): AddJob | null {
    if (this.#mails.length === 0) return null;
    const mails = JSON.stringify(this.#mails);
    const size = { mails: this.#mails.length, bytes: this.#used };
    const { buffer: bytes } = this.#buffer;
    this.#buffer = new Uint8Array(Math.min(bytes.byteLength, MAX_BYTES * 2));
    this.#mails = [];
    this.#used = 0;
    return { kind: "add", mails, bytes, size, applied: this.#applied };
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#buffer.length) return;
    this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(Math.max(needed, this.#buffer.length * 2)));
  }
}
