// An incoming message. A small message is collected in memory, a large message is passed to the log while it arrives.
import { nextTurn } from "../lib/runtime.ts";
import type { Envelope } from "../lib/smtp.ts";
import { DEFAULT_INBOX, type MessageSummary } from "../model/index.ts";
import { asStoreError } from "./errors.ts";
import type { LargeBodyWriter, Log } from "./log/log.ts";
import { type MessageDraft, type MessageScan, StoreError } from "./store.ts";
import type { Writer } from "./writer.ts";

/** Above this size `append` waits after each chunk: other work can run, and chunks are freed. */
const PAUSED_BYTES = 256 << 10;

export class Draft implements MessageDraft {
  readonly #envelope: Envelope;
  readonly #scan: MessageScan;
  readonly #log: Log;
  readonly #writer: Writer;
  #bytes = new Uint8Array();
  #size = 0;
  #file: LargeBodyWriter | null = null;
  #hasEnded = false;

  constructor(envelope: Envelope, scan: MessageScan, log: Log, writer: Writer) {
    this.#envelope = envelope;
    this.#scan = scan;
    this.#log = log;
    this.#writer = writer;
  }

  append(chunk: Uint8Array): void | Promise<void> {
    if (this.#hasEnded) throw new StoreError("closed", "the draft has ended");
    this.#scan.push(chunk);
    const before = this.#size;
    this.#size += chunk.length;
    try {
      if (this.#file === null && this.#size > this.#log.largeBytes) this.#moveToFile(before);
      if (this.#file !== null) return this.#file.append(chunk);
      this.#keep(chunk, before);
      if (this.#size > PAUSED_BYTES) return nextTurn();
    } catch (error) {
      this.abort();
      throw asStoreError(error);
    }
  }

  async commit(tags: readonly string[] = [], inbox = DEFAULT_INBOX): Promise<MessageSummary> {
    if (this.#hasEnded) throw new StoreError("closed", "the draft has ended");
    this.#hasEnded = true;
    const [envelope, size, file] = [this.#envelope, this.#size, this.#file];
    const facts = this.#scan.finish();
    try {
      if (this.#bytes.length > size) this.#resize(size);
      const body = file === null ? this.#bytes : await file.finish();
      return await this.#writer.insert({ envelope, facts, tags, inbox, size, body });
    } catch (error) {
      file?.abort();
      throw asStoreError(error);
    }
  }

  abort(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#file?.abort();
  }

  #moveToFile(kept: number): void {
    this.#file = this.#log.openLargeBody();
    // Not awaited: the next chunk follows at once, and the log writes it after these bytes.
    void this.#file.append(this.#bytes.subarray(0, kept));
    this.#bytes = new Uint8Array();
  }

  /** Most mails come in one chunk, so the first buffer has exactly the length of the first chunk. */
  #keep(chunk: Uint8Array, at: number): void {
    if (at === 0) this.#bytes = new Uint8Array(this.#size);
    else if (this.#size > this.#bytes.length) this.#resize(Math.max(this.#size, this.#bytes.length * 2));
    this.#bytes.set(chunk, at);
  }

  /** Frees the old buffer at once, not only when garbage is collected. */
  #resize(length: number): void {
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(length));
  }
}
