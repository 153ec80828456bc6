// The flags that commands share: where the running server is, and which mails are meant.
import {
  connect,
  describeFilter,
  type Inbox,
  type Mail,
  type MailFilter,
  MailkeepError,
} from "../../client/index.ts";
import {
  type Kind,
  kinds,
  SERVE_SETTINGS,
  shown,
  UsageError,
  under,
  type Values,
  webUrl,
} from "../../config/index.ts";
import { hostAndPort } from "../../lib/hosts.ts";
import { isBareAddress } from "../../lib/text.ts";
import { isUlid } from "../../lib/ulid.ts";
import { parseSince, searchHint } from "../../query/index.ts";
import { type CommandContext, defined, readInput, refusePositionals } from "../command/command.ts";
import { reachable } from "../command/hosts.ts";
import { NO_SUCH_MAIL, reportFailure } from "./verdict.ts";

const server = under("Server");

export const SERVER_SETTINGS = {
  url: server.optional(
    {
      ...kinds.text,
      placeholder: "url",
      accepts: "an address such as http://127.0.0.1:8025",
      parse: webUrl.parse,
    },
    "Address of the running server, with user:password@ if it needs them; also MAILKEEP_URL",
    { shownDefault: "http://127.0.0.1:8025, or where serve would listen with these variables" },
  ),
  token: server.optional(
    { ...kinds.secretText, placeholder: "mk_…" },
    "Token to use instead of a password; also MAILKEEP_TOKEN, unless the address has a password",
  ),
};

type ServerSettings = Values<typeof SERVER_SETTINGS> & {
  readonly inbox?: string | undefined;
  readonly since?: string | undefined;
};

