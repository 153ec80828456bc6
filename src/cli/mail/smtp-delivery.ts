// A small SMTP client that keeps every byte: BDAT where the server offers it (RFC 3030), otherwise DATA.
// One connection takes any number of mails, one after the other. TLS keeps others from reading along; whose
// certificate it is does not matter, as with sendmail.
import { isAscii } from "node:buffer";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { connect as connectTls } from "node:tls";
import { DeliveryError } from "./delivery-error.ts";
import { CLOSING, SmtpReplies, type SmtpReply } from "./smtp-replies.ts";
import { CLOSED, giveUpOnSilence, openSocket, PERHAPS_TLS, reasonOf, tlsOptions } from "./smtp-socket.ts";
import { type SmtpTarget, showTarget } from "./smtp-target.ts";

export interface Envelope {
  readonly sender: string;
  readonly recipients: readonly string[];
}

/** What a server would answer to an address that is none. */
const BAD_ADDRESS = 501;
const CAN_CONTINUE = 354;

const isPositive = ({ code }: SmtpReply) => code >= 200 && code < 400;
const refused = (what: string, { code, lines }: SmtpReply) =>
  new DeliveryError(`${what} was refused: ${code} ${lines.join(" ")}`, code);

/** Dot-stuffing (RFC 5321 section 4.5.2) and the line end that DATA cannot do without. */
export function encodeData(mail: Uint8Array): Buffer {
  const text = Buffer.from(mail).toString("latin1");
  const stuffed = text.replace(/^\.|(?<=\n)\./g, "..");
  return Buffer.from(`${stuffed}${stuffed.endsWith("\r\n") ? "" : "\r\n"}.\r\n`, "latin1");
}

/** Such an address would be more than one command. */
function refuseLineBreaks(addresses: readonly string[]): void {
  const bad = addresses.find((address) => /\p{Cc}/u.test(address));
  if (bad === undefined) return;
  throw new DeliveryError(`the address ${JSON.stringify(bad)} has a control character in it`, BAD_ADDRESS);
}

export class SmtpDelivery {
  readonly #target: SmtpTarget;
  #socket: Socket;
  #replies: SmtpReplies;
  #extensions: ReadonlySet<string> = new Set();
  /** Connected without TLS, and nothing was said yet. */
  #awaitsGreeting = false;

