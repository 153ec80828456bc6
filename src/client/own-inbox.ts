// An inbox of one's own on a shared server: for a test, a test run, a job.
/// <reference lib="esnext.disposable" preserve="true" />
import { MailkeepError } from "./errors.ts";
import { optionsOf, refuseBlank } from "./options.ts";
import type { Transport } from "./transport.ts";
import type { InboxRequest, OpenedInbox } from "./types.ts";

export interface CreateInboxOptions extends Omit<InboxRequest, "expires"> {
  /** By default a random one. */
  readonly name?: string;
  /** A span of time, or a time; by default one hour, never when null. */
  readonly expires?: string | null;
}

/** What an inbox of `createInbox` has in addition. */
export interface Ownership {
  readonly name: string;
  /** Mail to this address comes here, also without a login. */
  readonly address: string;
  /** Sees only the mail of this inbox. */
  readonly token: string;
  /** How to send to it; `url` has all of it in one. */
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
    readonly url: string;
  };
  /** Removes the inbox with its mail. `await using` does it at the end of a block. */
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const OPTIONS = ["name", "expires", "max_messages", "max_age", "max_size", "match"] as const;
/** The inbox of a killed test is removed after this time. */
const DEFAULT_EXPIRES = "1h";

export const inboxPath = (name: string) => `/api/v1/inboxes/${encodeURIComponent(name)}`;

/** `open` connects with the token of the new inbox. */
export async function createInbox<Inbox extends object>(
  transport: Transport,
  options: CreateInboxOptions,
  open: (token: string) => Inbox,
): Promise<Inbox & Ownership> {
  optionsOf(options, OPTIONS);
  refuseBlank(options, ["name"]);
  const { name = `test-${crypto.randomUUID()}`, expires = DEFAULT_EXPIRES, ...request } = options;
  const json = { ...request, ...(expires !== null && { expires }) };
  const { token, smtp, address } = await transport.json<OpenedInbox>(inboxPath(name), "smtp", {
    method: "PUT",
    headers: { "if-none-match": "*" },
    json,
  });
  if (token === undefined)
    throw new MailkeepError(`The server gave no token for the inbox ${name}.`, "unexpected_answer");
  const { host, port, username } = smtp;
  const hostInUrl = host.includes(":") ? `[${host}]` : host;
  const url = `smtp://${encodeURIComponent(username)}:${token}@${hostInUrl}:${port}`;
  const remove = async () => {
    await transport.send(inboxPath(name), { method: "DELETE", accept: [404] });
  };
  return Object.assign(open(token), {
    name,
    address,
    token,
    smtp: { host, port, username, password: token, url },
    remove,
    [Symbol.asyncDispose]: remove,
  });
}
