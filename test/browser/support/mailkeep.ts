// A Mailkeep in a process of its own, in memory, with helpers for browser tests.
import { createTransport, type SendMailOptions } from "nodemailer";
import type { MessageList } from "../../../src/model/index.ts";
import { startMailkeep as startProcess } from "../../support/mailkeep.ts";

export interface Mailkeep {
  readonly smtp: { readonly host: string; readonly port: number };
  readonly http: string;
  send(mail: SendMailOptions): Promise<void>;
  /** Sends a request to the API, as another client would. */
  ask(method: string, path: string, body?: object): Promise<Response>;
  /** Newest first. */
  ids(): Promise<string[]>;
  /** The id of the newest mail whose subject begins like this. */
  idOf(subject: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startMailkeep(
  ports = { smtp: 0, http: 0 },
  flags: readonly string[] = [],
): Promise<Mailkeep> {
  const server = await startProcess({
    args: [`--smtp-port=${ports.smtp}`, `--http-port=${ports.http}`, ...flags],
  });
  const smtp = { host: "127.0.0.1", port: server.smtpPort };
  const transport = createTransport({ ...smtp, ignoreTLS: true });
  const list = async () => {
    const response = await fetch(`${server.http}/api/v1/messages?limit=200`);
    return ((await response.json()) as MessageList).messages;
  };
  return {
    smtp,
    http: server.http,
    send: async (mail) => {
      await transport.sendMail({ from: "app@example.com", to: "user@example.com", text: "Hello.", ...mail });
    },
    ask: (method, path, body) =>
      fetch(`${server.http}/api/v1${path}`, { method, ...(body && { body: JSON.stringify(body) }) }),
    ids: async () => (await list()).map(({ id }) => id),
    idOf: async (subject) => {
      const found = (await list()).find((message) => message.subject.startsWith(subject));
      if (!found) throw new Error(`No mail with the subject ${subject}`);
      return found.id;
    },
    stop: async () => {
      await server.stop();
    },
  };
}
