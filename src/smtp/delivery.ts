// The way of a client's messages into the mailbox. A failure on the way is remembered and told at the end:
// the rest of the message is read all the same, so that the session stays in step.
import type { Logger } from "../lib/logger.ts";
import type { CommitFailure, Envelope } from "./protocol/index.ts";

/** What the SMTP server needs of the rest of Mailkeep: a place to put mail. The inbox is one. */
export interface Mailbox {
  receive(envelope: Envelope): IncomingMessage;
}

/** A message on its way in. Nothing of it is visible before `commit` has resolved. */
export interface IncomingMessage {
  /**
   * May keep a reference to the chunk. A returned promise asks for a pause until it settles; when it fulfils,
   * no chunk is referred to any more.
   */
  append(chunk: Uint8Array): void | Promise<void>;
  commit(): Promise<StoredMessage>;
  /** Leaves nothing behind. */
  abort(): void;
}

export interface StoredMessage {
  readonly id: string;
  readonly size: number;
}

export type DeliveryOutcome = { readonly id: string } | { readonly failure: CommitFailure };

export class Delivery {
  readonly #mailbox: Mailbox;
  readonly #logger: Logger;
  readonly #client: string;
  #envelope: Envelope | null = null;
  #message: IncomingMessage | null = null;
  #error: unknown = null;
  #behind: Promise<void> | null = null;
  readonly #small = new SmallPieces();
  #hasBytes = false;
  /** What the mailbox may still refer to. */
  #lent: Buffer[] = [];

  constructor(mailbox: Mailbox, logger: Logger, client: string) {
    this.#mailbox = mailbox;
    this.#logger = logger;
    this.#client = client;
  }

  /** Whether the mailbox has asked for a pause that is not over. */
  get stalled(): boolean {
    return this.#behind !== null;
  }

  begin(envelope: Envelope): void {
    this.#envelope = envelope;
    this.#error = null;
    this.#hasBytes = false;
    try {
      this.#message = this.#mailbox.receive(envelope);
    } catch (error) {
      this.#error = error;
    }
  }

  /** A returned promise asks for a pause; it always fulfils. */
  append(bytes: Buffer): Promise<void> | null {
    const small = this.#small;
    const isFirst = !this.#hasBytes;
    this.#hasBytes = true;
    if (!small.take(bytes, isFirst)) return this.#passOn(small.giveWith(bytes));
    return small.isFull ? this.#passOn(small.give()) : null;
  }

  /** `done` hears of the outcome, later and once. */
  commit(done: (outcome: DeliveryOutcome) => void): void {
    if (!this.#small.isEmpty) this.#passOn(this.#small.give());
    const stored = this.#behind === null ? this.#commit() : this.#behind.then(() => this.#commit());
    stored.then(
      (message) => done(this.#stored(message)),
      (error) => done(this.#failed(error)),
    );
  }

  #commit(): Promise<StoredMessage> {
    const message = this.#message;
    this.#message = null;
    this.#lent = [];
    return message === null ? Promise.reject(this.#error) : message.commit();
  }

  abort(): void {
    this.#message?.abort();
    this.#message = null;
    this.#lent = [];
    this.#small.give();
  }

  #passOn(bytes: Buffer): Promise<void> | null {
    if (this.#message === null) return null;
    try {
      this.#lent.push(bytes);
      const behind = this.#message.append(bytes);
      if (!(behind instanceof Promise)) return null;
      this.#behind = this.#catchUp(behind);
      return this.#behind;
    } catch (error) {
      this.#giveUp(error);
      return null;
    }
  }

  async #catchUp(behind: Promise<void>): Promise<void> {
    try {
      await behind;
      for (const bytes of this.#lent.splice(0)) giveBack(bytes);
    } catch (error) {
      this.#giveUp(error);
    } finally {
      this.#behind = null;
    }
  }

  #giveUp(error: unknown): void {
    this.abort();
    this.#error = error;
  }

  #stored({ id, size }: StoredMessage): DeliveryOutcome {
    this.#logger.info("mail stored", {
      id,
      sender: this.#envelope?.sender,
      recipients: this.#envelope?.recipients.length,
      size,
      client: this.#client,
    });
    return { id };
  }

  #failed(error: unknown): DeliveryOutcome {
    this.#logger.error("mail not stored", {
      sender: this.#envelope?.sender,
      client: this.#client,
      error: error instanceof Error ? error.message : String(error),
    });
    return { failure: isDiskFull(error) ? "full" : "failed" };
  }
}

/** From here on a piece is worth an object of its own. */
const LARGE_BYTES = 512;
const GATHERED_BYTES = 16 << 10;
const NOTHING = Buffer.alloc(0);

/**
 * Puts small pieces of a message together. A client may send it byte by byte, and whoever keeps a piece keeps an object
 * many times its size.
 */
class SmallPieces {
  #gathered: Buffer | null = null;
  #length = 0;

  /** False when the piece is to be passed on as it is. The first of a message is: it is mostly all there is. */
  take(piece: Buffer, isFirst: boolean): boolean {
    if (isFirst || piece.length >= LARGE_BYTES) return false;
    this.#gathered ??= Buffer.allocUnsafeSlow(GATHERED_BYTES);
    this.#length += piece.copy(this.#gathered, this.#length);
    return true;
  }

  get isEmpty(): boolean {
    return this.#gathered === null;
  }

  get isFull(): boolean {
    return this.#length > GATHERED_BYTES - LARGE_BYTES;
  }

  /** What has gathered; it is the caller's from now on. */
  give(): Buffer {
    const given = this.#gathered?.subarray(0, this.#length) ?? NOTHING;
    this.#gathered = null;
    this.#length = 0;
    return given;
  }

  /** What has gathered and this piece, in one. */
  giveWith(piece: Buffer): Buffer {
    return this.isEmpty ? piece : Buffer.concat([this.give(), piece]);
  }
}

/**
 * Frees memory that nobody refers to any more. Left to the garbage collector, what a hundred clients send at
 * once would lie around for longer than it takes to receive it several times over.
 */
function giveBack(bytes: Buffer): void {
  const holdsNothingElse = bytes.byteLength === bytes.buffer.byteLength;
  if (holdsNothingElse && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "disk_full";
}
