// Splits the output of an SMTP server into complete replies (RFC 5321 section 4.2) and returns them one by one.
import { DeliveryError } from "./delivery-error.ts";

export interface SmtpReply {
  readonly code: number;
  /** One entry for each line, without the code. */
  readonly lines: readonly string[];
}

export const wordsOf = ({ code, lines }: SmtpReply): string => `${code} ${lines.join(" ")}`.trimEnd();

/** The code with which a server announces that it closes the connection. */
export const CLOSING = 421;

const LINE = /^(\d{3})(?:([ -])(.*))?$/;

export class SmtpReplies {
  readonly #ready: SmtpReply[] = [];
  readonly #waiting: PromiseWithResolvers<SmtpReply>[] = [];
  /** The bytes of an unfinished line, as Latin-1: only a whole line can be decoded as UTF-8. */
  #text = "";
  #lines: string[] = [];
  #failure: Error | null = null;
  #isClosing = false;

  /** No more commands can be sent. */
  get isOver(): boolean {
    return this.#isClosing || this.#failure !== null;
  }

  push(bytes: Buffer): void {
    this.#text += bytes.toString("latin1");
    for (let end = this.#text.indexOf("\n"); end !== -1; end = this.#text.indexOf("\n")) {
      this.#line(this.#text.slice(0, end).replace(/\r$/, ""));
      this.#text = this.#text.slice(end + 1);
    }
  }

  /** No further reply will come: current and later waits reject with this error. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  next(): Promise<SmtpReply> {
    const reply = this.#ready.shift();
    if (reply) return Promise.resolve(reply);
    if (this.#failure) return Promise.reject(this.#failure);
    const waiting = Promise.withResolvers<SmtpReply>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #line(octets: string): void {
    const line = Buffer.from(octets, "latin1").toString();
    const [, code, mark = " ", text = ""] = LINE.exec(line) ?? [];
    if (code === undefined) {
      const said = JSON.stringify(line);
      this.fail(new DeliveryError("broken-off", `this is no SMTP server; it said ${said}`));
      return;
    }
    this.#lines.push(text);
    if (mark === "-") return;
    const reply = { code: Number(code), lines: this.#lines };
    this.#lines = [];
    this.#isClosing ||= reply.code === CLOSING;
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(reply);
    else this.#ready.push(reply);
  }
}
