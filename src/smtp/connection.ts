// One client: a socket on one side, a session on the other. Carries out the effects of the session and reports their
// results.
import type { Socket } from "bun";
import type { Mailbox } from "../app/index.ts";
import type { Envelope, FaultStage } from "../lib/smtp.ts";
import { type ClientContext, ClientState } from "./client-state.ts";
import type { Client, SmtpCounts } from "./connections.ts";
import { Intake, type IntakeOutcome } from "./intake.ts";
import { Outbox } from "./outbox.ts";
import {
  type CloseReason,
  type CommandName,
  INTERNAL_FAILURE,
  type LoginAttempt,
  type Reply,
  Session,
  type SessionEffects,
  type SessionPolicy,
  SHUTTING_DOWN,
  TOO_MANY_CONNECTIONS,
} from "./protocol/index.ts";
import { type Timeouts, Watchdog } from "./timeouts.ts";
import type { Party, Turn } from "./turn.ts";

/**
 * The time that the client has to read the last reply and close the connection. Bytes that it sends
 * until then are discarded.
 */
const LINGER_MS = 2000;
/** When the server stops, a client has this long to receive the last reply. */
const PARTING_MS = 200;
const HANDSHAKE_MS = 10_000;

/** The socket is paused while the session has more unread input than this. */
const MAX_HELD_BYTES = 64 * 1024;

/** The parts of the server that all connections share. */
export interface ConnectionContext extends ClientContext {
  readonly policy: SessionPolicy;
  readonly timeouts: Timeouts;
  readonly mailbox: Pick<Mailbox, "receive">;
  readonly turn: Turn;
  readonly counts: SmtpCounts;
  /** Returns the TLS socket that replaces a plain socket. */
  readonly upgrade: (socket: Socket<Connection>) => Socket<Connection>;
}

interface NewClient {
  readonly address: string;
  /** False for a client that is only told that there are too many connections. */
  readonly admitted: boolean;
  /** True if the connection begins with a TLS handshake. */
  readonly tls: boolean;
  /** The inbox that has this port as its own, if any. */
  readonly portInbox: string | undefined;
}

/** `handshake`: TLS is starting. `lingering`: all is sent, and the socket is not closed yet. */
type State = "handshake" | "open" | "closing" | "lingering" | "closed";

export class Connection implements SessionEffects, Party, Client {
  readonly address: string;
  readonly admitted: boolean;
  /** Input from other sockets is ignored: after STARTTLS the plain socket still reports bytes. */
  socket: Socket<Connection>;
  readonly #context: ConnectionContext;
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #intake: Intake;
  readonly #watchdog: Watchdog;
  readonly #client: ClientState;
  #state: State;
  #isPaused = false;
  #inputEnded = false;
  #upgradeAsked = false;
  /** Whether the last reply refused something. */
  #isRefused = false;
  #stopping = false;
  #speaksSoon = false;
  /** The number of ended pauses for which `act` has not released the session yet. */
  #endedPauses = 0;
  #closeReason: CloseReason = "cut-off";
  #closesAt: number | null = null;

  constructor(
    context: ConnectionContext,
    socket: Socket<Connection>,
    { address, admitted, tls, portInbox }: NewClient,
  ) {
    this.#context = context;
    this.socket = socket;
    this.admitted = admitted;
    this.address = address;
    this.#state = tls ? "handshake" : "open";
    this.#session = new Session(context.policy, this, tls);
    this.#outbox = new Outbox(this.#session);
    this.#intake = new Intake(context.mailbox, context.logger, address);
    this.#watchdog = new Watchdog(context.timeouts);
    this.#client = new ClientState(context, this, address, portInbox);
  }

