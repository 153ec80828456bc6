// One SMTP session (RFC 5321): bytes in, effects out, without sockets, clocks or promises. The same bytes in
// other chunks give the same effects, but a message is passed on in other pieces. `contract.ts` describes
// the effects and how their results come back.
import {
  continueLogin,
  HIDDEN,
  type LoginStep,
  type SaslExchange,
  shownLogin,
  shownUnknown,
  startLogin,
} from "./auth.ts";
import { isHttpRequest, isText, parseCommand, type Verb } from "./command.ts";
import { announcedKeywords, type CloseReason, type SessionEffects, type SessionPolicy } from "./contract.ts";
import { Input, LineReader } from "./input.ts";
import { parseChunk } from "./mail.ts";
import { Reception } from "./reception.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";

/** The event that the session waits for before it reads on. Commits are tracked elsewhere. */
type Wait = "nothing" | "login" | "tls";
/** Returns the reply, or null if it comes later or was already sent. */
type Handler = (session: Session, args: string) => Reply | null;

export type CommitFailure = "failed" | "full";

export class Session {
  readonly #policy: SessionPolicy;
  readonly #effects: SessionEffects;
  readonly #input = new Input();
  readonly #lines: LineReader;
  readonly reception: Reception;
  #closed = false;
  #wait: Wait = "nothing";
  #holds = 0;
  #running = false;
  #stopping = false;
  secure: boolean;
  #greeted = false;
  #authenticated = false;
  #triedLogin = false;
  #exchange: SaslExchange | null = null;
  #fruitless = 0;
  /**
   * Lines read so far, without those of messages. Outside of a message, only whole lines count as
   * progress.
   */
  lineCount = 0;

