// The state of a client apart from its socket: its user, its transcript, the inbox of its mail, and its faults on
// purpose.
import {
  type FailedLogins,
  type Faults,
  HeaderStart,
  type Inboxes,
  type Refusal,
  SessionTranscript,
  type Transcripts,
} from "../app/index.ts";
import type { Logger } from "../lib/logger.ts";
import type { Envelope, FaultStage } from "../lib/smtp.ts";
import type { Credentials } from "./credentials.ts";
import type { Origin } from "./intake.ts";
import {
  type CommandName,
  DROPPED,
  LOGIN_ENDED,
  type LoginAttempt,
  type Reply,
  refusalOnPurpose,
} from "./protocol/index.ts";

/** The parts of the server that all clients share. */
export interface ClientContext {
  readonly inboxes: Pick<Inboxes, "place" | "verify" | "needsHeader" | "mayDeliver" | "canCramMd5">;
  readonly credentials: Credentials | null;
  readonly failedLogins: FailedLogins;
  readonly faults: Faults;
  readonly transcripts: Transcripts;
  readonly logger: Logger;
}

/** Pauses can overlap: each one ends with its own `resume`. */
interface Pausable {
  pause(): void;
  resume(): void;
}

const STAGES: Readonly<Partial<Record<CommandName | "", Refusal["stage"]>>> = {
  "": "connect",
  EHLO: "ehlo",
  HELO: "ehlo",
  STARTTLS: "starttls",
  AUTH: "auth",
  MAIL: "mail",
  RCPT: "rcpt",
  DATA: "data",
  BDAT: "data",
};
/** Commands that count for all later mails, so the transcript of each mail has them. */
const OPENS: ReadonlySet<CommandName> = new Set(["HELO", "EHLO", "STARTTLS", "AUTH"]);
/** Commands that give up the current mail (RFC 5321 section 4.1.4). */
const STARTS_OVER: ReadonlySet<CommandName> = new Set(["RSET", "HELO", "EHLO"]);

/** The text in angle brackets, or after the colon. Anchored: a search for `<` in `<<<<` would be slow. */
const addressIn = (line: string) => {
  const [, address = ""] = /^[^<]*<([^>]*)>/.exec(line) ?? /^[^:]*:\s*<?([^\s>]*)/.exec(line) ?? [];
  return address.toWellFormed();
};

/** Not the name of an inbox: refusals with it are shown only to callers who may see all mail. */
const NO_INBOX = "";

export class ClientState {
  readonly address: string;
  readonly transcript: SessionTranscript;
  /** The start of the current message, if the rules of inboxes or faults need its header. */
  header: HeaderStart | null = null;
  /**
   * The number of running pauses. During a pause no input is handled, and nothing is sent unless
   * the server stops.
   */
  silences = 0;
  /** The speed limit of the client; 0 means none. */
  bytesPerSecond = 0;
  readonly #context: ClientContext;
  readonly #connection: Pausable;
  readonly #portInbox: string | undefined;
  /** The last command; null for a message or a response to an AUTH challenge, empty before the first command. */
  #command: CommandName | null | "" = "";
  /** The last line of the client without passwords, or the size of its last message. */
  #shown: string | number = "";
  /** The MAIL command of the current mail, even if it was refused. */
  #mailLine = "";
  /** The current mail, if its MAIL command was understood. */
  #mail: Envelope | null = null;
  #user: string | undefined;
  /** The token of a client that has logged in to an inbox. */
  #token: string | null = null;
  #throttledUntil = 0;

  constructor(context: ClientContext, connection: Pausable, address: string, portInbox: string | undefined) {
    this.#context = context;
    this.#connection = connection;
    this.#portInbox = portInbox;
    this.address = address;
    this.transcript = new SessionTranscript(address);
  }

  recordInput(command: CommandName | null, shown: string | number, inMail: boolean): void {
    const isOver = typeof this.#shown === "number" || (command !== null && STARTS_OVER.has(command));
    if (isOver || (command === "MAIL" && !inMail)) this.#mail = null;
    if (isOver) this.#mailLine = "";
    if (command === "MAIL") {
      this.#mailLine = String(shown);
      this.header = null;
      this.transcript.startMail();
    } else if (command !== null && OPENS.has(command) && !inMail) this.transcript.resumeOpening();
    this.#command = command;
    this.#shown = shown;
    this.transcript.recordInput(shown);
  }

