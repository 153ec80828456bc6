// One client: a socket on one side, a session on the other. Carries out what the session asks for, and reports
// the outcomes.
import type { Socket } from "bun";
import { type Faults, type Inboxes, SessionTranscript, type Transcripts } from "../app/index.ts";
import type { FailedLogins } from "../lib/failed-logins.ts";
import type { Logger } from "../lib/logger.ts";
import type { FaultStage } from "../lib/smtp.ts";
import { DEFAULT_INBOX } from "../model/index.ts";
import { ClientFaults } from "./client-faults.ts";
import { Arrivals, Outbox } from "./connection-buffers.ts";
import { type Client, NOWHERE, type SmtpCounts } from "./connections.ts";
import type { Credentials } from "./credentials.ts";
import { Intake, type IntakeOutcome, type Mailbox, type Origin } from "./intake.ts";
import {
  type CloseReason,
  type CommandName,
  type Envelope,
  IDLE_TOO_LONG,
  INTERNAL_FAILURE,
  LOGIN_ENDED,
  type LoginAttempt,
  MESSAGE_TOO_SLOW,
  type Reply,
  Session,
  type SessionEffects,
  type SessionPolicy,
  SHUTTING_DOWN,
  TOO_MANY_CONNECTIONS,
} from "./protocol/index.ts";
import { type Timeouts, Watchdog } from "./timeouts.ts";
import type { Party, Turn } from "./turn.ts";

/** After the last reply the client has this long to close. What it sends until then is discarded. */
const LINGER_MS = 2000;
/** When the server stops, the last reply has this long to arrive. */
const PARTING_MS = 200;
const HANDSHAKE_MS = 10_000;

/** What all connections of a server share. */
export interface ConnectionContext {
  readonly policy: SessionPolicy;
  readonly timeouts: Timeouts;
  readonly mailbox: Mailbox;
  /** Null if all mail goes into one inbox. */
  readonly inboxes: Pick<Inboxes, "place" | "verify" | "startHeader" | "mayDeliver" | "canCramMd5"> | null;
  readonly credentials: Credentials | null;
  readonly failedLogins: FailedLogins;
  readonly faults: Faults;
  readonly transcripts: Transcripts;
  readonly logger: Logger;
  readonly turn: Turn;
  readonly counts: SmtpCounts;
  /** Turns a plain socket into the TLS one that replaces it. */
  readonly upgrade: (socket: Socket<Connection>) => Socket<Connection>;
}

interface NewClient {
  readonly address: string;
  readonly admitted: boolean;
  readonly tls: boolean;
  readonly origin: Origin;
}

/** Shown only to callers who see all mail. */
const NO_INBOX = "";

/** No login and no own port: only the mail decides about the inbox. */
export const FROM_ANYWHERE: Origin = {};

/**
 * `handshake`: nothing may be sent in the clear. `lingering`: everything is sent, and the client has not closed yet.
 */
type State = "handshake" | "open" | "closing" | "lingering" | "closed";

export class Connection implements SessionEffects, Party, Client {
  place = NOWHERE;
  readonly address: string;
  readonly admitted: boolean;
  /** The socket whose events count. After STARTTLS the plain one still reports encrypted bytes. */
  socket: Socket<Connection>;
  readonly #context: ConnectionContext;
  readonly #session: Session;
  readonly #arrivals = new Arrivals();
  readonly #outbox: Outbox;
  readonly #intake: Intake;
  readonly #watchdog: Watchdog;
  readonly #transcript: SessionTranscript;
  readonly #faults: ClientFaults;
  #origin: Origin;
  #state: State;
  #inputEnded = false;
  #upgradeAsked = false;
  /** Whether the last reply refused something. */
  #isRefused = false;
  #stopping = false;
  #speaksSoon = false;
  /** The number of finished pauses. */
  #endedPauses = 0;
  #header: ReturnType<Faults["startHeader"]> = null;
  /** The token of a client that has logged in to an inbox. */
  #token: string | null = null;
  #closeReason: CloseReason = "cut-off";
  #closesAt: number | null = null;

