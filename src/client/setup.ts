// What tests and administrators set up on a server: inboxes, tokens and faults.
/// <reference lib="esnext.disposable" preserve="true" />
import { MailkeepError } from "./errors.ts";
import { optionsOf, refuseBlank } from "./filter.ts";
import { inboxPath, type Transport } from "./transport.ts";
import type * as api from "./types.ts";

export interface CreateInboxOptions extends Omit<api.InboxRequest, "expires"> {
  /** A random name by default. */
  readonly name?: string;
  /** A span of time or a time. By default one hour; null means never. */
  readonly expires?: string | null;
}

/** The members that `createInbox` adds to an `Inbox`. */
export interface Ownership {
  readonly name: string;
  /** Mail to this address goes to this inbox, even if the sender does not log in. */
  readonly address: string;
  /** Gives access only to the mail of this inbox. */
  readonly token: string;
  /** The login with which a program sends to this inbox. `url` contains all of it. */
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
    readonly url: string;
  };
  /** Removes the inbox with its mail. `await using` does so at the end of a block. */
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const OPTIONS = ["name", "expires", "max_messages", "max_age", "max_size", "match"] as const;
/** The inbox of a killed test is removed after this time. */
const DEFAULT_EXPIRES = "1h";

export async function createInbox(transport: Transport, options: CreateInboxOptions): Promise<Ownership> {
  optionsOf(options, OPTIONS);
  refuseBlank(options, ["name"]);
  const { name = `test-${crypto.randomUUID()}`, expires = DEFAULT_EXPIRES, ...request } = options;
  const json = { ...request, ...(expires !== null && { expires }) };
  const { token, smtp, address } = await transport.json<api.OpenedInbox>(inboxPath(name), "smtp", {
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
  return {
    name,
    address,
    token,
    smtp: { host, port, username, password: token, url },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

const TOKENS = "/api/v1/tokens";

export const tokensOf = (transport: Transport) => ({
  /** Only this answer contains the token itself. */
  async create(request: api.TokenRequest): Promise<api.CreatedToken> {
    refuseBlank(request, ["inbox", "inboxes"]);
    return transport.json(TOKENS, "token", { method: "POST", json: request });
  },
  async list(): Promise<api.Token[]> {
    return (await transport.json<api.TokenList>(TOKENS, "tokens")).tokens;
  },
  async revoke(id: string): Promise<void> {
    await transport.send(`${TOKENS}/${encodeURIComponent(id)}`, { method: "DELETE" });
  },
});

export type Tokens = ReturnType<typeof tokensOf>;

type Stage = api.FaultRule["at"];

export interface FaultOptions extends Omit<api.FaultRule, "name" | "at" | "reply"> {
  /** A random name by default. */
  readonly name?: string;
  readonly at: Stage | Uppercase<Stage>;
  /** A code, or an object with a code and, if wanted, an enhanced code and a text. */
  readonly reply?: number | api.FaultRule["reply"];
}

export interface InjectedFault {
  readonly name: string;
  /** The number of hits. If the server no longer has the rule, the last count that was read. */
  hits(): Promise<number>;
  /** Removes the rule. No error if the server no longer has it. */
  remove(): Promise<void>;
}

const FAULTS = "/api/v1/faults";

export async function injectFault(transport: Transport, options: FaultOptions): Promise<InjectedFault> {
  const [missing] = Object.entries(options).find(([, value]) => value === undefined) ?? [];
  // JSON leaves an undefined condition out, and the rule would apply to everybody's mail.
  if (missing !== undefined) throw new TypeError(`fail(): '${missing}' is undefined`);
  const { name: given, at, reply, ...conditions } = options;
  const name = given ?? `fail-${crypto.randomUUID()}`;
  const rule = {
    ...conditions,
    name,
    at: String(at).toLowerCase(),
    ...(reply !== undefined && { reply: typeof reply === "number" ? { code: reply } : reply }),
  };
  await transport.json<api.Fault>(FAULTS, "hits", { method: "POST", json: rule });
  let seen = 0;
  const hits = async () => {
    const { rules } = await transport.json<api.FaultList>(FAULTS, "rules");
    seen = rules.find((one) => one.name === name)?.hits ?? seen;
    return seen;
  };
  return {
    name,
    hits,
    remove: async () => {
      await hits();
      await transport.send(`${FAULTS}/${encodeURIComponent(name)}`, { method: "DELETE", accept: [404] });
    },
  };
}
