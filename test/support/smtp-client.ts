// A bare SMTP client: writes exactly the given bytes and returns replies one by one.
import { connect } from "node:net";

export interface SmtpClient {
  write(bytes: string | Uint8Array): void;
  /** The next complete reply, continuation lines included, without the last CRLF. */
  reply(): Promise<string>;
  command(line: string): Promise<string>;
  readonly closed: Promise<void>;
  end(): void;
  destroy(): void;
}

const COMPLETE_REPLY = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/;

export async function openSmtp(port: number, host = "127.0.0.1"): Promise<SmtpClient> {
  const socket = connect({ port, host });
  let received = "";
  let isClosed = false;
  let wake = () => {};
  socket.setEncoding("latin1");
  socket.on("data", (text) => {
    received += text;
    wake();
  });
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    wake();
    onClosed();
  });

  const reply = async (): Promise<string> => {
    for (;;) {
      const [complete] = COMPLETE_REPLY.exec(received) ?? [];
      if (complete) {
        received = received.slice(complete.length);
        return complete.trimEnd();
      }
      if (isClosed) throw new Error(`the connection was closed; unread: ${JSON.stringify(received)}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  };
  return {
    write: (bytes) => void socket.write(bytes),
    reply,
    command: (line) => {
      socket.write(`${line}\r\n`);
      return reply();
    },
    closed,
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}

export interface Mail {
  readonly from?: string;
  readonly to?: readonly string[];
  /** Exactly the bytes to be stored: a missing last CRLF is not added. */
  readonly raw: string | Uint8Array;
}

/** A client that was greeted and has said EHLO. */
export async function openSession(port: number): Promise<SmtpClient> {
  const client = await openSmtp(port);
  await client.reply();
  await client.command("EHLO test");
  return client;
}

/** Sends one mail with BDAT, so that any bytes arrive as they are. Returns the last reply. */
export async function sendMail(client: SmtpClient, { from, to, raw }: Mail): Promise<string> {
  await client.command(`MAIL FROM:<${from ?? "sender@example.com"}>`);
  for (const recipient of to ?? ["recipient@example.com"]) await client.command(`RCPT TO:<${recipient}>`);
  const bytes = Buffer.from(raw as string);
  client.write(`BDAT ${bytes.length} LAST\r\n`);
  client.write(bytes);
  return client.reply();
}

/** Sends one mail in a session of its own. Returns its id. */
export async function deliver(port: number, mail: Mail): Promise<string> {
  const client = await openSession(port);
  const stored = await sendMail(client, mail);
  client.end();
  const id = /Stored as (\S+)/.exec(stored)?.[1];
  if (!stored.startsWith("250") || !id) throw new Error(`the mail was not stored: ${stored}`);
  return id;
}