  static readonly #handlers: Readonly<Record<Verb, Handler>> = {
    EHLO: (session, args) => session.#hello(args, true),
    HELO: (session, args) => session.#hello(args, false),
    MAIL: (session, args) => session.#mailRefusal() ?? session.reception.startMail(args),
    RCPT: (session, args) => session.#mailRefusal() ?? session.reception.addRecipient(args),
    DATA: (session, args) => session.#mailRefusal() ?? session.reception.startData(args),
    BDAT: (session, args) => session.#startChunk(args),
    RSET: (session, args) => session.#reset(args),
    NOOP: () => replies.NOOP_OK,
    VRFY: () => replies.CANNOT_VERIFY,
    EXPN: () => replies.EXPN_REFUSED,
    HELP: () => replies.HELP,
    QUIT: (session, args) => session.#quit(args),
    STARTTLS: (session, args) => session.#startTls(args),
    AUTH: (session, args) => session.#loginRefusal() ?? session.#login(startLogin(args, session.#policy)),
  };

  constructor(policy: SessionPolicy, effects: SessionEffects, secure: boolean) {
    this.#policy = policy;
    this.#effects = effects;
    this.secure = secure;
    this.#lines = new LineReader(policy.maxCommandBytes);
    this.reception = new Reception(policy, effects);
  }

  // Questions from outside

  /** The number of received bytes that are not read yet. */
  get heldBytes(): number {
    return this.#input.bytes;
  }

  /** Whether the session waits for us: for a commit or a login. */
  get busy(): boolean {
    return this.reception.committing || this.#wait === "login";
  }

  /** Whether a mail has begun and is neither complete nor discarded. */
  get inMail(): boolean {
    return this.reception.inMail && !this.reception.committing;
  }

  // Events from outside

  greet(): void {
    const refusal = this.#effects.refuse("connect", null, "");
    if (refusal === null) this.#effects.reply(replies.greeting(this.#policy.serverName));
    else this.cutOff(refusal);
  }

  /** Takes a chunk of bytes for `readChunk`. The session may change these bytes. */
  push(bytes: Buffer): void {
    // RFC 3207: nothing that was sent before the handshake counts.
    if (!this.#closed && this.#wait !== "tls") this.#input.push(bytes);
  }

  /** Reads the next chunk until the session has to wait or is held. Returns whether it can read another chunk. */
  readChunk(): boolean {
    if (this.#running) return false;
    this.#running = true;
    const input = this.#input;
    const { chunk } = input;
    while (chunk !== null && input.chunk === chunk && this.#mayRead) {
      const reply = this.#read(chunk, input.offset);
      if (reply !== null) this.#answer(reply);
    }
    this.#running = false;
    return input.chunk !== null && this.#mayRead;
  }

  /** Stops reading until `release` has been called as often as `hold`. */
  hold(): void {
    this.#holds++;
  }

  release(): void {
    this.#holds--;
    this.#readAll();
  }

  committed(id: string): void {
    this.#fruitless = 0;
    this.#messageDone(replies.storedReply(id));
  }

  commitFailed(failure: CommitFailure): void {
    this.#messageDone(failure === "full" ? replies.STORE_FULL : replies.STORE_FAILED);
  }

  authenticated(accepted: boolean): void {
    if (this.#closed) return;
    this.#wait = "nothing";
    const refusal = accepted ? this.#effects.refuse("auth", null, "") : replies.AUTH_FAILED;
    this.#authenticated = refusal === null;
    this.#answer(refusal ?? replies.AUTHENTICATED);
    if (refusal !== null) this.#effects.forgetLogin();
    this.#readAll();
  }

  /** RFC 3207: the client must say EHLO and log in again. */
  tlsStarted(): void {
    this.#wait = "nothing";
    this.secure = true;
    this.#greeted = false;
    this.#authenticated = false;
  }

  /** Ends the session with this reply. An unfinished message is discarded. */
  cutOff(reply: Reply): void {
    if (this.#closed) return;
    this.#effects.reply(reply);
    this.#close("cut-off");
  }

  /** Ends the session after the current message, or at once if there is none. */
  stop(): void {
    this.#stopping = true;
    if (this.reception.committing || this.reception.receiving) return;
    this.cutOff(replies.SHUTTING_DOWN);
  }

  lost(): void {
    this.reception.discard();
    this.#closed = true;
    this.#input.clear();
  }

  // Reading

  #readAll(): void {
    while (this.readChunk());
  }

  get #mayRead(): boolean {
    return this.#wait === "nothing" && this.#holds === 0 && !this.reception.committing;
  }

  #answer(reply: Reply): void {
    if (reply.ends === true) {
      this.cutOff(reply);
      return;
    }
    if (reply.fruitless && ++this.#fruitless > this.#policy.maxFruitlessCommands) {
      this.cutOff(replies.TOO_MANY_FRUITLESS);
      return;
    }
    this.#effects.reply(reply);
    if (this.#stopping) this.stop();
  }

  #read(bytes: Buffer, from: number): Reply | null {
    if (this.reception.takesBytes) return this.reception.read(this.#input, bytes, from);
    return this.#readLine(bytes, from);
  }

  #readLine(bytes: Buffer, from: number): Reply | null {
    const outcome = this.#lines.read(bytes, from);
    this.#input.advance(this.#lines.offset);
    if (outcome === "incomplete") return null;
    this.lineCount++;
    const exchange = this.#exchange;
    this.#exchange = null;
    if (outcome === "too-long") {
      this.#effects.recordInput(exchange ? null : "unknown", "(a line that is too long)");
      return exchange ? replies.AUTH_LINE_TOO_LONG : replies.LINE_TOO_LONG;
    }
    const { line, isPlain } = this.#lines;
    if (exchange) {
      this.#effects.recordInput(null, HIDDEN);
      return this.#login(continueLogin(exchange, line));
    }
    if (isPlain || isText(line)) return this.#command(line);
    this.#effects.recordInput("unknown", this.#shown(parseCommand(line).verb, line));
    return replies.LINE_NOT_TEXT;
  }

  /** A client whose AUTH was refused may still send its password on the next line. That line must not be shown. */
  #shown(verb: Verb | null, line: string): string {
    if (verb === "AUTH") {
      this.#triedLogin = true;
      return shownLogin(line);
    }
    if (verb !== null) return line;
    return this.#triedLogin ? HIDDEN : shownUnknown(line);
  }

  #command(line: string): Reply | null {
    const { verb, args } = parseCommand(line);
    this.#effects.recordInput(verb ?? "unknown", this.#shown(verb, line));
    if (verb !== null) return Session.#handlers[verb](this, args);
    if (!isHttpRequest(line)) return replies.UNKNOWN_COMMAND;
    this.cutOff(replies.NOT_HTTP);
    return null;
  }

  // Session commands

  #hello(args: string, extended: boolean): Reply {
    if (args === "") return replies.HELLO_WITHOUT_NAME;
    const refusal = this.#effects.refuse("ehlo", null, "");
    if (refusal !== null) return refusal;
    this.reception.discard();
    this.#greeted = true;
    const { serverName } = this.#policy;
    if (!extended) return replies.helloReply(serverName);
    return replies.extendedHelloReply(serverName, announcedKeywords(this.#policy, this.secure));
  }

  #reset(args: string): Reply {
    if (args !== "") return replies.NO_ARGUMENTS;
    this.reception.discard();
    return replies.RESET;
  }

  #quit(args: string): Reply | null {
    if (args !== "") return replies.NO_ARGUMENTS;
    this.#effects.reply(replies.GOODBYE);
    this.#close("quit");
    return null;
  }

  #startTls(args: string): Reply | null {
    if (args !== "") return replies.NO_ARGUMENTS;
    if (this.secure) return replies.TLS_ALREADY;
    if (this.#policy.tls === "unavailable") return replies.TLS_UNAVAILABLE;
    if (!this.#greeted) return replies.HELLO_FIRST;
    const refusal = this.#effects.refuse("starttls", null, "");
    if (refusal !== null) return refusal;
    this.reception.discard();
    this.#input.clear();
    this.#wait = "tls";
    this.#effects.reply(replies.READY_FOR_TLS);
    this.#effects.startTls();
    return null;
  }

  get #tlsMissing(): boolean {
    return this.#policy.tls === "required" && !this.secure;
  }

  #loginRefusal(): Reply | null {
    if (this.#tlsMissing) return replies.TLS_FIRST;
    if (!this.#greeted) return replies.HELLO_FIRST;
    if (this.#authenticated) return replies.ALREADY_AUTHENTICATED;
    return this.reception.inMail ? replies.AUTH_IN_MAIL : null;
  }

  #login(step: LoginStep): Reply | null {
    if ("reply" in step) {
      this.#exchange = step.next;
      return step.reply;
    }
    this.#wait = "login";
    this.#effects.authenticate(step.attempt);
    return null;
  }

  #mailRefusal(): Reply | null {
    if (this.#tlsMissing) return replies.TLS_FIRST;
    if (!this.#greeted) return replies.HELLO_FIRST;
    return this.#policy.authRequired && !this.#authenticated ? replies.AUTHENTICATION_FIRST : null;
  }

  #startChunk(args: string): Reply | null {
    const chunk = parseChunk(args);
    return chunk === null ? replies.BDAT_SYNTAX : this.reception.startChunk(chunk, this.#mailRefusal());
  }

  #messageDone(reply: Reply): void {
    if (this.#closed) return;
    this.reception.finish();
    this.#answer(reply);
    this.#readAll();
  }

  #close(reason: CloseReason): void {
    this.lost();
    this.#effects.close(reason);
  }
}
