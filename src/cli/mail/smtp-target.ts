// The SMTP server that a command sends to: `host:port`, `smtp://user:password@host:port`, or the same with smtps.
import { type Kind, type Setting, under } from "../../config/index.ts";
import { hostAndPort, unbracketed } from "../../lib/host-and-port.ts";
import { percentDecoded } from "../../lib/percent-decoding.ts";

export interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  /** From the first byte (smtps); otherwise STARTTLS where the server offers it. */
  readonly isTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const DEFAULT_PORT = 1025;
const DEFAULT_TLS_PORT = 465;

function parseTarget(text: string): SmtpTarget | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `smtp://${text}`);
  if (!url || !["smtp:", "smtps:"].includes(url.protocol)) return undefined;
  if (url.hostname === "" || !["", "/"].includes(url.pathname)) return undefined;
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  if (user === null || password === null) return undefined;
  const isTls = url.protocol === "smtps:";
  const defaultPort = isTls ? DEFAULT_TLS_PORT : DEFAULT_PORT;
  return {
    host: unbracketed(url.hostname),
    port: url.port === "" ? defaultPort : Number(url.port),
    isTls,
    credentials: user ? { user, password } : null,
  };
}

export const showTarget = ({ host, port }: SmtpTarget): string => hostAndPort(host, port);

const smtpTarget: Kind<SmtpTarget> = {
  placeholder: "host:port",
  accepts: "host:port, smtp://user:password@host:port, or smtps:// for TLS from the start",
  parse: parseTarget,
  show: showTarget,
  secret: true,
};

export const SMTP_SETTING: Setting<SmtpTarget, undefined> = under("Server").optional(
  smtpTarget,
  "SMTP server that takes the mail; smtp://user:password@host:port where it asks for them, smtps:// where it speaks TLS from the start; also MAILKEEP_SMTP",
  { shownDefault: "127.0.0.1:1025, or where serve would listen with these variables" },
);
