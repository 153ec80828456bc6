// A real SMTP server on a free port that records commands and messages, and gives scripted answers.
import type { Socket } from "bun";

export interface RecorderOptions {
  /** Keys: a command line, its first word, or the end of a message (`DATA-END`, `BDAT-END`). */
  readonly answers?: Readonly<Record<string, string | null>>;
  readonly greeting?: string | null;
  /** Closes the connection at this key of `answers`, or at the `GREETING`, without an answer. */
  readonly hangUpAt?: string;
  readonly extensions?: readonly string[];
}

export function startSmtpRecorder({
  answers = {},
  greeting = "220 recorder",
  hangUpAt,
  extensions = [],
}: RecorderOptions = {}) {
  const commands: string[] = [];
  const messages: Buffer[] = [];

  class Dialogue {
    #pending = Buffer.alloc(0);
    #inData = false;
    #chunkBytes: number | null = null;

    constructor(readonly socket: Socket<{ dialogue?: Dialogue }>) {}

    push(chunk: Buffer): void {
      this.#pending = Buffer.concat([this.#pending, chunk]);
      while (this.#takeNext());
    }

    #takeNext(): boolean {
      if (this.#chunkBytes !== null) return this.#takeChunk(this.#chunkBytes);
      return this.#inData ? this.#takeMessage() : this.#takeLine();
    }

    #takeChunk(bytes: number): boolean {
      if (this.#pending.length < bytes) return false;
      messages.push(Buffer.from(this.#pending.subarray(0, bytes)));
      this.#pending = Buffer.from(this.#pending.subarray(bytes));
      this.#chunkBytes = null;
      this.#answer("BDAT-END", "250 2.0.0 kept");
      return true;
    }

    #takeMessage(): boolean {
      const framed = Buffer.concat([Buffer.from("\r\n"), this.#pending]);
      const end = framed.indexOf("\r\n.\r\n");
      if (end === -1) return false;
      messages.push(Buffer.from(framed.subarray(2, end + 2)));
      this.#pending = Buffer.from(this.#pending.subarray(end + 3));
      this.#inData = false;
      this.#answer("DATA-END", "250 2.0.0 kept");
      return true;
    }

    #takeLine(): boolean {
      const end = this.#pending.indexOf("\r\n");
      if (end === -1) return false;
      const line = this.#pending.subarray(0, end).toString();
      this.#pending = Buffer.from(this.#pending.subarray(end + 2));
      commands.push(line);
      const word = (line.split(/[ :]/)[0] ?? "").toUpperCase();
      if (word === "EHLO")
        this.#answer(
          "EHLO",
          ["250-recorder", ...extensions.map((one) => `250-${one}`), "250 HELP"].join("\r\n"),
        );
      else if (word === "BDAT") this.#chunkBytes = Number(line.split(" ")[1]);
      else if (word === "DATA") {
        this.#answer("DATA", "354 go on");
        this.#inData = (answers.DATA ?? "354").startsWith("354");
      } else if (word === "QUIT") {
        this.#answer("QUIT", "221 bye");
        this.socket.end();
      } else this.#answer(answers[line] === undefined ? word : line, "250 OK");
      return true;
    }

    #answer(key: string, usual: string): void {
      if (key === hangUpAt) {
        this.socket.end();
        return;
      }
      const answer = answers[key] === undefined ? usual : answers[key];
      if (answer !== null) this.socket.write(`${answer}\r\n`);
    }
  }

  const server = Bun.listen<{ dialogue?: Dialogue }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { dialogue: new Dialogue(socket) };
        if (hangUpAt === "GREETING") socket.end();
        else if (greeting !== null) socket.write(`${greeting}\r\n`);
      },
      data: (socket, chunk) => socket.data.dialogue?.push(chunk),
    },
  });
  return {
    port: server.port,
    commands,
    messages,
    /** The messages as a server reads them, with dots unstuffed. */
    received: () =>
      messages.map((message) =>
        Buffer.from(message.toString("latin1").replace(/(^|\r\n)\./g, "$1"), "latin1"),
      ),
    stop: () => server.stop(true),
  };
}
