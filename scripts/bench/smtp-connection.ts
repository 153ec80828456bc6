// One SMTP connection of the load: writes a step, counts the replies, then writes the next step. It does nothing else,
// so that the server is measured and not the client.
import type { Socket } from "bun";

export interface Step {
  readonly bytes: string | Uint8Array;
  /** Replies that must come before the next step. */
  readonly replies: number;
}

const LF = 0x0a;
const SPACE = 0x20;
const REFUSED = 0x34;

export class SmtpConnection {
  readonly #steps: Iterator<Step>;
  readonly #onDone: (error: Error | null) => void;
  /** The number of replies that are still to come. The first reply is the greeting. */
  #owed = 1;
  #unsent: Uint8Array | null = null;
  #lineAt = 0;
  #isFinal = true;
  #isRefusal = false;
  #done = false;

  private constructor(steps: Iterator<Step>, onDone: (error: Error | null) => void) {
    this.#steps = steps;
    this.#onDone = onDone;
  }

  /** Takes all steps, then closes the connection and resolves. */
  static async talk(port: number, steps: Iterator<Step>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const connection = new SmtpConnection(steps, (error) => (error === null ? resolve() : reject(error)));
    await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (socket, bytes) => connection.#received(socket, bytes),
        drain: (socket) => connection.#send(socket),
        close: () => connection.#end(new Error("the server closed the connection")),
        error: (_, error) => connection.#end(error),
      },
    });
    return promise;
  }

  #received(socket: Socket, bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#lineAt === 0) this.#isRefusal = byte >= REFUSED;
      if (this.#lineAt === 3) this.#isFinal = byte <= SPACE;
      this.#lineAt++;
      if (byte !== LF) continue;
      this.#lineAt = 0;
      if (this.#isRefusal) this.#end(new Error(`the server refused: ${bytes.toString("latin1").trim()}`));
      if (this.#isFinal) this.#owed--;
    }
    if (this.#owed === 0) this.#next(socket);
  }

  #next(socket: Socket): void {
    const { value, done } = this.#steps.next();
    if (done) {
      this.#end(null);
      socket.end();
      return;
    }
    this.#owed = value.replies;
    this.#unsent = typeof value.bytes === "string" ? Buffer.from(value.bytes) : value.bytes;
    this.#send(socket);
  }

  #send(socket: Socket): void {
    if (this.#unsent === null) return;
    const written = Math.max(0, socket.write(this.#unsent));
    this.#unsent = written < this.#unsent.length ? this.#unsent.subarray(written) : null;
  }

  #end(error: Error | null): void {
    if (this.#done) return;
    this.#done = true;
    this.#onDone(error);
  }
}
