// The flags of all commands that ask a running server about its mails: where it is, and which mails.
import { connect, type Inbox, type MailFilter } from "../../client/index.ts";
import { type Kind, kinds, SERVE_SETTINGS, UsageError, under, type Values } from "../../config/index.ts";
import { hostAndPort } from "../../lib/host-and-port.ts";
import { MAX_WAIT_MS } from "../../model/index.ts";
import { parseSince, searchHint } from "../../query/index.ts";
import type { CommandContext } from "../command/command.ts";
import { reachable } from "../command/reachable.ts";
import { readInput } from "../command/read-input.ts";
import { reportFailure } from "./verdict.ts";

const server = under("Server");

export const SERVER_SETTINGS = {
  url: server.optional(
    {
      ...kinds.text,
      placeholder: "url",
      accepts: "an address such as http://127.0.0.1:8025",
      parse: kinds.webUrl.parse,
    },
    "Address of the running server, with user:password@ if it needs them; also MAILKEEP_URL",
    { shownDefault: "http://127.0.0.1:8025, or where serve would listen with these variables" },
  ),
  token: server.optional(
    {
      ...kinds.text,
      placeholder: "mk_…",
      accepts: "a token, which begins with mk_",
      parse: readToken,
      secret: true,
    },
    "Token to use instead of a password; also MAILKEEP_TOKEN, unless the address has a password",
  ),
};

function readToken(value: string): string | undefined {
  return /^mk_[\w-]+$/.exec(value.trim())?.[0];
}

/** Without an address it is the server that has the same variables and file, as in one container. */
export function openInbox(
  {
    url,
    token,
    inbox,
    since = ALL,
  }: Values<typeof SERVER_SETTINGS> & {
    readonly inbox?: string | undefined;
    readonly since?: string | undefined;
  },
  context: CommandContext,
): Inbox {
  const chosen = inbox === undefined ? {} : { inbox };
  if (url !== undefined) {
    // The client reads the variable itself, unless the address has credentials.
    const given = token === context.environment.MAILKEEP_TOKEN ? undefined : token;
    return connect({ url, token: given, ...chosen, since });
  }
  const { bind, httpPort, basePath, httpAuth, httpTls, httpTlsCert } = readInput(SERVE_SETTINGS, {
    ...context,
    args: [],
  }).settings;
  const isTls = httpTls === "self-signed" || httpTlsCert !== undefined;
  // Our own server on this machine: its certificate may be self-signed or for another name.
  if (isTls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  const found = URL.parse(`http${isTls ? "s" : ""}://${hostAndPort(reachable(bind), httpPort)}`);
  if (!found) throw new UsageError(`${bind} cannot be part of a URL; give the server's address with --url`);
  found.pathname = basePath;
  const { pair = "" } = httpAuth.find(({ role }) => role === "admin") ?? httpAuth[0] ?? {};
  const [user = "", ...password] = pair.split(":");
  found.username = encodeURIComponent(user);
  found.password = encodeURIComponent(password.join(":"));
  return connect({ url: found.href, token, ...chosen, since });
}

/** Runs a request to the server and returns the exit code. */
export const doAtServer = (
  settings: Parameters<typeof openInbox>[0],
  context: CommandContext,
  action: (server: Inbox) => Promise<void>,
): Promise<number> =>
  reportFailure(context.err, async () => {
    await action(openInbox(settings, context));
    return 0;
  });

/** The client's `since`, which takes a span by the server's clock. */
function readSince(value: string): string | undefined {
  const isKnown = value === ALL || parseSince(value) !== null || kinds.duration.parse(value) !== undefined;
  return isKnown ? value : undefined;
}

const ALL = "all";
const since: Kind<string> = {
  ...kinds.text,
  accepts: "a message id, a time such as 2026-11-14T10:00:00Z, a span such as 5m, or all",
  parse: readSince,
};

/** As long as the server lets a client wait. */
export const waitingTime: Kind<number> = kinds.durationUpTo(MAX_WAIT_MS);

const filters = under("Which mails (all conditions must hold)", { flagOnly: true });

export const FILTER_SETTINGS = {
  inbox: filters.optional(kinds.text, "Only mail in this inbox; default: all that you may see"),
  to: filters.optional(kinds.text, "Whole address of one recipient"),
  from: filters.optional(kinds.anyText, "Whole address of the sender; empty for the null sender"),
  subject: filters.optional(kinds.text, "Part of the subject, in any case"),
  recipient: filters.optional(kinds.text, "Part of a recipient's address"),
  sender: filters.optional(kinds.text, "Part of the sender's address"),
  headerFrom: filters.optional(kinds.text, "Part of the From header: a name or an address"),
  headerTo: filters.optional(kinds.text, "Part of the To header: a name or an address"),
  q: filters.optional(kinds.text, "Search: words, phrases, operators such as subject:order -is:read"),
  tag: filters.list(kinds.text, "Carries this tag, or one of several"),
  starred: filters.toggle("Starred mails only"),
  unread: filters.toggle("Unread mails only"),
  hasAttachments: filters.toggle("Mails with attachments only"),
  since: filters.optional(
    since,
    "Newer than this message (id), this time (2026-11-14T10:00:00Z) or this long ago (5m; 0s is now); default: all",
  ),
};

/** All but the inbox. Warns on standard error of an unknown search operator, which is searched for as text. */
export function filterOf(
  settings: Values<typeof FILTER_SETTINGS>,
  { err }: Pick<CommandContext, "err">,
): MailFilter {
  const { tag, starred, unread, hasAttachments, since, ...others } = settings;
  const { to, from, subject, recipient, sender, headerFrom, headerTo, q } = others;
  if (q?.trim() === "") throw new UsageError("--q is blank: give words or leave it out");
  const hint = q === undefined ? null : searchHint(q);
  if (hint !== null) err(`mailkeep: ${hint}\n`);
  const begin = since === ALL ? undefined : since;
  const texts = { to, from, subject, recipient, sender, headerFrom, headerTo, q, since: begin };
  const given = Object.entries(texts).filter(([, text]) => text !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(tag.length > 0 && { tag }),
    ...(starred && { starred }),
    ...(unread && { unread }),
    ...(hasAttachments && { has_attachments: true }),
  };
}

/** Filters do not apply to files. */
export function refuseFilters(
  settings: Values<typeof FILTER_SETTINGS>,
  context: Pick<CommandContext, "err">,
): void {
  if (Object.keys(filterOf(settings, context)).length > 0)
    throw new UsageError("use either filters (for a running server) or files");
}

/** Bounds that no number of mails can meet are a mistake, not a failed expectation. */
export function refuseEmptyRange(min: number | undefined, max: number | undefined): void {
  if (min === undefined || max === undefined || min <= max) return;
  throw new UsageError(`--min ${min} is more than --max ${max}: no number of mails can be both`);
}
