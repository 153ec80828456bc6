// One client: a socket on one side, a session on the other. Carries out what the session asks for,
// reports the outcomes, writes the replies of a turn in one piece, and pauses whoever is too fast.
import type { Socket } from "bun";
import type { Logger } from "../lib/logger.ts";
import type { Credentials } from "./credentials.ts";
import type { IncomingMessage, Mailbox } from "./mailbox.ts";
import {
  type CloseReason,
  type CommitFailure,
  type Envelope,
  IDLE_TOO_LONG,
  INTERNAL_FAILURE,
  type LoginAttempt,
  MESSAGE_TOO_SLOW,
  type Reply,
  Session,
  type SessionEffects,
  type SessionPolicy,
} from "./protocol/index.ts";

/** Replies that wait for the client to read; above this the session is held. */
const MAX_UNSENT_BYTES = 64 * 1024;
/** Received bytes that wait for the session; above this the socket is paused. */
const MAX_HELD_BYTES = 64 * 1024;
/** After the last reply the client may take this long to close; until then what it sends is thrown away. */
const LINGER_MS = 2000;

/** What all connections of a server share. */
export interface ConnectionContext {
  readonly policy: SessionPolicy;
  readonly mailbox: Mailbox;
  readonly credentials: Credentials | null;
  readonly logger: Logger;
  readonly idleTimeoutMs: number;
  readonly messageTimeoutMs: number;
  /** Turns a plain socket into the TLS one that replaces it. */
  readonly upgrade: (socket: Socket<Connection>) => Socket<Connection>;
}

/** `handshake`: nothing may be written in the clear. `lingering`: all is said, the client has yet to close. */
type State = "handshake" | "open" | "closing" | "lingering" | "closed";

export class Connection implements SessionEffects {
  readonly #context: ConnectionContext;
  readonly #session: Session;
  readonly address: string;
  /** The socket whose events count: after STARTTLS the plain one goes on reporting ciphertext. */
  socket: Socket<Connection>;
  #state: State;
  #unsent = "";
  #heldByReplies = false;
  #paused = false;
  #inputEnded = false;
  #stopping = false;
  #upgradeAsked = false;
  #envelope: Envelope | null = null;
  #message: IncomingMessage | null = null;
  #messageError: unknown = null;
  #stalled: Promise<void> | null = null;
  /** Whether something came since the last tick. */
  #active = true;
  #activeAt = 0;
  #timedMessage = 0;
  #messageSince = 0;
  #closeReason: CloseReason = "cut-off";
  #closesAt: number | null = null;

  constructor(context: ConnectionContext, socket: Socket<Connection>, tls: boolean) {
    this.#context = context;
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.#state = tls ? "handshake" : "open";
    this.#session = new Session(context.policy, this, tls);
  }

  // Events of the socket

  /** Greets, or turns away with `refusal`. */
  start(refusal: Reply | null): void {
    this.#state = "open";
    if (refusal === null) this.#session.greet();
    else this.#session.cutOff(refusal);
    this.#settle();
  }

  /** The handshake after STARTTLS is done. */
  secured(): void {
    this.#state = "open";
    this.#session.tlsStarted();
  }

