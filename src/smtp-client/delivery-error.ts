// Why a mail was not delivered.
import { systemReason } from "../lib/system-error.ts";

export type DeliveryFailure =
  | "unknown-host"
  | "unreachable"
  /** An unencrypted connection ended before the server's greeting. */
  | "no-greeting"
  | "not-tls"
  /** The password would be sent unencrypted. */
  | "clear-password"
  | "broken-off"
  | "timeout"
  /** The server refused, or its EHLO reply rules this mail out. */
  | "refused"
  /** The mail or one of its addresses cannot be sent unchanged. */
  | "unsendable";

export class DeliveryError extends Error {
  /** The server's refusal, such as `550 5.1.1 nobody here`; null if the server did not reply with one. */
  readonly reply: string | null;
  /** The recipients that were refused with 4xx, if all recipients were refused. Otherwise null. */
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

/** The error code of BoringSSL when the other side does not speak TLS. */
const NO_TLS = /WRONG_VERSION_NUMBER/i;
const UNKNOWN_HOST = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_FAIL"];

/** `error` is null if the server closed the connection normally. */
export function connectionFailure(error: Error | null, isUngreeted: boolean): DeliveryError {
  const lost = isUngreeted ? "no-greeting" : "broken-off";
  if (error === null) return new DeliveryError(lost, "the server closed the connection");
  const { code = "", syscall, message } = error as NodeJS.ErrnoException;
  const because = { cause: error };
  if (NO_TLS.test(message)) return new DeliveryError("not-tls", "the server answers without TLS", because);
  if (UNKNOWN_HOST.includes(code))
    return new DeliveryError("unknown-host", "the host name is not known", because);
  if (code === "ECONNREFUSED") return new DeliveryError("unreachable", "connection refused", because);
  return new DeliveryError(syscall === "connect" ? "unreachable" : lost, systemReason(error), because);
}
