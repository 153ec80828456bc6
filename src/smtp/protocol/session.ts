// One SMTP session (RFC 5321): bytes in, effects out. The same bytes give the same effects however they are cut.
// It knows no socket, no clock and no promise; `effects.ts` says what it asks for and how it is answered.
import { type Chunk, parseChunk } from "./chunk.ts";
import { isHttpRequest, isText, parseCommand, type Verb } from "./command.ts";
import { DotDecoder } from "./dot-decoder.ts";
import type { CloseReason, SessionEffects } from "./effects.ts";
import { Input } from "./input.ts";
import { LineReader } from "./line-reader.ts";
import { continueLogin, type LoginStep, startLogin } from "./login.ts";
import { Mail, parseMail, parseRecipient } from "./mail.ts";
import { announcedKeywords, type SessionPolicy } from "./policy.ts";
import type { Reply } from "./replies.ts";
import * as replies from "./replies.ts";
import type { SaslExchange } from "./sasl.ts";

/** What the next bytes are: a line (a command or a SASL response), message text, a BDAT chunk, or nothing any more. */
type Phase = "line" | "data" | "chunk" | "closed";
/** The outcome the session waits for before it reads on. */
type Wait = "nothing" | "commit" | "login" | "tls";
/** The answer, or null when it comes later or has been given. */
type Handler = (session: Session, args: string) => Reply | null;

/** Why a message could not be kept. */
export type CommitFailure = "failed" | "full";

export class Session {
  readonly #policy: SessionPolicy;
  readonly #effects: SessionEffects;
  readonly #input = new Input();
  readonly #lines: LineReader;
  readonly #decoder = new DotDecoder();
  #phase: Phase = "line";
  #wait: Wait = "nothing";
  #holds = 0;
  #running = false;
  #stopping = false;
  #secure: boolean;
  #greeted = false;
  #authenticated = false;
  #exchange: SaslExchange | null = null;
  #mail: Mail | null = null;
  #chunk: Chunk | null = null;
  #fruitless = 0;
  #lineCount = 0;
  #messageCount = 0;

