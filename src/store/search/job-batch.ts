// Mails on their way to the search worker, gathered into one job: their texts as JSON, their raw bytes back to back.
import type { Body, MessageRecord } from "../log/log.ts";
import { type AddedMail, type Job, MAX_SEARCHED_BYTES } from "./protocol.ts";

const FIRST_BYTES = 16 << 10;
const MAX_BYTES = 1 << 20;

export class JobBatch {
  #mails: AddedMail[] = [];
  #buffer = new Uint8Array(FIRST_BYTES);
  #used = 0;
  #applied = 0;

  get mails(): number {
    return this.#mails.length;
  }

  get bytes(): number {
    return this.#used;
  }

  get isFull(): boolean {
    return this.#used >= MAX_BYTES;
  }

  /** Copies the bytes, which belong to the log; answers with how many that were. */
  add({ seq, subject, sender, recipients }: MessageRecord, body: Body | null): number {
    const mail = { seq, subject, sender, recipients: recipients.join(" "), at: this.#used };
    this.#applied = seq;
    if (!(body instanceof Uint8Array)) {
      this.#mails.push({ ...mail, size: 0, ...(body && { path: body.path }) });
      return 0;
    }
    const searched = body.subarray(0, MAX_SEARCHED_BYTES);
    this.#reserve(searched.length);
    this.#buffer.set(searched, this.#used);
    this.#used += searched.length;
    this.#mails.push({ ...mail, size: searched.length });
    return searched.length;
  }

  /** Sends what has gathered, if anything has. */
  flush(send: (job: Job) => void): void {
    if (this.#mails.length === 0) return;
    const mails = JSON.stringify(this.#mails);
    const bytes = this.#buffer.buffer.slice(0, this.#used);
    send({ kind: "add", mails, bytes, applied: this.#applied });
    this.#mails = [];
    this.#used = 0;
    if (this.#buffer.length > MAX_BYTES * 2) this.#buffer = new Uint8Array(FIRST_BYTES);
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }
}