  private constructor(target: SmtpTarget) {
    this.#target = target;
    this.#socket = openSocket(target);
    this.#replies = this.#listen();
    this.#socket.once("connect", () => {
      this.#awaitsGreeting = !target.isTls;
    });
  }

  static async open(target: SmtpTarget): Promise<SmtpDelivery> {
    const delivery = new SmtpDelivery(target);
    try {
      await delivery.#greet();
    } catch (error) {
      delivery.#socket.destroy();
      throw error;
    }
    return delivery;
  }

  /** The server has closed the connection, or is about to. */
  get isOver(): boolean {
    return this.#replies.isOver;
  }

  /** Answers with the server's last words, such as `2.0.0 Stored as …`. */
  async send({ sender, recipients }: Envelope, mail: Uint8Array): Promise<string> {
    refuseLineBreaks([sender, ...recipients]);
    const parameters = this.#mailParameters([sender, ...recipients], mail);
    const steps = [
      { what: `the sender <${sender}>`, command: `MAIL FROM:<${sender}>${parameters}` },
      ...recipients.map((recipient) => ({
        what: `the recipient <${recipient}>`,
        command: `RCPT TO:<${recipient}>`,
      })),
    ];
    const answers = await this.#inOrder(steps);
    const bad = answers.find(({ reply }) => !isPositive(reply));
    if (bad) {
      await this.#command("RSET").catch(() => {});
      throw refused(bad.what, bad.reply);
    }
    const reply = this.#extensions.has("CHUNKING") ? await this.#chunk(mail) : await this.#data(mail);
    if (!isPositive(reply)) throw refused("the mail", reply);
    return reply.lines.join(" ");
  }

  async close(): Promise<void> {
    await this.#command("QUIT").catch(() => {});
    this.#socket.destroy();
  }

  #listen(): SmtpReplies {
    const socket = this.#socket;
    const replies = new SmtpReplies();
    const lost = (reason: string, cause?: unknown) => {
      const hint = this.#awaitsGreeting ? PERHAPS_TLS : "";
      replies.fail(new DeliveryError(`${showTarget(this.#target)}: ${reason}${hint}`, null, { cause }));
    };
    giveUpOnSilence(socket);
    socket.on("data", (bytes) => replies.push(bytes.toString("latin1")));
    socket.on("error", (error) => lost(reasonOf(error), error));
    socket.on("close", () => lost(CLOSED));
    return replies;
  }

  async #greet(): Promise<void> {
    const greeting = await this.#replies.next();
    this.#awaitsGreeting = false;
    if (!isPositive(greeting)) throw refused("the connection", greeting);
    await this.#hello();
    if (!this.#target.isTls && this.#extensions.has("STARTTLS")) await this.#startTls();
    await this.#login();
  }

  async #hello(): Promise<void> {
    const hello = await this.#command(`EHLO ${hostname().replace(/[^\w.-]/g, "-") || "localhost"}`);
    if (isPositive(hello)) {
      const words = hello.lines.slice(1).map((line) => line.split(" ")[0]?.toUpperCase() ?? "");
      this.#extensions = new Set(words);
      return;
    }
    const helo = await this.#command("HELO localhost");
    if (!isPositive(helo)) throw refused("the greeting", helo);
  }

  /** What was said before is forgotten (RFC 3207 section 4.2): anybody may have said it. */
  async #startTls(): Promise<void> {
    const reply = await this.#command("STARTTLS");
    if (!isPositive(reply)) throw refused("STARTTLS", reply);
    const plain = this.#socket.removeAllListeners("data").setTimeout(0);
    this.#socket = connectTls({ socket: plain, ...tlsOptions(this.#target.host) });
    this.#replies = this.#listen();
    this.#extensions = new Set();
    await this.#hello();
  }

  async #login(): Promise<void> {
    const { credentials } = this.#target;
    if (!credentials) return;
    const response = Buffer.from(`\0${credentials.user}\0${credentials.password}`).toString("base64");
    const login = await this.#command(`AUTH PLAIN ${response}`);
    if (!isPositive(login)) throw refused(`the login as ${credentials.user}`, login);
  }

  #mailParameters(addresses: readonly string[], mail: Uint8Array): string {
    const offers = (keyword: string) => this.#extensions.has(keyword);
    return [
      offers("SIZE") ? ` SIZE=${mail.length}` : "",
      offers("8BITMIME") && !isAscii(mail) ? " BODY=8BITMIME" : "",
      offers("SMTPUTF8") && !isAscii(Buffer.from(addresses.join())) ? " SMTPUTF8" : "",
    ].join("");
  }

  /** All at once where the server can take it (RFC 2920), otherwise one after the other. */
  async #inOrder<Step extends { readonly command: string }>(
    steps: readonly Step[],
  ): Promise<(Step & { reply: SmtpReply })[]> {
    const isPipelined = this.#extensions.has("PIPELINING");
    if (isPipelined) this.#write(steps.map(({ command }) => `${command}\r\n`).join(""));
    const answers: (Step & { reply: SmtpReply })[] = [];
    for (const step of steps) {
      const reply = isPipelined ? await this.#replies.next() : await this.#command(step.command);
      answers.push({ ...step, reply });
      if (reply.code === CLOSING) break;
    }
    return answers;
  }

  #chunk(mail: Uint8Array): Promise<SmtpReply> {
    this.#socket.cork();
    this.#write(`BDAT ${mail.length} LAST\r\n`);
    this.#socket.write(mail);
    this.#socket.uncork();
    return this.#replies.next();
  }

  async #data(mail: Uint8Array): Promise<SmtpReply> {
    const invitation = await this.#command("DATA");
    if (invitation.code !== CAN_CONTINUE) return invitation;
    this.#socket.write(encodeData(mail));
    return this.#replies.next();
  }

  #command(line: string): Promise<SmtpReply> {
    this.#write(`${line}\r\n`);
    return this.#replies.next();
  }

  #write(text: string): void {
    this.#socket.write(text);
  }
}
