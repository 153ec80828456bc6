// Why a mail was not delivered.

export type DeliveryFailure =
  | "unknown-host"
  | "unreachable"
  /** The server closed a connection without TLS before its greeting. */
  | "no-greeting"
  | "not-tls"
  /** The password would be sent unencrypted. */
  | "clear-password"
  | "broken-off"
  | "timeout"
  /** The server said no. */
  | "refused"
  /** This mail cannot be sent unchanged. */
  | "unsendable";

export class DeliveryError extends Error {
  /** The server's words where it refused: `550 5.1.1 nobody here`. */
  readonly reply: string | null;
  /** If all recipients were refused: those refused with 4xx. */
  readonly deferred: readonly string[] | null;

  constructor(
    readonly failure: DeliveryFailure,
    message: string,
    {
      reply = null,
      deferred = null,
      cause,
    }: Partial<Pick<DeliveryError, "reply" | "deferred" | "cause">> = {},
  ) {
    super(message, { cause });
    this.name = "DeliveryError";
    this.reply = reply;
    this.deferred = deferred;
  }
}
