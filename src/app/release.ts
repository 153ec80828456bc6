// Releases a stored message to a real SMTP server, its bytes unchanged.
import { domainToUnicode } from "node:url";
import { hostAndPort, matchesTarget, unbracketed } from "../lib/hosts.ts";
import { parsePath } from "../lib/smtp.ts";
import type { ReleaseReceipt, ReleaseRequest } from "../model/index.ts";
import {
  DeliveryError,
  type DeliveryFailure,
  type DeliveryReceipt,
  type Refusal,
  SmtpClient,
} from "../smtp-client/index.ts";
import { type RawMessage, type Store, StoreError } from "../store/index.ts";
import { wildcard } from "./arrival.ts";
import { FieldError } from "./field-error.ts";

export interface ReleaseOptions {
  readonly store: Store;
  /** `--no-release` makes it false. */
  readonly enabled: boolean;
  /** `--release-allow`, such as host, host:port or *.example.com; an empty list allows every target. */
  readonly allow: readonly string[];
  /** `--relay-deny`. It holds for every server, because a request may name the relay by another host name. */
  readonly deny: readonly string[];
  /** The server for requests that name none. */
  readonly relay?: RelayRules | null;
  /** Our name in EHLO. */
  readonly name: string;
  readonly timeouts?: Partial<ReleaseTimeouts>;
}

export type MailServer = { readonly host: string; readonly port: number } & Pick<
  ReleaseRequest,
  "username" | "password" | "tls" | "tls_verify"
>;

/** Who may get mail: `*` in a pattern is any text. */
export interface RecipientRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The server named by `--relay`, and who may get mail through it. */
export interface RelayRules extends RecipientRules {
  readonly server: MailServer;
}

export function mayReceive({ allow, deny }: RecipientRules, address: string): boolean {
  const plain = comparable(withoutQuotes(address));
  const isIn = (patterns: readonly string[]) =>
    patterns.some((pattern) => wildcard(comparable(pattern))(plain));
  return !isIn(deny) && (allow.length === 0 || isIn(allow));
}

/** `"boss"@example.com` is the mailbox boss@example.com. Quotes around an @ stay. */
function withoutQuotes(address: string): string {
  const end = address.lastIndexOf("@");
  const local = address.slice(0, end).replace(/\\(.)|"/gs, "$1");
  return end < 0 || local.includes("@") ? address : local + address.slice(end);
}

/** One form for all spellings: xn--4ca.example is ä.example, and "a" with a combining mark is "ä". */
const comparable = (address: string): string =>
  address.normalize("NFC").replace(/(?<=[@.])xn--[^@.]+/gi, (label) => domainToUnicode(label) || label);

export interface ReleaseTimeouts {
  readonly greetingMs: number;
  readonly silenceMs: number;
  /** The time for the SMTP commands. The bytes of the message get extra time. */
  readonly wholeMs: number;
}

export type ReleaseErrorCode =
  | "release_disabled"
  | "release_forbidden"
  | "release_refused"
  | "release_unreachable"
  | "release_timeout";

export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
  constructor(
    readonly code: ReleaseErrorCode,
    message: string,
  ) {
    super(message);
  }
}

const DEFAULT_PORT = 25;
const IMPLICIT_TLS_PORT = 465;
const DEFAULT_TIMEOUTS: ReleaseTimeouts = { greetingMs: 10_000, silenceMs: 30_000, wholeMs: 60_000 };
/** Half a megabit a second. A large mail over a slower line is given up. */
const SLOWEST_BYTES_PER_MS = 64;

export class Release {
  readonly #options: ReleaseOptions;
  readonly #timeouts: ReleaseTimeouts;

  constructor(options: ReleaseOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  }

