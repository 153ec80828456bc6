// The URL of an SMTP server: `smtp://user:password@host:port`, or smtps for TLS from the first byte.
import { unbracketed } from "../lib/host-and-port.ts";
import { percentDecoded } from "../lib/percent-decoding.ts";

export interface SmtpUrl {
  readonly host: string;
  readonly port: number | undefined;
  readonly isTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  readonly query: URLSearchParams;
}

export function parseSmtpUrl(text: string): SmtpUrl | null {
  const url = URL.parse(text);
  if (!url || !["smtp:", "smtps:"].includes(url.protocol)) return null;
  if (url.hostname === "" || !["", "/"].includes(url.pathname)) return null;
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  if (user === null || password === null) return null;
  return {
    host: unbracketed(url.hostname),
    port: url.port === "" ? undefined : Number(url.port),
    isTls: url.protocol === "smtps:",
    credentials: user ? { user, password } : null,
    query: url.searchParams,
  };
}
