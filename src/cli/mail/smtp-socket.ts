// A connection to an SMTP server, and why there is none. TLS keeps others from reading along; whose certificate it is
// does not matter, as with sendmail.
import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { SmtpTarget } from "./smtp-target.ts";

/** OpenSSL's word for bytes that are no TLS. */
const NO_TLS = /WRONG_VERSION_NUMBER/i;
const UNENCRYPTED = "the server answers without TLS (smtps:// begins with it, smtp:// after STARTTLS)";
const NOBODY_THERE = "connection refused. Is Mailkeep running, and is this its address?";
const UNKNOWN_HOST = "the host name is not known";
const SILENT = "the server is silent";
export const CLOSED = "the server closed the connection";
/** Where it did not even greet. */
export const PERHAPS_TLS = "; one that speaks TLS from the start needs smtps:// in --smtp";

const SILENCE_TIMEOUT_MS = 60_000;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: NOBODY_THERE,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
};

export function reasonOf(error: Error): string {
  if (NO_TLS.test(error.message)) return UNENCRYPTED;
  return REASONS[Object(error).code] ?? error.message;
}

export const tlsOptions = (host: string): ConnectionOptions => ({
  rejectUnauthorized: false,
  ...(isIP(host) === 0 && { servername: host }),
});

export function openSocket({ host, port, isTls }: SmtpTarget): Socket {
  return isTls ? connectTls({ host, port, ...tlsOptions(host) }) : connect({ host, port });
}

export function giveUpOnSilence(socket: Socket, afterMs: number = SILENCE_TIMEOUT_MS): void {
  socket.setTimeout(afterMs, () => socket.destroy(new Error(SILENT)));
}