  received(bytes: Buffer): void {
    if (this.#state !== "open") return;
    const session = this.#session;
    const lines = session.lineCount;
    session.receive(bytes);
    if (session.receivingMessage || session.lineCount !== lines) this.#active = true;
    this.#settle();
  }

  /** The client has closed its side; it may still read replies. */
  inputEnd(): void {
    this.#inputEnded = true;
    if (this.#state === "handshake") this.socket.terminate();
    else this.#settle();
  }

  drained(): void {
    this.#settle();
  }

  lost(): void {
    this.#state = "closed";
    this.#session.lost();
  }

  /** A bug of ours must not take the other connections with it. */
  readonly crashed = (error: unknown): void => {
    this.#context.logger.error("smtp session failed", {
      client: this.address,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    this.#end(INTERNAL_FAILURE);
  };

  // Events of the server

  /** Periods begin at the first tick after what begins them: a timeout is late by up to a tick, never early. */
  tick(now: number): void {
    if (this.#state === "closing" || this.#state === "lingering") {
      this.#closesAt ??= now + LINGER_MS;
      if (now >= this.#closesAt) this.socket.terminate();
      return;
    }
    if (this.#active || this.#session.busy || this.#stalled !== null) {
      this.#active = false;
      this.#activeAt = now;
    }
    if (now - this.#activeAt >= this.#context.idleTimeoutMs) this.#end(IDLE_TOO_LONG);
    else if (this.#messageTookTooLong(now)) this.#end(MESSAGE_TOO_SLOW);
  }

  #messageTookTooLong(now: number): boolean {
    if (!this.#session.receivingMessage || this.#stalled !== null) return false;
    if (this.#session.messageCount !== this.#timedMessage) {
      this.#timedMessage = this.#session.messageCount;
      this.#messageSince = now;
    }
    return now - this.#messageSince >= this.#context.messageTimeoutMs;
  }

  /** Ends after the mail in flight, or at once when there is none. */
  stop(): void {
    if (this.#state === "handshake") this.socket.terminate();
    if (this.#state !== "open") return;
    this.#stopping = true;
    this.#session.stop();
    this.#settle();
  }

  terminate(): void {
    this.socket.terminate();
  }

  // Effects of the session

  reply(wire: string): void {
    this.#unsent += wire;
    if (this.#unsent.length > MAX_UNSENT_BYTES) this.#holdForReplies();
  }

  begin(envelope: Envelope): void {
    this.#envelope = envelope;
    this.#messageError = null;
    try {
      this.#message = this.#context.mailbox.receive(envelope);
    } catch (error) {
      this.#messageError = error;
    }
  }

  append(bytes: Buffer): void {
    if (this.#message === null) return;
    try {
      const behind = this.#message.append(bytes);
      if (behind instanceof Promise) this.#pauseFor(behind).catch(this.crashed);
    } catch (error) {
      this.#giveUpMessage(error);
    }
  }

  commit(): void {
    this.#commit().catch(this.crashed);
  }

  abort(): void {
    this.#message?.abort();
    this.#message = null;
  }

  authenticate(attempt: LoginAttempt): void {
    this.#authenticate(attempt).catch(this.crashed);
  }

  startTls(): void {
    this.#upgradeAsked = true;
  }

  close(reason: CloseReason): void {
    this.#closeReason = reason;
    this.#state = "closing";
  }

  // The message

  async #pauseFor(behind: Promise<void>): Promise<void> {
    this.#stalled = behind;
    this.#session.hold();
    try {
      await behind;
    } catch (error) {
      this.#giveUpMessage(error);
    }
    this.#stalled = null;
    this.#session.release();
    this.#settle();
  }

  /** The rest of the message is read all the same, so that the session stays in step. */
  #giveUpMessage(error: unknown): void {
    this.abort();
    this.#messageError = error;
  }

  async #commit(): Promise<void> {
    const stored = await this.#store();
    if (typeof stored === "string") this.#session.committed(stored);
    else this.#session.commitFailed(stored.failure);
    this.#settle();
  }

  /** The id of the stored message, or why there is none. */
  async #store(): Promise<string | { failure: CommitFailure }> {
    try {
      while (this.#stalled !== null) await this.#stalled.catch(() => {});
      const message = this.#message;
      if (message === null) throw this.#messageError;
      this.#message = null;
      const { id, size } = await message.commit();
      this.#logStored(id, size);
      return id;
    } catch (error) {
      this.#logFailed(error);
      return { failure: isDiskFull(error) ? "full" : "failed" };
    }
  }

  #logStored(id: string, size: number): void {
    this.#context.logger.info("mail stored", {
      id,
      sender: this.#envelope?.sender,
      recipients: this.#envelope?.recipients.length,
      size,
      client: this.address,
    });
  }

  #logFailed(error: unknown): void {
    this.#context.logger.error("mail not stored", {
      sender: this.#envelope?.sender,
      client: this.address,
      error: error instanceof Error ? error.message : String(error),
    });
  }

  // Logging in

  async #authenticate(attempt: LoginAttempt): Promise<void> {
    const { credentials, logger } = this.#context;
    const accepted = credentials === null || (await credentials.verify(attempt));
    if (!accepted) logger.warn("login refused", { user: attempt.user, client: this.address });
    this.#session.authenticated(accepted);
    this.#settle();
  }

  // Writing

  /** After every turn: sends what is to be said, then does what waited for it to be sent. */
  #settle(): void {
    if (this.#state === "handshake" || this.#state === "lingering" || this.#state === "closed") return;
    if (!this.#flush()) return;
    if (this.#state === "closing") this.#finish();
    else if (this.#upgradeAsked) this.#upgrade();
    else if (this.#inputEnded && !this.#session.busy && this.#stalled === null) this.#hangUp();
    else this.#throttle();
  }

  /** Whether all replies are with the system. What is left is sent when the socket drains. */
  #flush(): boolean {
    while (this.#unsent !== "") {
      const written = this.socket.write(this.#unsent);
      if (written < this.#unsent.length) {
        this.#unsent = this.#unsent.slice(Math.max(written, 0));
        this.#holdForReplies();
        this.#throttle();
        return false;
      }
      this.#unsent = "";
      this.#releaseForReplies();
    }
    return true;
  }

  #holdForReplies(): void {
    if (this.#heldByReplies) return;
    this.#heldByReplies = true;
    this.#session.hold();
  }

  #releaseForReplies(): void {
    if (!this.#heldByReplies) return;
    this.#heldByReplies = false;
    this.#session.release();
  }

  #throttle(): void {
    const pause = this.#session.heldBytes > MAX_HELD_BYTES;
    if (pause === this.#paused) return;
    this.#paused = pause;
    if (pause) this.socket.pause();
    else this.socket.resume();
  }

  #upgrade(): void {
    this.#upgradeAsked = false;
    this.#state = "handshake";
    this.socket = this.#context.upgrade(this.socket);
  }

  // Ending

  #end(reply: Reply): void {
    if (this.#state === "handshake") {
      this.socket.terminate();
      return;
    }
    this.#session.cutOff(reply);
    this.#settle();
  }

  /** Closing with input unread would reset the connection, and could destroy the last reply on its way. */
  #finish(): void {
    this.#state = "lingering";
    if (this.#paused) this.socket.resume();
    const clientIsDone = this.#inputEnded || this.#closeReason === "quit" || this.#stopping;
    if (clientIsDone) this.socket.end();
    else this.socket.shutdown();
  }

  #hangUp(): void {
    this.#session.lost();
    this.#state = "lingering";
    this.socket.end();
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "disk_full";
}
