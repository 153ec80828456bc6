// The SMTP server that mail goes to when none is named.
import { SERVE_SETTINGS } from "../config/index.ts";
import type { CommandContext } from "./command.ts";
import type { SmtpTarget } from "./mail/smtp-target.ts";
import { reachable } from "./reachable.ts";
import { readInput } from "./read-input.ts";

/** What a server with this `--smtp-auth` takes; null where it asks for nothing. */
export function loginFor([first = ""]: readonly string[]): SmtpTarget["credentials"] {
  const [, user, password = ""] = /^(.*?):(.*)$/s.exec(first) ?? [];
  return user === undefined ? null : { user, password };
}

/** That of a server with the same variables and file, as in one container. */
export function smtpServer(given: SmtpTarget | undefined, context: CommandContext): SmtpTarget {
  if (given !== undefined) return given;
  const { bind, smtpPort, smtpAuth } = readInput(SERVE_SETTINGS, { ...context, args: [] }).settings;
  return { host: reachable(bind), port: smtpPort, isTls: false, credentials: loginFor(smtpAuth) };
}
