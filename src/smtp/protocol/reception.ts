// The mail of a session, one transaction after the other (RFC 5321 section 3.3): MAIL, RCPT, DATA, BDAT (RFC 3030)
// and the bytes of the message. Whether the client must log in or start TLS first is decided in session.ts.

import type { SessionEffects, SessionPolicy } from "./contract.ts";
import { DotDecoder } from "./dot-decoder.ts";
import type { Input } from "./input.ts";
import { type Chunk, Mail, parseMail, parseRecipient } from "./mail.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";

export class Reception {
  readonly #policy: SessionPolicy;
  readonly #effects: SessionEffects;
  readonly #decoder = new DotDecoder();
  #mail: Mail | null = null;
  #inData = false;
  #chunk: Chunk | null = null;
  committing = false;
  /** The number of messages begun and of BDAT chunks refused so far. */
  messageCount = 0;

  constructor(policy: SessionPolicy, effects: SessionEffects) {
    this.#policy = policy;
    this.#effects = effects;
  }

  get inMail(): boolean {
    return this.#mail !== null;
  }

  /** Whether the next bytes belong to a message, and not to a command. */
  get takesBytes(): boolean {
    return this.#inData || this.#chunk !== null;
  }

  /** Whether message bytes come next, or another BDAT may bring more. */
  get receiving(): boolean {
    return !this.committing && (this.takesBytes || this.#mail?.begun === true);
  }

  get messageBytes(): number {
    return this.#mail?.bytes ?? 0;
  }

  // Commands

  startMail(args: string): Reply {
    if (this.#mail !== null) return replies.ALREADY_IN_MAIL;
    const mail = parseMail(args, this.#policy.maxMessageBytes);
    if (!(mail instanceof Mail)) return mail;
    const refusal = this.#effects.refuse("mail", mail, "");
    if (refusal !== null) return refusal;
    this.#mail = mail;
    return replies.SENDER_OK;
  }

  addRecipient(args: string): Reply {
    if (this.#mail === null) return replies.MAIL_FIRST;
    if (this.#mail.begun) return replies.CHUNKS_BEGUN;
    const recipient = parseRecipient(args);
    if ("wire" in recipient) return recipient;
    const refusal = this.#effects.refuse("rcpt", this.#mail, recipient.address);
    if (refusal !== null) return refusal;
    return this.#mail.addRecipient(recipient, this.#policy.maxRecipients);
  }

  startData(args: string): Reply {
    const mail = this.#mail;
    if (args !== "") return replies.NO_ARGUMENTS;
    if (mail === null) return replies.MAIL_FIRST;
    if (mail.begun) return replies.CHUNKS_BEGUN;
    if (mail.parameters.isBinary) return replies.BINARY_NEEDS_BDAT;
    if (mail.recipients.length === 0) return replies.RECIPIENT_FIRST;
    const refusal = this.#effects.refuse("data", mail, "");
    if (refusal !== null) return refusal;
    this.#inData = true;
    this.#begin(mail);
    return replies.SEND_MESSAGE;
  }

  /** If a chunk is refused, the whole mail is discarded (RFC 3030), so that it is not stored with a piece missing. */
  startChunk(chunk: Chunk, refusal: Reply | null): Reply | null {
    chunk.refusal = refusal ?? this.#chunkRefusal(chunk);
    if (chunk.refusal !== null) {
      this.discard();
      this.messageCount++;
    } else if (this.#mail?.begun === false) this.#begin(this.#mail);
    this.#chunk = chunk;
    return chunk.left === 0 ? this.#endChunk(chunk) : null;
  }

  discard(): void {
    const mail = this.#mail;
    this.#mail = null;
    this.#inData = false;
    this.#chunk = null;
    if (mail?.begun === true && !mail.tooBig && !this.committing) this.#effects.abort();
  }

  // The message

  /**
   * Reads message bytes from `bytes`, beginning at `from`. Returns the reply if a BDAT chunk or the
   * message has ended. Returns null if more bytes follow, or if the reply has to wait for the commit.
   */
  read(input: Input, bytes: Buffer, from: number): Reply | null {
    return this.#chunk === null
      ? this.#readData(input, bytes, from)
      : this.#readChunk(this.#chunk, input, bytes, from);
  }

  finish(): void {
    this.committing = false;
    this.#mail = null;
  }

  #readData(input: Input, bytes: Buffer, from: number): Reply | null {
    const next = this.#decoder.decode(bytes, from, this.#take);
    input.advance(next === -1 ? bytes.length : next);
    return next === -1 ? null : this.#end();
  }

  #readChunk(chunk: Chunk, input: Input, bytes: Buffer, from: number): Reply | null {
    const end = Math.min(bytes.length, from + chunk.left);
    chunk.left -= end - from;
    if (chunk.refusal === null) this.#take(bytes.subarray(from, end));
    input.advance(end);
    return chunk.left === 0 ? this.#endChunk(chunk) : null;
  }

  readonly #take = (bytes: Buffer): void => {
    const mail = this.#mail;
    if (mail === null) return;
    mail.bytes += bytes.length;
    if (mail.tooBig) return;
    if (mail.bytes <= this.#policy.maxMessageBytes) {
      this.#effects.append(bytes);
      return;
    }
    mail.tooBig = true;
    this.#effects.abort();
  };

  #chunkRefusal(chunk: Chunk): Reply | null {
    if (this.#mail === null) return replies.MAIL_FIRST;
    if (this.#mail.recipients.length === 0) return replies.RECIPIENT_FIRST;
    if (this.#mail.bytes + chunk.bytes > this.#policy.maxMessageBytes) return replies.MESSAGE_TOO_BIG;
    return this.#mail.begun ? null : this.#effects.refuse("data", this.#mail, "");
  }

  #endChunk(chunk: Chunk): Reply | null {
    this.#chunk = null;
    if (chunk.refusal !== null) return chunk.refusal;
    return chunk.last ? this.#end() : replies.chunkReply(chunk.bytes);
  }

  #begin(mail: Mail): void {
    mail.begun = true;
    this.messageCount++;
    const { sender, recipients, notify, parameters } = mail;
    this.#effects.begin({ sender, recipients, receivedAt: parameters.receivedAt, notify });
  }

  #end(): Reply | null {
    this.#inData = false;
    this.#effects.recordInput(null, this.messageBytes);
    if (this.#mail?.tooBig === true) {
      this.#mail = null;
      return replies.MESSAGE_TOO_BIG;
    }
    const refusal = this.#effects.refuse("end", this.#mail, "");
    if (refusal !== null) {
      this.discard();
      return refusal;
    }
    this.committing = true;
    this.#effects.commit();
    return null;
  }
}
