// The SMTP server that a command sends to: `host:port` or `smtp://user:password@host:port`.
import { type Kind, under } from "../../config/index.ts";
import { hostAndPort } from "../../lib/host-and-port.ts";

export interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const DEFAULT_PORT = 1025;

/** Undefined when the percent-encoding is malformed. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parseTarget(text: string): SmtpTarget | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `smtp://${text}`);
  if (url?.protocol !== "smtp:" || url.hostname === "" || !["", "/"].includes(url.pathname)) return undefined;
  const [user, password] = [url.username, url.password].map(decode);
  if (user === undefined || password === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    credentials: user ? { user, password } : null,
  };
}

export const showTarget = ({ host, port }: SmtpTarget): string => hostAndPort(host, port);

const smtpTarget: Kind<SmtpTarget> = {
  placeholder: "host:port",
  accepts: "host:port, or smtp://user:password@host:port",
  parse: parseTarget,
  show: showTarget,
  secret: true,
};

export const SMTP_SETTING = under("Server").withDefault(
  smtpTarget,
  { host: "127.0.0.1", port: DEFAULT_PORT, credentials: null },
  "SMTP server that takes the mail; smtp://user:password@host:port where it asks for them; also MAILKEEP_SMTP",
);
