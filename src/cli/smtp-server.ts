// The SMTP server that mail goes to when none is named.
import { SERVE_SETTINGS, type ServeSettings } from "../config/index.ts";
import type { CommandContext } from "./command.ts";
import type { SmtpTarget } from "./mail/smtp-target.ts";
import { reachable } from "./reachable.ts";
import { readInput } from "./read-input.ts";

/** For a server that takes any. */
const SOME_LOGIN = { user: "mailkeep", password: "mailkeep" };

/** What a server with these settings takes; null where it asks for nothing, or for what only its file says. */
export function loginFor(settings: ServeSettings): SmtpTarget["credentials"] {
  const { smtpAuth, smtpAuthFile, smtpAuthRequired } = settings;
  const [, user, password = ""] = /^(.*?):(.*)$/s.exec(smtpAuth[0] ?? "") ?? [];
  if (user !== undefined) return { user, password };
  return smtpAuthRequired && smtpAuthFile === undefined ? SOME_LOGIN : null;
}

/** That of a server with the same variables and file, as in one container. */
export function smtpServer(given: SmtpTarget | undefined, context: CommandContext): SmtpTarget {
  if (given !== undefined) return given;
  const { settings } = readInput(SERVE_SETTINGS, { ...context, args: [] });
  const { bind, smtpPort } = settings;
  return { host: reachable(bind), port: smtpPort, isTls: false, credentials: loginFor(settings) };
}