  /** Adds the user and the inbox of the port, because they may select the inbox of the mail. */
  startMessage(envelope: Envelope): Envelope & Origin {
    const isPlain = this.#user === undefined && this.#portInbox === undefined;
    const arrival = isPlain ? envelope : { ...envelope, user: this.#user, portInbox: this.#portInbox };
    const { faults, inboxes } = this.#context;
    const needsHeader = faults.needsHeader || inboxes.needsHeader(arrival);
    this.header = needsHeader ? new HeaderStart() : null;
    return arrival;
  }

  stored(id: string): void {
    this.#context.transcripts.keep(id, this.transcript);
  }

  refused(told: string): void {
    const refusal = this.#refusal;
    // The accepted recipients come first, because the first recipient with an inbox selects it.
    const recipients = [...(this.#mail?.recipients ?? []), ...refusal.recipients];
    const inbox = this.#inboxOf(recipients, this.header?.bytes ?? null);
    this.#context.transcripts.refuse(this.transcript, told, refusal, inbox);
  }

  /** The stage of the last input and the sender, with the refused recipient or those accepted so far. */
  get #refusal(): Refusal {
    const [command, shown] = [this.#command, this.#shown];
    const isLine = typeof shown === "string";
    const stage = command === null ? (isLine ? "auth" : "end") : (STAGES[command] ?? "command");
    if (stage === "mail") return { stage, sender: addressIn(this.#mailLine), recipients: [] };
    const { sender = addressIn(this.#mailLine), recipients = [] } = this.#mail ?? {};
    const address = stage === "rcpt" && isLine ? addressIn(shown) : null;
    if (address === null || recipients.includes(address)) return { stage, sender, recipients };
    return { stage, sender, recipients: address === "" ? [] : [address] };
  }

  // Logins

  /** Sets the user even if the login is refused, so that the inbox of that name shows the refusal. */
  async logIn(attempt: LoginAttempt): Promise<boolean> {
    const { inboxes, credentials, failedLogins, logger } = this.#context;
    const { user } = attempt;
    const password = attempt.kind === "password" ? attempt.password : null;
    const isInbox = await inboxes.verify(user, password, credentials === null);
    const isAccepted = isInbox ?? (credentials === null || (await credentials.verify(attempt)));
    if (isInbox === true) this.#token = password;
    this.#user = user;
    if (isAccepted) return true;
    logger.warn("login refused", { client: this.address });
    await Bun.sleep(failedLogins.delayOf(this.address));
    return false;
  }

  forgetLogin(): void {
    this.#user = undefined;
    this.#token = null;
  }

  get #hasLoginEnded(): boolean {
    return this.#token !== null && !this.#context.inboxes.mayDeliver(this.#user ?? "", this.#token);
  }

  /** The inbox of a mail to these recipients. Without `header`, rules for header fields do not count. */
  #inboxOf(recipients: readonly string[], header: Uint8Array | null): string {
    // A new inbox may have the same name by now. It must not see this session.
    if (this.#hasLoginEnded) return NO_INBOX;
    const arrival = { user: this.#user, portInbox: this.#portInbox, recipients };
    return this.#context.inboxes.place(arrival, header);
  }

  // Refusals and faults on purpose

  /** The reply that refuses this stage; null if the session may continue. */
  refusal(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null {
    if (stage === "mail") this.#mail = envelope;
    if ((stage === "mail" || stage === "end") && this.#hasLoginEnded) return LOGIN_ENDED;
    return this.#context.faults.isEmpty ? null : this.#fault(stage, envelope, recipient);
  }

  #fault(stage: FaultStage, envelope: Envelope | null, recipient: string): Reply | null {
    const client = this.address;
    const accepted = envelope?.recipients ?? [];
    const recipients = recipient === "" ? accepted : [recipient];
    const header = stage === "end" && this.header !== null ? this.header.bytes : null;
    let inbox: string | undefined;
    const hit = this.#context.faults.at(stage, {
      client,
      // Determined once for all rules, and only if one of them needs it.
      inbox: () => {
        inbox ??= this.#inboxOf([...accepted, ...recipients], header);
        return inbox;
      },
      sender: envelope?.sender ?? "",
      recipients,
      header,
    });
    if (hit === null) return null;
    const { rule, reply, delayMs, bytesPerSecond, drop } = hit;
    this.#context.logger.info("fault on purpose", { rule, at: stage, code: reply?.code, client });
    this.transcript.add({ wire: `(fault ${rule})\r\n` });
    if (bytesPerSecond > 0) this.bytesPerSecond = bytesPerSecond;
    if (delayMs > 0) this.#staySilent(delayMs);
    if (reply !== null) return refusalOnPurpose(reply.code, reply.enhanced, reply.text, drop);
    return drop ? DROPPED : null;
  }

  throttle(bytes: number): void {
    const now = performance.now();
    this.#throttledUntil = Math.max(now, this.#throttledUntil) + (bytes / this.bytesPerSecond) * 1000;
    this.#staySilent(this.#throttledUntil - now);
  }

  #staySilent(ms: number): void {
    this.#connection.pause();
    this.silences++;
    this.transcript.silentUntil = Date.now() + ms;
    const goOn = () => {
      this.silences--;
      this.#connection.resume();
    };
    setTimeout(goOn, ms).unref();
  }
}