  /** A client that is not `admitted` only gets a refusal. With `tls` the handshake comes first. */
  constructor(
    context: ConnectionContext,
    socket: Socket<Connection>,
    { address, admitted, tls, origin }: NewClient,
  ) {
    this.#context = context;
    this.socket = socket;
    this.admitted = admitted;
    this.address = address;
    this.#origin = origin;
    this.#state = tls ? "handshake" : "open";
    this.#session = new Session(context.policy, this, tls);
    this.#outbox = new Outbox(this.#session);
    this.#intake = new Intake(context.mailbox, context.logger, this.address);
    this.#watchdog = new Watchdog(context.timeouts);
    this.#transcript = new SessionTranscript(address);
    this.#faults = new ClientFaults(context.faults, context.logger, this, this.#transcript);
  }

  // Events of the socket

  /** Greets, or turns away. */
  start(): void {
    this.#state = "open";
    this.#closesAt = null;
    if (this.#session.secure) this.#writeDownTls();
    if (this.admitted) {
      this.#session.greet();
      this.#answerAtEndOfTurn();
      return;
    }
    this.#session.cutOff(TOO_MANY_CONNECTIONS);
    // At once: only a few clients at a time can be turned away.
    this.#answerNow();
  }

  /** The handshake after STARTTLS is done. */
  secured(): void {
    this.#state = "open";
    this.#closesAt = null;
    this.#writeDownTls();
    this.#session.tlsStarted();
  }

  received(bytes: Buffer): void {
    if (this.#state !== "open") return;
    this.#arrivals.put(bytes);
    if (this.#arrivals.count > 1) {
      this.#throttle();
      return;
    }
    // Newcomers do not wait for others (see turn.ts).
    const isNew = this.#session.messageCount <= 1;
    this.#context.turn.arrive(this, isNew && !this.#speaksSoon && !this.isBulky);
  }

  get isBulky(): boolean {
    return this.#arrivals.areMuchWith(this.#session.heldBytes + this.#session.messageBytes);
  }

  /** The client has closed its side; it may still read replies. */
  inputEnd(): void {
    this.#inputEnded = true;
    if (this.#state === "handshake") this.socket.terminate();
    else this.#answerNow();
  }

  drained(): void {
    this.#answerNow();
  }

  lost(): void {
    this.#takeIn();
    this.#state = "closed";
    this.#loseSession();
  }

  /** A bug of ours must not end the other connections. */
  readonly crashed = (error: unknown): void => {
    this.#context.logger.error("smtp session failed", {
      client: this.address,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    this.#end(INTERNAL_FAILURE);
  };

  // Events of the server

  tick(now: number): void {
    try {
      this.#tick(now);
    } catch (error) {
      this.crashed(error);
    }
  }

  #tick(now: number): void {
    if (this.#state !== "open") {
      if (this.#isSilent) return;
      this.#closesAt ??= now + this.#patienceMs;
      if (now >= this.#closesAt) this.#giveUp();
      return;
    }
    const verdict = this.#watchdog.tick(now, this.#session, this.#isHeldUp);
    if (verdict === "idle") this.#end(IDLE_TOO_LONG);
    else if (verdict === "message-too-slow") this.#end(MESSAGE_TOO_SLOW);
  }

  get #patienceMs(): number {
    if (this.#state !== "handshake") return LINGER_MS;
    return Math.min(HANDSHAKE_MS, this.#context.timeouts.idleTimeoutMs);
  }

  /** Ends after the current mail, or at once if there is none. */
  stop(): void {
    if (this.#state === "handshake") this.socket.terminate();
    if (this.#state === "lingering") this.#partSoon();
    if (this.#state !== "open") return;
    this.#stopping = true;
    this.#session.stop();
    this.#answerNow();
  }

  act(): void {
    try {
      this.#takeIn();
      for (; this.#endedPauses > 0; this.#endedPauses--) this.#session.release();
      this.#outbox.release();
    } catch (error) {
      this.crashed(error);
    }
    this.#answerAtEndOfTurn();
  }

  speak(): void {
    this.#speaksSoon = false;
    try {
      this.#send();
    } catch (error) {
      this.crashed(error);
    }
  }

  settle(): void {
    try {
      this.#goOn();
    } catch (error) {
      this.crashed(error);
    }
  }

  /** The time to finish is over. */
  terminate(): void {
    this.#end(SHUTTING_DOWN);
    this.socket.terminate();
  }

  // Effects of the session

  recordInput(command: CommandName | null, shown: string | number): void {
    if (command !== null) this.#context.counts.commands[command]++;
    if (command === "MAIL") {
      this.#transcript.startMail();
      this.#header = null;
    }
    this.#transcript.recordInput(shown);
  }

  refuse(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null {
    if ((stage === "mail" || stage === "end") && this.#hasLoginEnded) return LOGIN_ENDED;
    return this.#context.faults.isEmpty ? null : this.#fault(stage, envelope, recipient);
  }

  reply(reply: Reply): void {
    this.#context.counts.replied(reply);
    this.#outbox.put(reply);
    this.#transcript.add(reply);
    this.#isRefused = isRefusal(reply);
    if (this.#isRefused) this.#keepRejection(reply.wire);
  }

  begin(envelope: Envelope): void {
    const arrival = this.#origin === FROM_ANYWHERE ? envelope : { ...envelope, ...this.#origin };
    const { faults, inboxes } = this.#context;
    this.#header = faults.startHeader() ?? inboxes?.startHeader(arrival) ?? null;
    this.#intake.begin(arrival);
  }

  append(bytes: Buffer): void {
    this.#header?.push(bytes);
    const behind = this.#intake.append(bytes);
    if (behind !== null) this.#pauseFor(behind).catch(this.crashed);
  }

  commit(): void {
    this.#intake.commit(this.#committed);
  }

  abort(): void {
    this.#intake.abort();
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
    this.#arrivals.clear();
  }

  // Reading

  #takeIn(): void {
    const bytes = this.#arrivals.take();
    if (this.#state !== "open" || bytes === undefined) return;
    if (this.#arrivals.count > 0) this.#context.turn.again(this);
    const session = this.#session;
    const lines = session.lineCount;
    if (this.#faults.bytesPerSecond > 0) this.#faults.throttle(bytes.length);
    session.receive(bytes);
    if (session.receivingMessage || session.lineCount !== lines) this.#watchdog.active();
  }

  #throttle(): void {
    this.#arrivals.throttle(this.socket, this.#session.heldBytes, this.#intake.stalled);
  }

  // Outcomes

  async #pauseFor(behind: Promise<void>): Promise<void> {
    this.#session.hold();
    await behind;
    this.resume();
  }

  readonly #committed = (outcome: IntakeOutcome): void => {
    try {
      if ("id" in outcome) {
        this.#context.transcripts.keep(outcome.id, this.#transcript);
        this.#session.committed(outcome.id);
      } else this.#session.commitFailed(outcome.failure);
    } catch (error) {
      this.crashed(error);
    }
    this.#answerAtEndOfTurn();
  };

  async #authenticate(attempt: LoginAttempt): Promise<void> {
    const { inboxes, credentials, failedLogins, logger } = this.#context;
    const { user } = attempt;
    const password = attempt.kind === "password" ? attempt.password : null;
    const isInbox = (await inboxes?.verify(user, password, credentials === null)) ?? null;
    const accepted = isInbox ?? (credentials === null || (await credentials.verify(attempt)));
    if (isInbox === true) this.#token = password;
    const before = this.#origin;
    this.#origin = { ...before, user };
    if (!accepted) {
      logger.warn("login refused", { client: this.address });
      await Bun.sleep(failedLogins.delayOf(this.address));
    }
    // Only now: the transcript of a refused login belongs to the inbox that it named.
    if (!this.#session.authenticated(accepted)) this.#origin = before;
    this.#answerNow();
  }

  // Faults on purpose

  /** Earlier replies are sent first. */
  pause(): void {
    this.#send();
    this.#session.hold();
  }

  resume(): void {
    this.#endedPauses++;
    this.#context.turn.again(this);
  }

  #fault(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null {
    const recipients = recipient === "" ? (envelope?.recipients ?? []) : [recipient];
    const header = stage === "end" && this.#header !== null ? this.#header.bytes : null;
    return this.#faults.at(stage, {
      client: this.address,
      inbox: () => this.#inboxOf(recipients, header),
      sender: envelope?.sender ?? "",
      recipients,
      header,
    });
  }

  get #hasLoginEnded(): boolean {
    const { user = "" } = this.#origin;
    return this.#token !== null && this.#context.inboxes?.mayDeliver(user, this.#token) === false;
  }

  /** The inbox of a mail to these recipients, as far as is known. */
  #inboxOf(recipients: readonly string[], header: Uint8Array | null): string {
    // Another inbox may have the same name by now. It must not see this session.
    if (this.#hasLoginEnded) return NO_INBOX;
    const placing = this.#context.inboxes?.place({ ...this.#origin, recipients });
    if (header !== null) placing?.push(header);
    return placing?.finish() ?? DEFAULT_INBOX;
  }

  get #isSilent(): boolean {
    return this.#faults.silences > 0 && !this.#stopping;
  }

  #writeDownTls(): void {
    this.#transcript.tls = { version: this.socket.getTLSVersion(), cipher: this.socket.getCipher().name };
  }

  // Writing

  #answerAtEndOfTurn(): void {
    if (this.#speaksSoon) return;
    this.#speaksSoon = true;
    this.#context.turn.add(this);
  }

  #answerNow(): void {
    this.#send();
    this.#goOn();
  }

  get #maySpeak(): boolean {
    return this.#state === "open" || this.#state === "closing";
  }

  #send(): void {
    if (this.#maySpeak && !this.#isSilent) this.#outbox.sendTo(this.socket);
  }

  /** Runs the actions that waited for the replies to be sent. */
  #goOn(): void {
    if (!this.#maySpeak) return;
    this.#throttle();
    if (!this.#outbox.isEmpty || this.#isSilent) return;
    // A client that sends commands without end must not block the others: it goes on in the next turn.
    if (this.#outbox.holdsSession) this.#context.turn.again(this);
    if (this.#state === "closing") this.#finish();
    else if (this.#upgradeAsked) this.#upgrade();
    else if (this.#inputEnded && this.#isSatisfied) this.#hangUp();
  }

  /** Whether the client waits for us: for a commit, a login, a mailbox that is behind, or a fault on purpose. */
  get #isHeldUp(): boolean {
    return this.#session.busy || this.#intake.stalled || this.#isSilent;
  }

  /** Whether nothing that the client has sent still waits for an answer. */
  get #isSatisfied(): boolean {
    return !this.#isHeldUp && this.#session.heldBytes === 0 && this.#arrivals.count === 0;
  }

  #upgrade(): void {
    this.#upgradeAsked = false;
    this.#state = "handshake";
    // RFC 3207: forget what the client said before TLS.
    this.#token = null;
    const { user: _, ...origin } = this.#origin;
    this.#origin = this.#origin === FROM_ANYWHERE ? FROM_ANYWHERE : origin;
    // RFC 3207: bytes sent before TLS must not be taken for commands afterwards.
    this.#arrivals.clear();
    this.socket = this.#context.upgrade(this.socket);
  }

  // Ending

  #end(reply: Reply): void {
    if (this.#state === "handshake") {
      this.socket.terminate();
      return;
    }
    this.#session.cutOff(reply);
    this.#answerNow();
  }

  /** Closing with input unread would reset the connection, and could destroy the last reply on its way. */
  #finish(): void {
    this.#state = "lingering";
    const clientIsDone = this.#inputEnded || this.#closeReason === "quit" || this.#stopping || !this.admitted;
    if (clientIsDone) this.#endSocket();
    else this.socket.shutdown();
    if (this.#stopping) this.#partSoon();
  }

  /** The client has closed its side and has all its replies. */
  #hangUp(): void {
    this.#loseSession();
    this.#state = "lingering";
    this.#endSocket();
  }

  /** A client that leaves in the middle of a mail is recorded like a refusal, unless it left because of one. */
  #loseSession(): void {
    const { inMail, messageBytes } = this.#session;
    if (inMail && !this.#isRefused) {
      const when = messageBytes > 0 ? ` after ${messageBytes} bytes of the message` : "";
      const dropped = `(client dropped the connection${when})`;
      this.#transcript.add(dropped);
      this.#keepRejection(dropped);
    }
    this.#session.lost();
  }

  #keepRejection(told: string): void {
    this.#context.transcripts.refuse(this.#transcript, told, (recipients) =>
      this.#inboxOf(recipients, this.#header?.bytes ?? null),
    );
  }

  /** With TLS, end() lets the client decide when to close, and nothing can speed it up. */
  #endSocket(): void {
    if (this.#session.secure) this.socket.shutdown();
    else this.socket.close();
  }

  #partSoon(): void {
    setTimeout(() => this.socket.close(), PARTING_MS);
  }

  /** Without a reset, bytes that the system still holds would reach a client that reads late. */
  #giveUp(): void {
    if (this.#state === "lingering") this.socket.close();
    else this.socket.terminate();
  }
}

const FOUR = 0x34;

/** 4xx, 5xx, or a connection that is dropped. */
const isRefusal = ({ wire }: Reply): boolean => wire === "" || wire.charCodeAt(0) >= FOUR;
