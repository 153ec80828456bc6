// Forwards a stored message to a real SMTP server: its envelope and its bytes, unchanged.
// The message stays stored.
import { hostAndPort, unbracketed } from "../lib/host-and-port.ts";
import { matchesTarget } from "../lib/host-pattern.ts";
import type { ReleaseReceipt, ReleaseRequest } from "../model/index.ts";
import { DeliveryError, type DeliveryReceipt, SmtpClient } from "../smtp-client/index.ts";
import { type RawMessage, type Store, StoreError } from "../store/index.ts";

export interface ReleaseOptions {
  readonly store: Store;
  /** `--no-release` makes it false. */
  readonly enabled: boolean;
  /** `--release-allow`; an empty list allows every target. */
  readonly allow: readonly string[];
  /** Our name in EHLO. */
  readonly name: string;
  readonly timeouts?: Partial<ReleaseTimeouts>;
}

export interface ReleaseTimeouts {
  readonly greetingMs: number;
  readonly silenceMs: number;
  /** For the dialogue; the message's bytes get theirs beside it. */
  readonly wholeMs: number;
}

export type ReleaseErrorCode =
  | "release_disabled"
  | "release_forbidden"
  | "release_refused"
  | "release_unreachable"
  | "release_timeout";

export class ReleaseError extends Error {
  constructor(
    readonly code: ReleaseErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ReleaseError";
  }
}

const DEFAULT_PORT = 25;
const IMPLICIT_TLS_PORT = 465;
const DEFAULT_TIMEOUTS: ReleaseTimeouts = { greetingMs: 10_000, silenceMs: 30_000, wholeMs: 60_000 };
/** Half a megabit a second: a large mail over a slow line that goes on is not late. */
const SLOWEST_BYTES_PER_MS = 64;

export class Release {
  readonly #options: ReleaseOptions;
  readonly #timeouts: ReleaseTimeouts;

  constructor(options: ReleaseOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  }

  get enabled(): boolean {
    return this.#options.enabled;
  }

  async send(id: string, request: ReleaseRequest): Promise<ReleaseReceipt> {
    const { host, port = DEFAULT_PORT } = request;
    const target = hostAndPort(unbracketed(host), port);
    if (!this.#options.enabled) throw new ReleaseError("release_disabled", "Forwarding is turned off here.");
    if (!isAllowedTarget(this.#options.allow, host, port)) {
      throw new ReleaseError("release_forbidden", `Forwarding to ${target} is not allowed here.`);
    }
    const [summary, raw] = await Promise.all([this.#options.store.get(id), this.#options.store.raw(id)]);
    if (!summary || !raw) throw new StoreError("unknown_message", "No message has this id.");
    const envelope = {
      sender: request.from ?? summary.sender,
      recipients: request.to ?? summary.recipients,
    };
    const scrub = scrubFor(request);
    try {
      const receipt = await this.#deliver(request, port, envelope, raw);
      return { released: true, host, port, ...receipt, response: scrub(receipt.response) };
    } catch (error) {
      throw error instanceof DeliveryError ? asReleaseError(error, target, scrub) : error;
    }
  }

  async #deliver(
    { host, username, password = "", tls, tls_verify }: ReleaseRequest,
    port: number,
    envelope: { readonly sender: string; readonly recipients: readonly string[] },
    raw: RawMessage,
  ): Promise<DeliveryReceipt> {
    const { wholeMs, ...timeouts } = this.#timeouts;
    const client = await SmtpClient.open({
      host: unbracketed(host),
      port,
      name: this.#options.name,
      tls: tls ?? (port === IMPLICIT_TLS_PORT ? "implicit" : undefined),
      verifiesCertificate: tls_verify ?? false,
      credentials: username === undefined ? null : { user: username, password },
      hidesPassword: true,
      signal: AbortSignal.timeout(wholeMs + raw.size / SLOWEST_BYTES_PER_MS),
      ...timeouts,
    });
    try {
      return await client.send(envelope, { size: raw.size, chunks: () => raw.stream() }, { toAll: false });
    } finally {
      // Nobody waits for the goodbye.
      void client.close();
    }
  }
}

/** What the server said goes on without the password, and so not as the cause. */
function asReleaseError(error: DeliveryError, target: string, scrub: Scrub): ReleaseError {
  const reason = scrub(error.reply ?? error.message);
  switch (error.failure) {
    case "timeout":
      return new ReleaseError("release_timeout", `${target} did not answer in time.`, { cause: error });
    case "unsendable":
      return new ReleaseError("release_refused", `The message cannot be sent unchanged: ${reason}.`);
    case "clear-password":
      return new ReleaseError(
        "release_refused",
        `${target} offers no TLS, and the password would go in the clear: the field tls must be "none" to allow that.`,
      );
    case "refused":
      return new ReleaseError("release_refused", `${target} refused: ${reason}`);
    case "not-tls":
      return new ReleaseError(
        "release_unreachable",
        `${target} does not answer in TLS: the field tls may have to be "starttls" or "none".`,
      );
    case "unknown-host":
    case "unreachable":
      return new ReleaseError("release_unreachable", `${target} could not be reached: ${reason}.`);
    case "no-greeting":
    case "broken-off":
      return new ReleaseError("release_unreachable", `The connection to ${target} broke off: ${reason}.`);
  }
}

// --release-allow: host, host:port, *.example.com, [::1]:25

function isAllowedTarget(allowed: readonly string[], host: string, port: number): boolean {
  return allowed.length === 0 || allowed.some((pattern) => matchesTarget(pattern, host, port));
}

// Passwords: some servers repeat the command that they refuse

type Scrub = (said: string) => string;

const MASK = "***";
/** Shorter passwords are parts of ordinary words: they are taken out as whole words only. */
const MIN_TELLING_LENGTH = 4;

function scrubFor({ username = "", password = "" }: ReleaseRequest): Scrub {
  if (password === "") return (said) => said;
  const forms = [
    // AUTH PLAIN, AUTH LOGIN, and both without the padding.
    `${RegExp.escape(unpadded(`\0${username}\0${password}`))}=*`,
    `${RegExp.escape(unpadded(password))}=*`,
    RegExp.escape(password),
  ];
  const any = `(?:${forms.join("|")})`;
  const isTelling = password.length >= MIN_TELLING_LENGTH;
  const pattern = new RegExp(isTelling ? any : `(?<![\\p{L}\\p{N}])${any}(?![\\p{L}\\p{N}])`, "gu");
  return (said) => said.replace(pattern, MASK);
}

const unpadded = (text: string): string => Buffer.from(text).toString("base64").replace(/=+$/, "");