  static readonly #handlers: Readonly<Record<Verb, Handler>> = {
    EHLO: (session, args) => session.#hello(args, true),
    HELO: (session, args) => session.#hello(args, false),
    MAIL: (session, args) => session.#mailRefusal() ?? session.#startMail(args),
    RCPT: (session, args) => session.#mailRefusal() ?? session.#addRecipient(args),
    DATA: (session, args) => session.#mailRefusal() ?? session.#startData(args),
    BDAT: (session, args) => session.#startChunk(args),
    RSET: (session, args) => session.#reset(args),
    NOOP: () => replies.NOOP_OK,
    VRFY: () => replies.CANNOT_VERIFY,
    EXPN: () => replies.EXPN_REFUSED,
    HELP: () => replies.HELP_TEXT,
    QUIT: (session, args) => session.#quit(args),
    STARTTLS: (session, args) => session.#startTls(args),
    AUTH: (session, args) => session.#loginRefusal() ?? session.#login(startLogin(args, session.#policy)),
  };

  constructor(policy: SessionPolicy, effects: SessionEffects, secure: boolean) {
    this.#policy = policy;
    this.#effects = effects;
    this.#secure = secure;
    this.#lines = new LineReader(policy.maxCommandBytes);
  }

  // What the world may ask

  /** Received bytes that are not read yet, because the session waits or is held. */
  get heldBytes(): number {
    return this.#input.bytes;
  }

  /** Whether an outcome is awaited that the client has no part in. */
  get busy(): boolean {
    return this.#wait === "commit" || this.#wait === "login";
  }

  /** Whether message bytes come next or may still follow. */
  get receivingMessage(): boolean {
    if (this.busy) return false;
    return this.#phase === "data" || this.#phase === "chunk" || this.#mail?.begun === true;
  }

  /** Lines read so far: a client that sends bytes but no lines does not get on. */
  get lineCount(): number {
    return this.#lineCount;
  }

  /** Messages begun so far. */
  get messageCount(): number {
    return this.#messageCount;
  }

  // What the world may tell

  greet(): void {
    this.#effects.reply(replies.greeting(this.#policy.serverName).wire);
  }

  receive(bytes: Buffer): void {
    if (this.#phase === "closed") return;
    // RFC 3207: what was sent in the clear before the handshake must not be taken for a command after it.
    if (this.#wait === "tls") return;
    this.#input.push(bytes);
    this.#run();
  }

  /** Stops reading until as many calls of `release`: the world is behind. */
  hold(): void {
    this.#holds++;
  }

  release(): void {
    this.#holds--;
    this.#run();
  }

  committed(id: string): void {
    this.#fruitless = 0;
    this.#messageDone(replies.storedReply(id));
  }

  commitFailed(failure: CommitFailure): void {
    this.#messageDone(failure === "full" ? replies.STORE_FULL : replies.STORE_FAILED);
  }

  authenticated(accepted: boolean): void {
    if (this.#phase === "closed") return;
    this.#wait = "nothing";
    this.#authenticated = accepted;
    this.#answer(accepted ? replies.AUTHENTICATED : replies.AUTH_FAILED);
    this.#run();
  }

  /** RFC 3207: the client is as unknown as at the start. */
  tlsStarted(): void {
    this.#wait = "nothing";
    this.#secure = true;
    this.#greeted = false;
    this.#authenticated = false;
  }

  /** Ends the session from outside with this reply; an unfinished message leaves nothing behind. */
  cutOff(reply: Reply): void {
    if (this.#phase === "closed") return;
    this.#effects.reply(reply.wire);
    this.#close("cut-off");
  }

  /** Ends the session after the message that is coming in, or at once when there is none. */
  stop(): void {
    this.#stopping = true;
    if (this.#wait === "commit" || this.receivingMessage) return;
    this.cutOff(replies.SHUTTING_DOWN);
  }

  /** The connection is gone. */
  lost(): void {
    this.#discardMail();
    this.#phase = "closed";
    this.#input.clear();
  }

  // Reading

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    while (this.#wait === "nothing" && this.#holds === 0 && this.#input.chunk !== null) {
      const reply = this.#read(this.#input.chunk, this.#input.offset);
      if (reply !== null) this.#answer(reply);
    }
    this.#running = false;
  }

  #answer(reply: Reply): void {
    if (reply.fruitless && ++this.#fruitless > this.#policy.maxFruitlessCommands) {
      this.cutOff(replies.TOO_MANY_FRUITLESS);
      return;
    }
    this.#effects.reply(reply.wire);
    if (this.#stopping) this.stop();
  }

  #read(bytes: Buffer, from: number): Reply | null {
    if (this.#phase === "data") return this.#readData(bytes, from);
    if (this.#chunk !== null) return this.#readChunk(this.#chunk, bytes, from);
    return this.#readLine(bytes, from);
  }

  #readLine(bytes: Buffer, from: number): Reply | null {
    const outcome = this.#lines.read(bytes, from);
    this.#input.advance(this.#lines.offset);
    if (outcome === "incomplete") return null;
    this.#lineCount++;
    const exchange = this.#exchange;
    this.#exchange = null;
    if (outcome === "too-long") return exchange ? replies.AUTH_LINE_TOO_LONG : replies.LINE_TOO_LONG;
    const { line } = this.#lines;
    if (exchange) return this.#login(continueLogin(exchange, line));
    return isText(line) ? this.#command(line) : replies.LINE_NOT_TEXT;
  }

  #command(line: string): Reply | null {
    const { verb, args } = parseCommand(line);
    if (verb !== null) return Session.#handlers[verb](this, args);
    if (!isHttpRequest(line)) return replies.UNKNOWN_COMMAND;
    this.cutOff(replies.NOT_HTTP);
    return null;
  }

  #readData(bytes: Buffer, from: number): Reply | null {
    const next = this.#decoder.decode(bytes, from, this.#take);
    this.#input.advance(next === -1 ? bytes.length : next);
    return next === -1 ? null : this.#endMessage();
  }

  #readChunk(chunk: Chunk, bytes: Buffer, from: number): Reply | null {
    const end = Math.min(bytes.length, from + chunk.left);
    chunk.left -= end - from;
    if (chunk.refusal === null) this.#take(bytes.subarray(from, end));
    this.#input.advance(end);
    return chunk.left === 0 ? this.#endChunk(chunk) : null;
  }

  /** Keeps bytes of the message, up to the size limit. */
  readonly #take = (bytes: Buffer): void => {
    const mail = this.#mail;
    if (mail === null || mail.tooBig) return;
    mail.bytes += bytes.length;
    if (mail.bytes <= this.#policy.maxMessageBytes) {
      this.#effects.append(bytes);
      return;
    }
    mail.tooBig = true;
    this.#effects.abort();
  };

  // Session commands

  #hello(args: string, extended: boolean): Reply {
    if (args === "") return replies.HELLO_WITHOUT_NAME;
    this.#discardMail();
    this.#greeted = true;
    const { serverName } = this.#policy;
    if (!extended) return replies.helloReply(serverName);
    return replies.extendedHelloReply(serverName, announcedKeywords(this.#policy, this.#secure));
  }

  #reset(args: string): Reply {
    if (args !== "") return replies.NO_ARGUMENTS;
    this.#discardMail();
    return replies.RESET;
  }

  #quit(args: string): Reply | null {
    if (args !== "") return replies.NO_ARGUMENTS;
    this.#effects.reply(replies.GOODBYE.wire);
    this.#close("quit");
    return null;
  }

  #startTls(args: string): Reply | null {
    if (args !== "") return replies.NO_ARGUMENTS;
    if (this.#secure) return replies.TLS_ALREADY;
    if (this.#policy.tls === "unavailable") return replies.TLS_UNAVAILABLE;
    if (!this.#greeted) return replies.HELLO_FIRST;
    this.#discardMail();
    this.#input.clear();
    this.#wait = "tls";
    this.#effects.reply(replies.READY_FOR_TLS.wire);
    this.#effects.startTls();
    return null;
  }

  get #tlsMissing(): boolean {
    return this.#policy.tls === "required" && !this.#secure;
  }

  #loginRefusal(): Reply | null {
    if (this.#tlsMissing) return replies.TLS_FIRST;
    if (!this.#greeted) return replies.HELLO_FIRST;
    if (this.#authenticated) return replies.ALREADY_AUTHENTICATED;
    return this.#mail === null ? null : replies.AUTH_IN_MAIL;
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

  // Mail commands

  /** What keeps every mail command from being tried at all. */
  #mailRefusal(): Reply | null {
    if (this.#tlsMissing) return replies.TLS_FIRST;
    if (!this.#greeted) return replies.HELLO_FIRST;
    return this.#policy.authRequired && !this.#authenticated ? replies.AUTHENTICATION_FIRST : null;
  }

  #startMail(args: string): Reply {
    if (this.#mail !== null) return replies.ALREADY_IN_MAIL;
    const mail = parseMail(args, this.#policy.maxMessageBytes);
    if (!(mail instanceof Mail)) return mail;
    this.#mail = mail;
    return replies.SENDER_OK;
  }

  #addRecipient(args: string): Reply {
    if (this.#mail === null) return replies.MAIL_FIRST;
    if (this.#mail.begun) return replies.CHUNKS_BEGUN;
    const address = parseRecipient(args);
    if (typeof address !== "string") return address;
    return this.#mail.addRecipient(address, this.#policy.maxRecipients);
  }

  #startData(args: string): Reply {
    const mail = this.#mail;
    if (args !== "") return replies.NO_ARGUMENTS;
    if (mail === null) return replies.MAIL_FIRST;
    if (mail.begun) return replies.CHUNKS_BEGUN;
    if (mail.body === "BINARYMIME") return replies.BINARY_NEEDS_BDAT;
    if (mail.recipients.length === 0) return replies.RECIPIENT_FIRST;
    this.#phase = "data";
    this.#beginMessage(mail);
    return replies.SEND_MESSAGE;
  }

  #startChunk(args: string): Reply | null {
    const chunk = parseChunk(args);
    if (chunk === null) return replies.BDAT_SYNTAX;
    chunk.refusal ??= this.#chunkRefusal(chunk);
    if (chunk.refusal !== null) this.#messageCount++;
    else if (this.#mail?.begun === false) this.#beginMessage(this.#mail);
    this.#phase = "chunk";
    this.#chunk = chunk;
    return chunk.left === 0 ? this.#endChunk(chunk) : null;
  }

  #chunkRefusal(chunk: Chunk): Reply | null {
    const refusal = this.#mailRefusal();
    if (refusal !== null) return refusal;
    if (this.#mail === null) return replies.MAIL_FIRST;
    if (this.#mail.recipients.length === 0) return replies.RECIPIENT_FIRST;
    return this.#mail.bytes + chunk.bytes > this.#policy.maxMessageBytes ? replies.MESSAGE_TOO_BIG : null;
  }

  #endChunk(chunk: Chunk): Reply | null {
    this.#phase = "line";
    this.#chunk = null;
    if (chunk.refusal === replies.MESSAGE_TOO_BIG) this.#discardMail();
    if (chunk.refusal !== null) return chunk.refusal;
    return chunk.last ? this.#endMessage() : replies.chunkReply(chunk.bytes);
  }

  // The message

  #beginMessage(mail: Mail): void {
    mail.begun = true;
    this.#messageCount++;
    this.#effects.begin({ sender: mail.sender, recipients: mail.recipients });
  }

  #endMessage(): Reply | null {
    this.#phase = "line";
    if (this.#mail?.tooBig === true) {
      this.#mail = null;
      return replies.MESSAGE_TOO_BIG;
    }
    this.#wait = "commit";
    this.#effects.commit();
    return null;
  }

  #messageDone(reply: Reply): void {
    if (this.#phase === "closed") return;
    this.#wait = "nothing";
    this.#mail = null;
    this.#answer(reply);
    this.#run();
  }

  /** Forgets the mail in progress; what has come of its message leaves nothing behind. */
  #discardMail(): void {
    const mail = this.#mail;
    this.#mail = null;
    if (mail?.begun === true && !mail.tooBig && this.#wait !== "commit") this.#effects.abort();
  }

  #close(reason: CloseReason): void {
    this.#discardMail();
    this.#phase = "closed";
    this.#input.clear();
    this.#effects.close(reason);
  }
}
