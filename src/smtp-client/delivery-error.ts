// Why a mail was not delivered.

export type DeliveryFailure =
  | "unknown-host"
  | "unreachable"
  /** Connected without TLS, and the server hung up without a word. */
  | "no-greeting"
  | "not-tls"
  /** The password would go over the line as it is. */
  | "clear-password"
  | "broken-off"
  | "timeout"
  /** The server said no. */
  | "refused"
  /** This mail cannot go out unchanged. */
  | "unsendable";

export class DeliveryError extends Error {
  /** The server's words where it refused: `550 5.1.1 nobody here`. */
  readonly reply: string | null;
  /** Where every recipient was refused: those that were refused with 4xx. */
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
