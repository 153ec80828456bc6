// Opens a connection to an SMTP server, and explains failures.
import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { DeliveryError } from "./delivery-error.ts";

export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
}

export const tlsOptions = (host: string, isVerified = false): ConnectionOptions => ({
  rejectUnauthorized: isVerified,
  ...(isIP(host) === 0 && { servername: host }),
});

/** With TLS options it speaks TLS from the first byte. */
export const openSocket = ({ host, port }: SmtpAddress, tls: ConnectionOptions | null): Socket =>
  tls ? connectTls({ host, port, ...tls }) : connect({ host, port });

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
  return new DeliveryError(syscall === "connect" ? "unreachable" : lost, message, because);
}