  // Events of the socket

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
    // Does not wait for a turn, because only a few clients at a time can be turned away.
    this.#answerNow();
  }

  secured(): void {
    this.#state = "open";
    this.#closesAt = null;
    this.#writeDownTls();
    this.#session.tlsStarted();
  }

  received(bytes: Buffer): void {
    if (this.#state !== "open") return;
    const session = this.#session;
    const isWaiting = session.heldBytes > 0;
    if (this.#client.bytesPerSecond > 0) this.#client.throttle(bytes.length);
    session.push(bytes);
    if (isWaiting) {
      this.#throttle();
      return;
    }
    this.#context.turn.arrive(this);
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
    this.#read();
    this.#state = "closed";
    this.#loseSession();
  }

  readonly crashed = (error: unknown): void => {
    this.#context.logger.error("smtp session failed", {
      client: this.address,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    this.#end(INTERNAL_FAILURE);
  };

  /** A bug in one connection must not end the others. */
  #guard(step: () => void): void {
    try {
      step.call(this);
    } catch (error) {
      this.crashed(error);
    }
  }

  // Events of the server

  tick(now: number): void {
    this.#guard(() => this.#tick(now));
  }

  #tick(now: number): void {
    if (this.#state !== "open") {
      if (this.#isSilent) return;
      this.#closesAt ??= now + this.#patienceMs;
      if (now >= this.#closesAt) this.#giveUp();
      return;
    }
    const reply = this.#watchdog.tick(now, this.#session, this.#isHeldUp);
    if (reply !== null) this.#end(reply);
  }

  get #patienceMs(): number {
    if (this.#state !== "handshake") return LINGER_MS;
    return Math.min(HANDSHAKE_MS, this.#context.timeouts.idleTimeoutMs);
  }

  /** Ends after the current message, or at once if there is none. */
  stop(): void {
    if (this.#state === "handshake") this.socket.terminate();
    if (this.#state === "lingering") this.#partSoon();
    if (this.#state !== "open") return;
    this.#stopping = true;
    this.#session.stop();
    this.#answerNow();
  }

  act(): void {
    this.#guard(this.#act);
    this.#answerAtEndOfTurn();
  }

  #act(): void {
    this.#read();
    for (; this.#endedPauses > 0; this.#endedPauses--) this.#session.release();
    this.#outbox.release();
  }

  speak(): void {
    this.#speaksSoon = false;
    this.#guard(this.#send);
  }

  settle(): void {
    this.#guard(this.#goOn);
  }

  terminate(): void {
    this.#end(SHUTTING_DOWN);
    this.socket.terminate();
  }

  // Effects of the session

  recordInput(command: CommandName | null, shown: string | number): void {
    if (command !== null) this.#context.counts.commands[command]++;
    this.#client.recordInput(command, shown, this.#session.inMail);
  }

  refuse(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null {
    if (!this.#context.faults.isEmpty) this.#outbox.countSlowCommand();
    return this.#client.refusal(stage, envelope, recipient);
  }

  reply(reply: Reply): void {
    this.#outbox.put(reply);
    this.#client.transcript.add(reply);
    this.#isRefused = isRefusal(reply);
    if (!this.#isRefused) return;
    this.#outbox.countSlowCommand();
    this.#context.counts.refused(reply);
    this.#client.refused(reply.wire);
  }

  begin(envelope: Envelope): void {
    this.#intake.begin(this.#client.startMessage(envelope));
  }

  append(bytes: Buffer): void {
    this.#client.header?.push(bytes);
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

  forgetLogin(): void {
    this.#client.forgetLogin();
  }

  startTls(): void {
    this.#upgradeAsked = true;
  }

  close(reason: CloseReason): void {
    this.#closeReason = reason;
    this.#state = "closing";
  }

  // Reading

  #read(): void {
    const session = this.#session;
    if (this.#state !== "open" || session.heldBytes === 0) return;
    const lines = session.lineCount;
    const wasReceiving = session.reception.receiving;
    // The next chunk has to wait for the next turn, so that the client does not block the others.
    if (session.readChunk()) this.#context.turn.again(this);
    if (wasReceiving || session.reception.receiving || session.lineCount !== lines) this.#watchdog.active();
  }

  /** Pauses the socket while much input waits for the session, or the mailbox asks for a pause. */
  #throttle(): void {
    const pause = this.#intake.stalled || this.#session.heldBytes > MAX_HELD_BYTES;
    if (pause === this.#isPaused) return;
    this.#isPaused = pause;
    if (pause) this.socket.pause();
    else this.socket.resume();
  }

  // Results of effects

  async #pauseFor(behind: Promise<void>): Promise<void> {
    this.#session.hold();
    await behind;
    this.resume();
  }

  readonly #committed = (outcome: IntakeOutcome): void => {
    try {
      if ("id" in outcome) {
        this.#client.stored(outcome.id);
        this.#session.committed(outcome.id);
      } else this.#session.commitFailed(outcome.failure);
    } catch (error) {
      this.crashed(error);
    }
    this.#answerAtEndOfTurn();
  };

  async #authenticate(attempt: LoginAttempt): Promise<void> {
    this.#session.authenticated(await this.#client.logIn(attempt));
    this.#answerNow();
  }

  // Faults on purpose

  /** Sends earlier replies first. */
  pause(): void {
    this.#send();
    this.#session.hold();
  }

  resume(): void {
    this.#endedPauses++;
    this.#context.turn.again(this);
  }

  get #isSilent(): boolean {
    return this.#client.silences > 0 && !this.#stopping;
  }

  #writeDownTls(): void {
    const { socket } = this;
    this.#client.transcript.tls = { version: socket.getTLSVersion(), cipher: socket.getCipher().name };
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

  /** Does the work that had to wait until the replies were sent. */
  #goOn(): void {
    if (!this.#maySpeak) return;
    this.#throttle();
    if (!this.#outbox.isEmpty || this.#isSilent) return;
    // A client with many commands goes on in a later turn, so that it does not block other clients.
    if (this.#outbox.holdsSession) this.#context.turn.again(this);
    if (this.#state === "closing") this.#finish();
    else if (this.#upgradeAsked) this.#upgrade();
    else if (this.#inputEnded && this.#isSatisfied) this.#hangUp();
  }

  /** Whether the client waits for us: a commit, a login, a slow mailbox, or a fault on purpose. */
  get #isHeldUp(): boolean {
    return this.#session.busy || this.#intake.stalled || this.#isSilent;
  }

  /** Whether every input of the client has been answered. */
  get #isSatisfied(): boolean {
    return !this.#isHeldUp && this.#session.heldBytes === 0;
  }

  #upgrade(): void {
    this.#upgradeAsked = false;
    this.#state = "handshake";
    // RFC 3207: a login from before TLS is forgotten.
    this.#client.forgetLogin();
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

  /** Closing with unread input would reset the connection, and the last reply might be lost. */
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

  /** Records a refusal if the client leaves within a mail and the last reply was not a refusal. */
  #loseSession(): void {
    const { inMail, reception } = this.#session;
    if (inMail && !this.#isRefused) {
      const { messageBytes } = reception;
      const when = messageBytes > 0 ? ` after ${messageBytes} bytes of the message` : "";
      const dropped = `(client dropped the connection${when})`;
      this.#client.transcript.add(dropped);
      this.#client.refused(dropped);
    }
    this.#session.lost();
  }

  /** Ends the connection: with TLS by `shutdown`, because close() would wait for the client. */
  #endSocket(): void {
    if (this.#session.secure) this.socket.shutdown();
    else this.socket.close();
  }

  #partSoon(): void {
    setTimeout(() => this.socket.close(), PARTING_MS);
  }

  /** Does not reset the connection if all replies are sent: the client may read them late. */
  #giveUp(): void {
    if (this.#state === "lingering") this.socket.close();
    else this.socket.terminate();
  }
}

const FOUR = 0x34;

/** 4xx, 5xx, or a connection that is dropped. */
const isRefusal = ({ wire }: Reply): boolean => wire === "" || wire.charCodeAt(0) >= FOUR;
