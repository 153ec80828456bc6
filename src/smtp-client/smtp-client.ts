// The SMTP client of release, relay, send and import. Mail is sent unchanged: by BDAT (RFC 3030) if the server offers
// it, otherwise by DATA. One connection takes any number of mails, one after the other.
import { isAscii } from "node:buffer";
import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Envelope } from "../lib/smtp.ts";
import { connectionFailure, DeliveryError } from "./delivery-error.ts";
import { DotStuffer } from "./dot-stuffer.ts";
import { CLOSING, SmtpReplies, type SmtpReply, wordsOf } from "./replies.ts";

export interface OutgoingMessage {
  readonly size: number;
  /** Called when the server is ready for the bytes. */
  readonly chunks: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface Refusal {
  readonly recipient: string;
  readonly reason: string;
}

export interface DeliveryReceipt {
  readonly accepted: string[];
  readonly rejected: string[];
  /** The rejected recipients that were refused with 4xx. */
  readonly deferred: string[];
  /** Why each rejected recipient was refused. */
  readonly refusals: readonly Refusal[];
  /** The server's last reply, such as `250 2.0.0 Stored as …`. */
  readonly response: string;
}

export interface SmtpCredentials {
  readonly user: string;
  readonly password: string;
}

interface SmtpAddress {
  readonly host: string;
  readonly port: number;
}

interface SmtpClientOptions extends SmtpAddress {
  /** Our name in EHLO. */
  readonly name: string;
  /** Undefined: STARTTLS if the server offers it. */
  readonly tls?: "none" | "starttls" | "implicit" | undefined;
  readonly verifiesCertificate?: boolean;
  readonly credentials: SmtpCredentials | null;
  /** Logs in only with TLS, unless `tls` is "none". */
  readonly hidesPassword?: boolean;
  /** How long the server may be silent before its greeting. */
  readonly greetingMs: number;
  /** How long the server may be silent after the greeting. */
  readonly silenceMs: number;
  /** Ends the whole session when it is aborted. */
  readonly signal?: AbortSignal;
}

export const tlsOptions = (host: string, isVerified = false): ConnectionOptions => ({
  rejectUnauthorized: isVerified,
  ...(isIP(host) === 0 && { servername: host }),
});

/** With TLS options, TLS starts with the first byte. */
export const openSocket = ({ host, port }: SmtpAddress, tls: ConnectionOptions | null): Socket =>
  tls ? connectTls({ host, port, ...tls }) : connect({ host, port });

const READY_FOR_DATA = 354;
const PIECE_BYTES = 256 * 1024;

const isPositive = ({ code }: SmtpReply) => code >= 200 && code < 400;
const isPassing = ({ code }: SmtpReply) => code >= 400 && code < 500;
const isUtf8 = (address: string) => !isAscii(Buffer.from(address));
const base64 = (text: string) => Buffer.from(text).toString("base64");

function refusal(what: string, reply: SmtpReply, deferred: readonly string[] | null = null): DeliveryError {
  const words = wordsOf(reply);
  return new DeliveryError("refused", `${what} was refused: ${words}`, { reply: words, deferred });
}

/** A line break in an address would begin another command. */
function refuseControlCharacters(addresses: readonly string[]): void {
  const bad = addresses.find((address) => /\p{Cc}/u.test(address));
  if (bad === undefined) return;
  throw new DeliveryError("unsendable", `the address ${JSON.stringify(bad)} has a control character in it`);
}

const silentServer = () => new DeliveryError("timeout", "the server is silent");

/** Pieces so small that even a slow server takes each one before it counts as silent. */
async function* inPieces(chunks: ReturnType<OutgoingMessage["chunks"]>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
  }
}

async function* stuffed({ chunks }: OutgoingMessage): AsyncGenerator<Uint8Array> {
  const stuffer = new DotStuffer();
  for await (const chunk of chunks()) yield stuffer.push(chunk);
  yield Buffer.from(stuffer.finish());
}

export class SmtpClient {
  readonly #options: SmtpClientOptions;
  #socket: Socket;
  #replies: SmtpReplies;
  /** Keyword → its parameters. */
  #extensions: ReadonlyMap<string, string> = new Map();
  #isGreeted = false;

  private constructor(options: SmtpClientOptions) {
    this.#options = options;
    this.#socket = openSocket(options, options.tls === "implicit" ? this.#tlsOptions : null);
    this.#replies = this.#listen(options.greetingMs);
    options.signal?.addEventListener("abort", () =>
      this.#giveUp(new DeliveryError("timeout", "the SMTP session took too long")),
    );
  }

  static async open(options: SmtpClientOptions): Promise<SmtpClient> {
    const client = new SmtpClient(options);
    try {
      await client.#greet();
    } catch (error) {
      client.#giveUp(error as Error);
      throw error;
    }
    return client;
  }

  get isOver(): boolean {
    return this.#replies.isOver;
  }

