// The mails that a person names: one by its id, the newest, or all that match.
import { describeFilter, type Inbox, type Mail, type MailFilter, MailkeepError } from "../../client/index.ts";
import { shown, UsageError } from "../../config/index.ts";
import { isUlid } from "../../lib/ulid.ts";
import { refusePositionals } from "../command/read-input.ts";
import { NO_SUCH_MAIL } from "./verdict.ts";

const NOT_FOUND = 404;

/** Refuses a word that cannot name a mail before the server is asked. */
export function whichMail(
  [name = "latest", ...rest]: readonly string[],
  filter: MailFilter,
): (inbox: Inbox) => Promise<Mail> {
  refusePositionals(rest);
  if (name === "latest") return (inbox) => newest(inbox, filter);
  const id = name.toUpperCase();
  if (!isUlid(id)) throw new UsageError(`${shown(name)} is not a message id; give an id or 'latest'`);
  if (Object.keys(filter).length > 0) throw new UsageError("filters work only with 'latest', not with an id");
  return (inbox) => inbox.get(id).catch((error) => Promise.reject(asMissing(error)));
}

async function newest(inbox: Inbox, filter: MailFilter): Promise<Mail> {
  const mail = await inbox.latest(filter);
  if (mail) return mail;
  throw noMail(filter);
}

/** At most the newest `limit`, oldest first. Fails if there are none. */
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

const asMissing = (error: unknown) =>
  error instanceof MailkeepError && error.status === NOT_FOUND && error.code !== "unexpected_answer"
    ? new MailkeepError(error.message, NO_SUCH_MAIL)
    : error;
