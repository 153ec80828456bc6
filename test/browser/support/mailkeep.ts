// A real Mailkeep in a process of its own, in memory, on ports of the system's choice.
// MAILKEEP_BINARY names a compiled one to test instead of the source.
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { MessageList } from "../../../src/model/index.ts";

export interface Mailkeep {
  readonly smtp: { readonly host: string; readonly port: number };
  readonly http: string;
  send(mail: SendMailOptions): Promise<void>;
  /** Newest first. */
  ids(): Promise<string[]>;
  /** The id of the newest mail whose subject begins like this. */
  idOf(subject: string): Promise<string>;
  stop(): Promise<void>;
}

interface Ready {
  readonly event: string;
  readonly smtp: string;
  readonly http: string;
}

const root = join(import.meta.dir, "../../..");

export async function startMailkeep(
  ports = { smtp: 0, http: 0 },
  flags: readonly string[] = [],
): Promise<Mailkeep> {
  const binary = process.env.MAILKEEP_BINARY;
  const program = binary ? [binary] : [process.execPath, join(root, "src/main.ts")];
  const child = Bun.spawn(
    [
      ...program,
      "serve",
      "--ephemeral",
      "--smtp-port",
      `${ports.smtp}`,
      "--http-port",
      `${ports.http}`,
      "--log-format",
      "json",
      ...flags,
    ],
    { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
  );
  const ready = await readyLine(child.stdout);
  const [host = "", port = ""] = ready.smtp.split(/:(?=\d+$)/);
  const smtp = { host, port: Number(port) };
  const transport = createTransport({ ...smtp, ignoreTLS: true });
  const list = async () => {
    const response = await fetch(`${ready.http}/api/v1/messages?limit=200`);
    return ((await response.json()) as MessageList).messages;
  };
  return {
    smtp,
    http: ready.http,
    send: async (mail) => {
      await transport.sendMail({ from: "app@example.com", to: "user@example.com", text: "Hello.", ...mail });
    },
    ids: async () => (await list()).map(({ id }) => id),
    idOf: async (subject) => {
      const found = (await list()).find((message) => message.subject.startsWith(subject));
      if (!found) throw new Error(`No mail with the subject ${subject}`);
      return found.id;
    },
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}

async function readyLine(output: ReadableStream<Uint8Array>): Promise<Ready> {
  let text = "";
  const reader = output.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Mailkeep ended before it was ready: ${text}`);
    text += decoder.decode(value, { stream: true });
    for (const line of text.split("\n").slice(0, -1)) {
      const entry: Ready = JSON.parse(line);
      if (entry.event !== "ready") continue;
      void drain(reader);
      return entry;
    }
  }
}

/** An unread pipe would stop the server once it is full. */
async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