/** Without a URL, takes the server that `serve` would start with the same variables and file. */
export function openInbox(
  { url, token, inbox, since = ALL }: ServerSettings,
  context: CommandContext,
): Inbox {
  const which = { since, ...defined({ inbox }) };
  // The client reads MAILKEEP_TOKEN itself, and ignores it if the address has credentials.
  const isVariable = token === context.environment.MAILKEEP_TOKEN;
  if (url !== undefined) return connect({ ...which, url, token: isVariable ? undefined : token });
  const { settings } = readInput(SERVE_SETTINGS, { ...context, args: [] });
  const { bind, httpPort, basePath, httpAuth, httpTls, httpTlsCert } = settings;
  const isTls = httpTls === "self-signed" || httpTlsCert !== undefined;
  // This is our own server on this machine. Its certificate may be self-signed or for another name.
  if (isTls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  const found = URL.parse(`http${isTls ? "s" : ""}://${hostAndPort(reachable(bind), httpPort)}`);
  if (!found) throw new UsageError(`${bind} cannot be part of a URL; give the server's address with --url`);
  found.pathname = basePath;
  const { pair = "" } = httpAuth.find(({ role }) => role === "admin") ?? httpAuth[0] ?? {};
  const [user = "", ...password] = pair.split(":");
  found.username = encodeURIComponent(user);
  found.password = encodeURIComponent(password.join(":"));
  return connect({ ...which, url: found.href, token });
}

export const atServer = (
  settings: ServerSettings,
  context: CommandContext,
  work: (inbox: Inbox) => Promise<number | undefined>,
): Promise<number> => reportFailure(context.err, async () => (await work(openInbox(settings, context))) ?? 0);

const ALL = "all";

const since: Kind<string> = {
  ...kinds.text,
  accepts: "the id of a mail, a time such as 2026-11-14T10:00:00Z, a span such as 5m, or all",
  parse: (value) => {
    const isKnown = value === ALL || parseSince(value) !== null || kinds.duration.parse(value) !== undefined;
    return isKnown ? value : undefined;
  },
};

/**
 * Refuses an empty name and names of dots only: in a request's path, `..` leads to all mail and `.`
 * to another route.
 */
const inboxName = kinds.textIf("name", "the name of an inbox", (name) => !/^\.*$/.test(name));

const ADDRESS = "an address alone, without name and angle brackets";
const address = kinds.textIf("text", ADDRESS, (value) => value !== "" && isBareAddress(value));
const addressOrEmpty = kinds.textIf("text", ADDRESS, isBareAddress);

const filters = under("Which mails (all conditions must hold)", { flagOnly: true });

export const FILTER_SETTINGS = {
  inbox: filters.optional(inboxName, "Only mail in this inbox; default: all mail that you may see"),
  to: filters.optional(address, "Whole address of one recipient"),
  from: filters.optional(addressOrEmpty, "Whole address of the sender; empty for the null sender"),
  subject: filters.optional(kinds.text, "Part of the subject, case-insensitive"),
  recipient: filters.optional(address, "Part of a recipient's address"),
  sender: filters.optional(address, "Part of the sender's address"),
  headerFrom: filters.optional(kinds.text, "Part of the From header: a name or an address"),
  headerTo: filters.optional(kinds.text, "Part of the To header: a name or an address"),
  q: filters.optional(kinds.text, "Search: words, phrases, operators such as subject:order -is:read"),
  tag: filters.list(kinds.text, "With this tag; if repeated, with any of them"),
  starred: filters.toggle("Starred mails only"),
  unread: filters.toggle("Unread mails only"),
  hasAttachments: filters.toggle("Mails with attachments only"),
  since: filters.optional(
    since,
    "Newer than this mail (its id), this time (2026-11-14T10:00:00Z) or this long ago (5m; 0s is now); default: all",
  ),
};
type FilterSettings = Values<typeof FILTER_SETTINGS>;

/** All conditions except the inbox. Prints a hint if the search is not understood. */
export function filterOf(settings: FilterSettings, { err }: Pick<CommandContext, "err">): MailFilter {
  const { to, from, subject, recipient, sender, headerFrom, headerTo, q, tag } = settings;
  if (q?.trim() === "") throw new UsageError("--q is blank: give words or leave it out");
  const hint = q === undefined ? null : searchHint(q);
  if (hint !== null) err(`mailkeep: ${hint}\n`);
  const since = settings.since === ALL ? undefined : settings.since;
  const texts = { to, from, subject, recipient, sender, headerFrom, headerTo, q, since };
  const ifOn = (isOn: boolean) => isOn || undefined;
  return defined({
    ...texts,
    tag: tag.length > 0 ? tag : undefined,
    starred: ifOn(settings.starred),
    unread: ifOn(settings.unread),
    has_attachments: ifOn(settings.hasAttachments),
  });
}

export function refuseFilters(settings: FilterSettings, context: Pick<CommandContext, "err">): void {
  if (Object.keys(filterOf(settings, context)).length > 0)
    throw new UsageError("use either filters (for a running server) or files");
}

const NOT_FOUND = 404;

/** Finds the mail with an id, or the newest. Refuses other words before any request is made. */
export function whichMail(
  [name = "latest", ...rest]: readonly string[],
  filter: MailFilter,
): (inbox: Inbox) => Promise<Mail> {
  refusePositionals(rest);
  if (name === "latest")
    return async (inbox) => (await inbox.latest(filter)) ?? Promise.reject(noMail(filter));
  const id = name.toUpperCase();
  if (!isUlid(id)) throw new UsageError(`${shown(name)} is not the id of a mail; give an id or 'latest'`);
  if (Object.keys(filter).length > 0) throw new UsageError("filters work only with 'latest', not with an id");
  return (inbox) => orMissing(inbox.get(id));
}

/** Yields the newest `limit` mails, or all, oldest first. Throws if there are none. */
export async function* matchingMails(
  inbox: Inbox,
  filter: MailFilter,
  options: { readonly limit?: number } = {},
): AsyncGenerator<Mail> {
  const found = await inbox.list(filter, options);
  if (found.length === 0) throw noMail(filter);
  for (const { id } of found.reverse()) yield inbox.get(id);
}

const noMail = (filter: MailFilter) =>
  new MailkeepError(`there is no mail ${describeFilter(filter)}`.trimEnd(), NO_SUCH_MAIL);

/** Turns a 404 for a mail, inbox or token into NO_SUCH_MAIL, with exit code 1 instead of 3. */
export const orMissing = <Result>(asked: Promise<Result>): Promise<Result> =>
  asked.catch((error) => {
    const isMissing = error instanceof MailkeepError && error.status === NOT_FOUND;
    if (!isMissing || error.code === "unexpected_answer") throw error;
    throw new MailkeepError(error.message, NO_SUCH_MAIL);
  });
