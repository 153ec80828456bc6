// Forwards a stored message to a real SMTP server: its envelope and its bytes, unchanged.
// The message stays stored.
import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { hostAndPort, unbracketed } from "../../lib/host-and-port.ts";
import type { ReleaseReceipt, ReleaseRequest, TlsMode } from "../../model/index.ts";
import { type Store, StoreError } from "../../store/index.ts";
import { isAllowedTarget } from "./allowed-target.ts";
import { UnsafeDotError } from "./dot-stuffer.ts";
import { ReleaseError } from "./release-error.ts";
import { type Scrub, scrubFor } from "./scrub.ts";
import { VerbatimConnection } from "./verbatim-connection.ts";

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
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly silenceMs: number;
  /** For the dialogue; the message's bytes get theirs beside it. */
  readonly wholeMs: number;
}

const DEFAULT_PORT = 25;
const IMPLICIT_TLS_PORT = 465;
const DEFAULT_TIMEOUTS: ReleaseTimeouts = {
  connectMs: 10_000,
  greetingMs: 10_000,
  silenceMs: 30_000,
  wholeMs: 60_000,
};
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
    this.#permit(host, port);
    const [summary, raw] = await Promise.all([this.#options.store.get(id), this.#options.store.raw(id)]);
    if (!summary || !raw) throw new StoreError("unknown_message", "No message has this id.");
    const envelope = {
      from: request.from ?? summary.sender,
      to: [...(request.to ?? summary.recipients)],
      size: raw.size,
      use8BitMime: true,
    };
    const message = Readable.fromWeb(raw.stream() as Parameters<typeof Readable.fromWeb>[0]);
    const { accepted, rejected, response } = await this.#deliver(request, port, envelope, message);
    return { released: true, host, port, accepted, rejected, response: scrubFor(request)(response) };
  }

  #permit(host: string, port: number): void {
    if (!this.#options.enabled) throw new ReleaseError("release_disabled", "Forwarding is turned off here.");
    if (isAllowedTarget(this.#options.allow, host, port)) return;
    throw new ReleaseError(
      "release_forbidden",
      `Forwarding to ${hostAndPort(unbracketed(host), port)} is not allowed here.`,
    );
  }

  async #deliver(
    request: ReleaseRequest,
    port: number,
    envelope: SMTPConnection.Envelope & { readonly size: number },
    message: Readable,
  ): Promise<SMTPConnection.SentMessageInfo> {
    const connection = new VerbatimConnection(this.#connectionOptions(request, port));
    const target = hostAndPort(unbracketed(request.host), port);
    // Errors after the answer have nobody to go to, and must not end the process.
    message.on("error", () => {});
    const failed = new Promise<never>((_, reject) => {
      connection.on("error", reject);
      // A 421 closes the connection before it is handed on: who waits for a reply hears of it first.
      connection.once("end", () => setImmediate(reject, new Error("the server closed the connection")));
    });
    failed.catch(() => {});
    const late = deadline(this.#timeouts.wholeMs + envelope.size / SLOWEST_BYTES_PER_MS);
    try {
      return await Promise.race([failed, late.expired, dialogue(connection, request, envelope, message)]);
    } catch (error) {
      throw asReleaseError(error, target, scrubFor(request));
    } finally {
      late.cancel();
      message.destroy();
      connection.close();
    }
  }

  #connectionOptions(request: ReleaseRequest, port: number): SMTPConnection.Options {
    const tls: TlsMode | undefined = request.tls ?? (port === IMPLICIT_TLS_PORT ? "implicit" : undefined);
    return {
      host: unbracketed(request.host),
      port,
      name: this.#options.name,
      secure: tls === "implicit",
      ignoreTLS: tls === "none",
      requireTLS: tls === "starttls",
      tls: { rejectUnauthorized: request.tls_verify ?? false },
      connectionTimeout: this.#timeouts.connectMs,
      dnsTimeout: this.#timeouts.connectMs,
      greetingTimeout: this.#timeouts.greetingMs,
      socketTimeout: this.#timeouts.silenceMs,
    };
  }
}

async function dialogue(
  connection: VerbatimConnection,
  { username, password = "" }: ReleaseRequest,
  envelope: SMTPConnection.Envelope,
  message: Readable,
): Promise<SMTPConnection.SentMessageInfo> {
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  if (username !== undefined) {
    await new Promise<void>((resolve, reject) => {
      connection.login({ user: username, pass: password }, (error) => (error ? reject(error) : resolve()));
    });
  }
  const info = await new Promise<SMTPConnection.SentMessageInfo>((resolve, reject) => {
    connection.send(envelope, message, (error, sent) => (error ? reject(error) : resolve(sent)));
  });
  connection.quit();
  return info;
}

class DeadlineError extends Error {}

function deadline(ms: number) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const timer = setTimeout(() => reject(new DeadlineError("the dialogue took too long")), ms);
  return { expired: promise, cancel: () => clearTimeout(timer) };
}

/** There was nobody to connect to, or no such name; whatever else fails has begun. */
const isUnreachable = (error: unknown): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === "EDNS" || syscall === "connect";
};

/** nodemailer hands on what the system calls it. */
function plainReason(message: string): string {
  if (/^(?:getaddrinfo|query\w+) /.test(message)) return "the host name is not known";
  return message.startsWith("connect ECONNREFUSED ") ? "connection refused" : message;
}

/** What the server said goes on without the password, and so does not go on as the cause. */
function asReleaseError(error: unknown, target: string, scrub: Scrub): ReleaseError {
  const { code, response, message } = error as SMTPConnection.SMTPError;
  if (error instanceof DeadlineError || code === "ETIMEDOUT") {
    return new ReleaseError("release_timeout", `${target} did not answer in time.`, { cause: error });
  }
  if (error instanceof UnsafeDotError) {
    return new ReleaseError("release_refused", `The message cannot be sent unchanged: ${message}.`, {
      cause: error,
    });
  }
  // Without a response it is the size that the server has announced as its limit.
  const isRefused = response || code === "EMESSAGE";
  if (isRefused)
    return new ReleaseError("release_refused", `${target} refused: ${scrub(response || message)}`);
  // Without one, an address that nodemailer does not write into a command.
  if (code === "EENVELOPE")
    return new ReleaseError("release_refused", `The message cannot be sent unchanged: ${message}.`);
  // What BoringSSL calls an answer that is no TLS.
  if (message.includes("WRONG_VERSION_NUMBER")) {
    const advice = 'the field tls may have to be "starttls" or "none"';
    return new ReleaseError("release_unreachable", `${target} does not answer in TLS: ${advice}.`);
  }
  const failure = isUnreachable(error)
    ? `${target} could not be reached: ${scrub(plainReason(message))}`
    : `The connection to ${target} broke off: ${scrub(message)}`;
  return new ReleaseError("release_unreachable", `${failure}.`);
}
