// The SMTP server that a command sends to: the given server, or the server that `serve` would start
// with the same variables and settings file.
import { hostname } from "node:os";
import {
  type Kind,
  parseSmtpUrl,
  SERVE_SETTINGS,
  type ServeSettings,
  type Setting,
  under,
} from "../../config/index.ts";
import { hostAndPort } from "../../lib/hosts.ts";
import {
  type DeliveryError,
  type DeliveryFailure,
  SmtpClient,
  type SmtpCredentials,
} from "../../smtp-client/index.ts";
import { type CommandContext, readInput } from "../command/command.ts";
import { reachable } from "../command/hosts.ts";

export interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps). Otherwise STARTTLS is used if the server offers it. */
  readonly isTls: boolean;
  readonly credentials: SmtpCredentials | null;
}

const DEFAULT_PORT = 1025;
const DEFAULT_TLS_PORT = 465;

const smtpTarget: Kind<SmtpTarget> = {
  placeholder: "host:port",
  accepts: "host:port, smtp://user:password@host:port, or smtps:// for TLS from the start",
  parse: (text) => {
    const url = parseSmtpUrl(/^[a-z]+:\/\//i.test(text) ? text : `smtp://${text}`);
    if (url === null) return undefined;
    const { host, isTls, credentials, port = isTls ? DEFAULT_TLS_PORT : DEFAULT_PORT } = url;
    return { host, port, isTls, credentials };
  },
  secret: true,
};

export const SMTP_SETTING: Setting<SmtpTarget, undefined> = under("Server").optional(
  smtpTarget,
  "SMTP server to send to; smtp://user:password@host:port to log in, smtps:// for TLS from the start; also MAILKEEP_SMTP",
  { shownDefault: "127.0.0.1:1025, or where serve would listen with these variables" },
);

/** For a server that requires a login and accepts any. */
const SOME_LOGIN = { user: "mailkeep", password: "mailkeep" };

/** A login for a server with these settings. Null if none is needed or only a file has logins. */
export function loginFor(settings: ServeSettings): SmtpCredentials | null {
  const { smtpAuth, smtpAuthFile, smtpAuthRequired } = settings;
  const [, user, password = ""] = /^(.*?):(.*)$/s.exec(smtpAuth[0] ?? "") ?? [];
  if (user !== undefined) return { user, password };
  return smtpAuthRequired && smtpAuthFile === undefined ? SOME_LOGIN : null;
}

export function smtpTargetOf(given: SmtpTarget | undefined, context: CommandContext): SmtpTarget {
  if (given !== undefined) return given;
  const { settings } = readInput(SERVE_SETTINGS, { ...context, args: [] });
  const { bind, smtpPort } = settings;
  return { host: reachable(bind), port: smtpPort, isTls: false, credentials: loginFor(settings) };
}

const SILENCE_MS = 60_000;

/** Accepts any certificate, as sendmail does. */
export const connectTo = ({ isTls, ...target }: SmtpTarget): Promise<SmtpClient> =>
  SmtpClient.open({
    ...target,
    tls: isTls ? "implicit" : undefined,
    name: hostname().replace(/[^\w.-]/g, "-") || "localhost",
    greetingMs: SILENCE_MS,
    silenceMs: SILENCE_MS,
  });

const HINTS: Partial<Record<DeliveryFailure, string>> = {
  unreachable: ". Is Mailkeep running, and is this its address?",
  "not-tls": " (smtps:// starts with TLS, smtp:// uses STARTTLS)",
  "no-greeting": "; if the server expects TLS from the start, use smtps:// in --smtp",
};

/** Adds the server's address and any hint, unless the server refused or the mail is unsendable. */
export function explainFailure({ failure, message }: DeliveryError, target: SmtpTarget): string {
  if (failure === "refused" || failure === "unsendable") return message;
  return `${hostAndPort(target.host, target.port)}: ${message}${HINTS[failure] ?? ""}`;
}
