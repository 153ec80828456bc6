// A client that sends exactly the given bytes and reads reply by reply, over TCP or TLS.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const DEADLINE_MS = 60_000;

export class RawClient implements Disposable {
  #socket: Socket;
  #received = "";
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  static async connect(port: number, options: { tls?: boolean } = {}): Promise<RawClient> {
    const host = "127.0.0.1";
    const socket = options.tls
      ? connectTls({ port, host, rejectUnauthorized: false })
      : connect({ port, host, allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      socket.once(options.tls ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
    });
    return new RawClient(socket);
  }

  static async greeted(port: number, options: { tls?: boolean } = {}): Promise<RawClient> {
    const client = await RawClient.connect(port, options);
    await client.reply();
    return client;
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes);
  }

  /** Sends the bytes and resolves when the system has accepted all of them. */
  sendAll(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  async command(line: string): Promise<string> {
    this.send(`${line}\r\n`);
    return this.reply();
  }

  async startMail(): Promise<void> {
    await this.command("EHLO client.example");
    await this.command("MAIL FROM:<a@b.example>");
    await this.command("RCPT TO:<c@d.example>");
  }

  /** The next whole reply without its last line end; "" when the server has closed. */
  async reply(): Promise<string> {
    const whole = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/;
    await this.#until(() => whole.test(this.#received) || this.#ended);
    const text = whole.exec(this.#received)?.[0] ?? "";
    this.#received = this.#received.slice(text.length);
    return text.trimEnd();
  }

  /** Resolves with the unread bytes when the server has closed its side. */
  async closed(): Promise<string> {
    await this.#until(() => this.#ended);
    return this.#received;
  }

  /** Closes the sending side only. */
  endInput(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Does the TLS handshake after the answer to STARTTLS. */
  async startTls(): Promise<void> {
    this.#socket.removeAllListeners();
    const socket = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    this.#socket = socket;
    this.#listen(socket);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #listen(socket: Socket): void {
    const ended = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("utf8");
      this.#wake();
    });
    socket.on("end", ended);
    socket.on("close", ended);
    socket.on("error", ended);
  }

  async #until(condition: () => boolean): Promise<void> {
    const deadline = setTimeout(() => {
      this.#received += `\r\n[nothing more within ${DEADLINE_MS} ms]`;
      this.#ended = true;
      this.#wake();
    }, DEADLINE_MS);
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(deadline);
  }
}
