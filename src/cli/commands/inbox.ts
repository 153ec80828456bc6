// `mailkeep inbox`: creates, lists and removes the inboxes of a running server.
import type { Inbox } from "../../client/index.ts";
import { kinds, shown, UsageError, under, type Values } from "../../config/index.ts";
import { type Command, type CommandContext, readInput, refusePositionals } from "../command/command.ts";
import { inColumns } from "../remote/mail-table.ts";
import { atServer, SERVER_SETTINGS } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

const flags = under("Inbox", { flagOnly: true });
const SETTINGS = {
  expires: flags.optional(
    kinds.text,
    "create: remove the inbox after this span of time (2h) or at this time; default: never",
  ),
  maxMessages: flags.optional(kinds.integer(1), "create: keep at most this many mails"),
  maxAge: flags.optional(kinds.text, "create: delete mail of this age, such as 7d"),
  maxSize: flags.optional(kinds.text, "create: keep at most this much mail, such as 50MiB"),
  format: flags.withDefault(kinds.oneOf("text", "json"), "text", "text for people, or json with all fields"),
  ...SERVER_SETTINGS,
};
type InboxSettings = Values<typeof SETTINGS>;

type Action = (server: Inbox, settings: InboxSettings, context: CommandContext) => Promise<undefined>;

const list: Action = async (server, { format }, { out }) => {
  const found = await server.inboxes();
  if (format === "json") out(`${JSON.stringify(found)}\n`);
  else {
    const rows = found.map(({ name, messages, unread, expires_at }) => [
      name,
      String(messages),
      String(unread),
      expires_at ?? "never",
    ]);
    out(`${inColumns([["inbox", "mails", "unread", "expires"], ...rows]).join("\n")}\n`);
  }
};

const create =
  (name: string | undefined): Action =>
  async (server, { expires, maxMessages, maxAge, maxSize, format }, { out, err }) => {
    const { smtp, token, ...inbox } = await server.createInbox({
      ...(name !== undefined && { name }),
      expires: expires ?? null,
      ...(maxMessages !== undefined && { max_messages: maxMessages }),
      ...(maxAge !== undefined && { max_age: maxAge }),
      ...(maxSize !== undefined && { max_size: maxSize }),
    });
    if (format === "json") {
      out(`${JSON.stringify({ name: inbox.name, address: inbox.address, smtp, token })}\n`);
      return;
    }
    out(`${token}\n`);
    err(
      `mailkeep: ${inbox.name} takes mail to ${inbox.address}, and all that logs in to ${smtp.host}:${smtp.port}\n`,
    );
    err(`mailkeep: with the user ${inbox.name} and the token, which is shown only now\n`);
  };

const remove =
  (name: string): Action =>
  async (server, { format }, { out }) => {
    await server.removeInbox(name);
    out(format === "json" ? `${JSON.stringify({ removed: name })}\n` : `${name} is removed\n`);
  };

function actionOf([action, name, ...more]: readonly string[], settings: InboxSettings): Action {
  refusePositionals(more);
  if (action === "create") return create(name);
  const { expires, maxMessages, maxAge, maxSize } = settings;
  if ([expires, maxMessages, maxAge, maxSize].some((given) => given !== undefined))
    throw new UsageError("--expires and the limits are for 'mailkeep inbox create'");
  if (action === "remove" && name !== undefined) return remove(name);
  if (action === "remove") throw new UsageError("inbox remove needs the name of an inbox");
  if (action !== "list")
    throw new UsageError(`${action === undefined ? "inbox" : shown(action)} needs create, list or remove`);
  refusePositionals(name === undefined ? [] : [name]);
  return list;
}

export const inboxCommand: Command = {
  name: "inbox",
  summary: "Create, list or remove inboxes of a running Mailkeep",
  usage: "create|list|remove [flags] [NAME]",
  details: `  mailkeep inbox create ci-42 --expires 2h
  mailkeep list --inbox ci-42
  mailkeep inbox remove ci-42

The token alone goes to standard output: it reads the mail of the inbox,
and is its password for SMTP. Removing an inbox removes its mail.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const action = actionOf(positionals, settings);
    return atServer(settings, context, (server) => action(server, settings, context));
  },
};
