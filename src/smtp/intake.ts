// Brings a client's messages into the mailbox. A failure is reported at the end of the message:
// if the rest were not read first, it would be taken for commands.
import { type Arrival, logStored, type Mailbox, type StoredMail } from "../app/index.ts";
import type { Logger } from "../lib/logger.ts";
import type { Envelope } from "../lib/smtp.ts";
import type { CommitFailure } from "./protocol/index.ts";

/** The user of the client, and the inbox of its port. Either may select the inbox of a mail. */
export type Origin = Pick<Arrival, "user" | "portInbox">;

export type IntakeOutcome = { readonly id: string } | { readonly failure: CommitFailure };

/** Smaller pieces are left to the garbage collector. */
const WORTH_FREEING_BYTES = 4096;

export class Intake {
  readonly #mailbox: Pick<Mailbox, "receive">;
  readonly #logger: Logger;
  readonly #client: string;
  #envelope: Envelope | null = null;
  #message: ReturnType<Mailbox["receive"]> | null = null;
  #error: unknown = null;
  #behind: Promise<void> | null = null;
  /** Large chunks that were passed on since the last pause. Their memory is freed at the end of the next pause. */
  #passed: Buffer[] = [];

  constructor(mailbox: Pick<Mailbox, "receive">, logger: Logger, client: string) {
    this.#mailbox = mailbox;
    this.#logger = logger;
    this.#client = client;
  }

  /** Whether a pause that the mailbox asked for still lasts. */
  get stalled(): boolean {
    return this.#behind !== null;
  }

  begin(envelope: Envelope & Origin): void {
    this.#envelope = envelope;
    this.#error = null;
    try {
      this.#message = this.#mailbox.receive(envelope);
    } catch (error) {
      this.#error = error;
    }
  }

  /** A returned promise asks the caller to pause until it resolves. It never rejects. */
  append(bytes: Buffer): Promise<void> | null {
    if (this.#message === null) return null;
    try {
      if (bytes.length >= WORTH_FREEING_BYTES) this.#passed.push(bytes);
      const behind = this.#message.append(bytes);
      if (!(behind instanceof Promise)) return null;
      this.#behind = this.#catchUp(behind);
      return this.#behind;
    } catch (error) {
      this.#giveUp(error);
      return null;
    }
  }

  /** Calls `done` once, after `commit` has returned. */
  commit(done: (outcome: IntakeOutcome) => void): void {
    const stored = this.#behind === null ? this.#commit() : this.#behind.then(() => this.#commit());
    stored.then(
      (mail) => {
        logStored(this.#logger, mail, this.#client);
        done({ id: mail.id });
      },
      (error) => done(this.#failed(error)),
    );
  }

  #commit(): Promise<StoredMail> {
    const message = this.#message;
    this.#message = null;
    this.#passed = [];
    return message === null ? Promise.reject(this.#error) : message.commit();
  }

  abort(): void {
    this.#message?.abort();
    this.#message = null;
    this.#passed = [];
  }

  async #catchUp(behind: Promise<void>): Promise<void> {
    try {
      await behind;
      for (const bytes of this.#passed.splice(0)) giveBack(bytes);
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

  #failed(error: unknown): IntakeOutcome {
    this.#logger.error("mail not stored", {
      sender: this.#envelope?.sender,
      client: this.#client,
      error: error instanceof Error ? error.message : String(error),
    });
    return { failure: isDiskFull(error) ? "full" : "failed" };
  }
}

/** Frees memory at once: the garbage collector is too slow when a hundred clients send large mails. */
function giveBack(bytes: Buffer): void {
  const holdsNothingElse = bytes.byteLength === bytes.buffer.byteLength;
  if (holdsNothingElse && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "disk_full";
}
