// The one mail that a person names: by its id, or the newest that matches.
import { describeFilter, type Inbox, type Mail, type MailFilter, MailkeepError } from "../../client/index.ts";
import { shown, UsageError } from "../../config/index.ts";
import { isUlid } from "../../lib/ulid.ts";
import { refusePositionals } from "../command/read-input.ts";
import { NO_SUCH_MAIL } from "./verdict.ts";

const NOT_FOUND = 404;

/** Refuses what is no name of a mail before the server is asked. */
export function whichMail(
  [name = "latest", ...rest]: readonly string[],
  filter: MailFilter,
): (inbox: Inbox) => Promise<Mail> {
  refusePositionals(rest);
  if (name === "latest") return (inbox) => newest(inbox, filter);
  const id = name.toUpperCase();
  if (!isUlid(id)) throw new UsageError(`${shown(name)} is no message id; give an id or 'latest'`);
  if (Object.keys(filter).length > 0)
    throw new UsageError("filters go with 'latest': an id names one mail already");
  return (inbox) => inbox.get(id).catch((error) => Promise.reject(asMissing(error)));
}

async function newest(inbox: Inbox, filter: MailFilter): Promise<Mail> {
  const mail = await inbox.latest(filter);
  if (mail) return mail;
  const words = describeFilter(filter);
  throw new MailkeepError(words ? `there is no mail ${words}` : "there is no mail", NO_SUCH_MAIL);
}

const asMissing = (error: unknown) =>
  error instanceof MailkeepError && error.status === NOT_FOUND && error.code !== "unexpected_answer"
    ? new MailkeepError(error.message, NO_SUCH_MAIL)
    : error;