  /** The size limit that the server announces (RFC 1870), if any. */
  get maxMessageBytes(): number | null {
    const largest = Number(this.#extensions.get("SIZE"));
    return largest > 0 ? largest : null;
  }

  /** With `toAll` the mail fails if one recipient is refused. Otherwise the other recipients get the mail. */
  async send(
    envelope: Envelope,
    message: OutgoingMessage,
    { toAll }: { readonly toAll: boolean },
  ): Promise<DeliveryReceipt> {
    const { sender, recipients } = envelope;
    refuseControlCharacters([sender, ...recipients]);
    this.#refuseTooBig(message);
    try {
      const { rejected, ...refused } = await this.#offer(envelope, message, toAll);
      const reply = await this.#transmit(message);
      if (!isPositive(reply)) throw refusal("the mail", reply);
      const accepted = recipients.filter((recipient) => !rejected.includes(recipient));
      return { accepted, rejected, ...refused, response: wordsOf(reply) };
    } catch (error) {
      // After any error but a refusal the server's state is unknown, so the connection is closed.
      const isInStep = error instanceof DeliveryError && error.failure === "refused";
      if (!isInStep) this.#giveUp(error as Error);
      // A refusal may leave the transaction open (RFC 3030, 2: after BDAT its state is unknown).
      else if (!this.isOver) await this.#command("RSET").catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#command("QUIT").catch(() => {});
    this.#socket.destroy();
  }

  #giveUp(error: Error): void {
    this.#replies.fail(error);
    this.#socket.destroy();
  }

  get #tlsOptions() {
    return tlsOptions(this.#options.host, this.#options.verifiesCertificate);
  }

  #listen(silenceMs: number): SmtpReplies {
    const socket = this.#socket;
    const replies = new SmtpReplies();
    const lost = (error: Error | null) => {
      const isUngreeted = !this.#isGreeted && this.#options.tls !== "implicit";
      replies.fail(connectionFailure(error, isUngreeted));
    };
    socket.setTimeout(silenceMs, () => this.#giveUp(silentServer()));
    socket.on("data", (bytes) => replies.push(bytes as Buffer));
    socket.on("error", lost);
    socket.on("close", () => lost(null));
    return replies;
  }

  // The dialogue

  async #greet(): Promise<void> {
    const { silenceMs, tls, credentials, hidesPassword } = this.#options;
    const greeting = await this.#replies.next();
    this.#isGreeted = true;
    this.#socket.setTimeout(silenceMs);
    if (!isPositive(greeting)) throw refusal("the connection", greeting);
    await this.#hello();
    const wantsTls = tls === "starttls" || (tls === undefined && this.#extensions.has("STARTTLS"));
    if (wantsTls) await this.#startTls();
    const isClear = tls === undefined && !wantsTls;
    if (credentials && hidesPassword && isClear) {
      throw new DeliveryError("clear-password", "the server offers no TLS to log in with");
    }
    if (credentials) await this.#login(credentials);
  }

  async #hello(): Promise<void> {
    let hello = await this.#command(`EHLO ${this.#options.name}`);
    // A server without extensions may know only HELO (RFC 5321 section 3.2).
    if ([500, 502].includes(hello.code)) hello = await this.#command(`HELO ${this.#options.name}`);
    if (!isPositive(hello)) throw refusal("the greeting", hello);
    this.#extensions = new Map(
      hello.lines.slice(1).map((line) => {
        // Some old servers write AUTH=PLAIN.
        const [, keyword = "", parameters = ""] = /^([^ =]*)[ =]?(.*)$/.exec(line) ?? [];
        return [keyword.toUpperCase(), parameters];
      }),
    );
  }

  /** Forgets all answers from before TLS (RFC 3207 section 4.2), because an attacker may have sent them. */
  async #startTls(): Promise<void> {
    const reply = await this.#command("STARTTLS");
    if (!isPositive(reply)) throw refusal("STARTTLS", reply);
    const plain = this.#socket.removeAllListeners("data").setTimeout(0);
    this.#socket = connectTls({ socket: plain, ...this.#tlsOptions });
    this.#replies = this.#listen(this.#options.silenceMs);
    this.#extensions = new Map();
    await this.#hello();
  }

  /** Uses PLAIN, or LOGIN if the server offers LOGIN but not PLAIN (RFC 4954). */
  async #login({ user, password }: SmtpCredentials): Promise<void> {
    const offered = (this.#extensions.get("AUTH") ?? "").toUpperCase().split(" ");
    const usesLogin = offered.includes("LOGIN") && !offered.includes("PLAIN");
    const plain = base64(`\0${user}\0${password}`);
    const commands = usesLogin ? ["AUTH LOGIN", base64(user), base64(password)] : [`AUTH PLAIN ${plain}`];
    const secrets = [plain, base64(password), password].flatMap((text) => [text, text.replace(/=+$/, "")]);
    for (const command of commands) {
      const { code, lines } = await this.#command(command);
      if (isPositive({ code, lines })) continue;
      // Some servers repeat the command that they refuse.
      const hide = (line: string) =>
        secrets.reduce((told, secret) => (secret === "" ? told : told.replaceAll(secret, "***")), line);
      throw refusal(`the login as ${user}`, { code, lines: lines.map(hide) });
    }
  }

  #refuseTooBig({ size }: OutgoingMessage): void {
    const largest = this.maxMessageBytes;
    if (largest === null || size <= largest) return;
    throw new DeliveryError("refused", `the mail has ${size} bytes, and the server takes at most ${largest}`);
  }

  async #offer(
    { sender, recipients, receivedAt }: Envelope,
    message: OutgoingMessage,
    toAll: boolean,
  ): Promise<Pick<DeliveryReceipt, "rejected" | "deferred" | "refusals">> {
    const takesUtf8 = this.#extensions.has("SMTPUTF8");
    const unsent = takesUtf8 ? [] : recipients.filter(isUtf8);
    const failing = !takesUtf8 && isUtf8(sender) ? sender : unsent[0];
    if (failing !== undefined && (toAll || failing === sender || unsent.length === recipients.length)) {
      throw new DeliveryError("refused", `the server has no SMTPUTF8, which <${failing}> needs`);
    }
    // Only Mailkeep knows this parameter.
    const date = receivedAt ? ` XRECEIVED=${receivedAt}` : "";
    const parameters = this.#mailParameters([sender, ...recipients], message) + date;
    const answers = await this.#inOrder([
      { what: `the sender <${sender}>`, command: `MAIL FROM:<${sender}>${parameters}`, recipients: [] },
      ...recipients
        .filter((recipient) => !unsent.includes(recipient))
        .map((recipient) => ({
          what: `the recipient <${recipient}>`,
          command: `RCPT TO:<${recipient}>`,
          recipients: [recipient],
        })),
    ]);
    const refused = answers.filter(({ reply }) => !isPositive(reply));
    const rejected = [...unsent, ...refused.flatMap((answer) => answer.recipients)];
    const deferred = refused.flatMap((answer) => (isPassing(answer.reply) ? answer.recipients : []));
    const refusals = [
      ...unsent.map((recipient) => ({ recipient, reason: "the server has no SMTPUTF8" })),
      ...refused.map(({ recipients, reply }) => ({ recipient: recipients.join(), reason: wordsOf(reply) })),
    ];
    const [first] = refused;
    const isSender = first === answers[0];
    const isForNobody = isSender || rejected.length === recipients.length;
    if (first === undefined || !(toAll || isForNobody || this.isOver))
      return { rejected, deferred, refusals };
    throw refusal(first.what, first.reply, isSender || !isForNobody ? null : deferred);
  }

  #mailParameters(addresses: readonly string[], { size }: OutgoingMessage): string {
    const offers = (keyword: string) => this.#extensions.has(keyword);
    return [
      offers("SIZE") ? ` SIZE=${size}` : "",
      offers("8BITMIME") ? " BODY=8BITMIME" : "",
      offers("SMTPUTF8") && addresses.some(isUtf8) ? " SMTPUTF8" : "",
    ].join("");
  }

  /** Sends all commands at once if the server has PIPELINING (RFC 2920), otherwise one by one. */
  async #inOrder<Step extends { readonly command: string }>(
    steps: readonly Step[],
  ): Promise<(Step & { reply: SmtpReply })[]> {
    const isPipelined = this.#extensions.has("PIPELINING");
    if (isPipelined) this.#socket.write(steps.map(({ command }) => `${command}\r\n`).join(""));
    const answers: (Step & { reply: SmtpReply })[] = [];
    for (const step of steps) {
      const reply = isPipelined ? await this.#replies.next() : await this.#command(step.command);
      answers.push({ ...step, reply });
      if (reply.code === CLOSING) break;
    }
    return answers;
  }

  async #transmit(message: OutgoingMessage): Promise<SmtpReply> {
    if (this.#extensions.has("CHUNKING")) {
      await this.#write(`BDAT ${message.size} LAST\r\n`, message.chunks());
      return this.#replies.next();
    }
    const invitation = await this.#command("DATA");
    if (invitation.code !== READY_FOR_DATA) throw refusal("the mail", invitation);
    await this.#write("", stuffed(message));
    return this.#replies.next();
  }

  /** Writes a message, waiting while the server takes no bytes. Stops if the connection ends. */
  async #write(head: string, chunks: ReturnType<OutgoingMessage["chunks"]>): Promise<void> {
    const socket = this.#socket;
    // `head` goes out with the first chunk, to save a packet.
    socket.cork();
    socket.write(head);
    for await (const piece of inPieces(chunks)) {
      // The connection may have ended while the piece was read, and then the socket never drains.
      if (this.isOver) break;
      const isTaken = socket.write(piece);
      socket.uncork();
      if (!isTaken) await this.#drained();
    }
    socket.uncork();
  }

  /** In Bun, the timeout of a socket does not fire while bytes wait to be sent. */
  #drained(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#giveUp(silentServer()), this.#options.silenceMs);
      const done = () => {
        clearTimeout(timer);
        socket.off("drain", done).off("close", done);
        resolve();
      };
      socket.once("drain", done).once("close", done);
    });
  }

  #command(line: string): Promise<SmtpReply> {
    this.#socket.write(`${line}\r\n`);
    return this.#replies.next();
  }
}