  /** Whether a request may omit the server. */
  get hasRelay(): boolean {
    return Boolean(this.#options.relay);
  }

  async send(id: string, request: ReleaseRequest): Promise<ReleaseReceipt> {
    if (!this.#options.enabled)
      throw new ReleaseError("release_disabled", "Releasing mail is turned off here.");
    const server = this.#serverFor(request);
    for (const [index, address] of (request.to ?? []).entries()) requireAddress(address, `to.${index}`);
    if (request.from) requireAddress(request.from, "from");
    const [summary, raw] = await Promise.all([this.#options.store.get(id), this.#options.store.raw(id)]);
    if (!summary || !raw) throw new StoreError("unknown_message", "No message has this id.");
    const envelope = {
      sender: request.from ?? summary.sender,
      recipients: request.to ?? summary.recipients,
    };
    this.#refuseDenied(server, envelope.recipients);
    try {
      const client = await openServer(server, raw.size, this.#options.name, this.#timeouts);
      const { deferred: _, refusals, ...receipt } = await sendOver(client, envelope, raw);
      const reason = refusals.map(textOf).join("; ");
      return { released: true, host: server.host, port: server.port, ...receipt, ...(reason && { reason }) };
    } catch (error) {
      throw error instanceof DeliveryError ? asReleaseError(error, server) : error;
    }
  }

  #serverFor({ host, port = DEFAULT_PORT, ...login }: ReleaseRequest): MailServer {
    const { allow, relay } = this.#options;
    if (host === undefined && relay) return relay.server;
    if (host === undefined) throw new TypeError("the request names no server, and --relay names none");
    const isAllowed = allow.length === 0 || allow.some((pattern) => matchesTarget(pattern, host, port));
    if (isAllowed) return { host, port, ...login };
    const target = hostAndPort(unbracketed(host), port);
    throw new ReleaseError("release_forbidden", `Releasing mail to ${target} is not allowed here.`);
  }

  #refuseDenied(server: MailServer, recipients: readonly string[]): void {
    const { relay, deny } = this.#options;
    const isRelay = relay && targetName(server) === targetName(relay.server);
    const rules = isRelay ? relay : { allow: [], deny };
    const denied = recipients.find((recipient) => !mayReceive(rules, recipient));
    if (denied === undefined) return;
    throw new ReleaseError("release_forbidden", `The relay's rules do not allow mail to ${denied}.`);
  }
}

/** Other spellings of an address, such as `@relay:ann@example.com`, would get past the relay's rules. */
function requireAddress(text: string, field: string): void {
  const path = parsePath(`<${text}>`);
  if (!path.ok) throw new FieldError(field, `is not an address: ${path.reason}`);
  if (path.address !== text)
    throw new FieldError(field, `must be an address without a route: ${path.address}`);
}

const targetName = ({ host, port }: MailServer): string =>
  hostAndPort(unbracketed(host).toLowerCase().replace(/\.$/, ""), port);

/** Rejects with a DeliveryError. */
export function openServer(
  { host, port, username, password = "", tls, tls_verify }: MailServer,
  mailBytes: number,
  name: string,
  { wholeMs, ...timeouts }: ReleaseTimeouts = DEFAULT_TIMEOUTS,
): Promise<SmtpClient> {
  return SmtpClient.open({
    host: unbracketed(host),
    port,
    name,
    tls: tls ?? (port === IMPLICIT_TLS_PORT ? "implicit" : undefined),
    verifiesCertificate: tls_verify ?? false,
    credentials: username === undefined ? null : { user: username, password },
    hidesPassword: true,
    signal: AbortSignal.timeout(wholeMs + mailBytes / SLOWEST_BYTES_PER_MS),
    ...timeouts,
  });
}

export const textOf = ({ recipient, reason }: Refusal): string => `${recipient}: ${reason}`;

/** Sends one mail and closes the connection. */
export async function sendOver(
  client: SmtpClient,
  envelope: { readonly sender: string; readonly recipients: readonly string[] },
  raw: RawMessage,
): Promise<DeliveryReceipt> {
  try {
    const message = { size: raw.size, chunks: () => raw.stream() };
    return await client.send(envelope, message, { toAll: false });
  } finally {
    // Does not wait for the reply to QUIT.
    void client.close();
  }
}

export function asReleaseError(error: DeliveryError, server: MailServer): ReleaseError {
  const target = hostAndPort(unbracketed(server.host), server.port);
  const reason = error.reply ?? error.message;
  const clause = reason.replace(/\.$/, "");
  const told: Readonly<Record<DeliveryFailure, readonly [ReleaseErrorCode, string]>> = {
    timeout: ["release_timeout", `${target} did not answer in time.`],
    unsendable: ["release_refused", `The message cannot be sent unchanged: ${clause}.`],
    "clear-password": [
      "release_refused",
      `${target} offers no TLS, so the password would be sent unencrypted. Set tls to "none" (in --relay: ?tls=none) to allow that.`,
    ],
    refused: ["release_refused", `${target} refused: ${reason}`],
    "not-tls": [
      "release_unreachable",
      `${target} does not speak TLS on this port: try "starttls" or "none" for tls (in --relay: ?tls=none).`,
    ],
    "unknown-host": ["release_unreachable", `${target} could not be reached: ${clause}.`],
    unreachable: ["release_unreachable", `${target} could not be reached: ${clause}.`],
    "no-greeting": ["release_unreachable", `The connection to ${target} broke off: ${clause}.`],
    "broken-off": ["release_unreachable", `The connection to ${target} broke off: ${clause}.`],
  };
  return new ReleaseError(...told[error.failure]);
}
