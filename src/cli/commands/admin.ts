// `mailkeep inbox` and `mailkeep token`: create, list and remove inboxes and tokens.
import type { Inbox, Token } from "../../client/index.ts";
import { flagName, kinds, type Settings, shown, UsageError, under, type Values } from "../../config/index.ts";
import { hostAndPort } from "../../lib/hosts.ts";
import { EXPIRY, parseExpiry } from "../../query/index.ts";
import {
  type Command,
  type CommandContext,
  defined,
  readInput,
  refusePositionals,
} from "../command/command.ts";
import { jsonLine } from "../command/terminal.ts";
import { inColumns } from "../remote/mail-table.ts";
import { atServer, orMissing, SERVER_SETTINGS } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

const FORMATS = kinds.oneOf("text", "json");
const expiry = kinds.textIf("time", EXPIRY, (text) => parseExpiry(text, new Date()) !== null);

/** `names` are the words after the action. */
type Action<Given> = (
  server: Inbox,
  settings: Given,
  context: CommandContext,
  names: readonly string[],
) => Promise<undefined>;

/** Runs the action that the first word names. The flags in `creating` are only for the action `create`. */
function runAction<const Table extends Settings>(
  name: string,
  table: Table,
  actions: Readonly<Record<string, Action<Values<Table>>>>,
  creating: Settings,
  context: CommandContext,
): Promise<number> {
  const { settings, given, positionals } = readInput(table, context);
  const [word = "", ...names] = positionals;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action === undefined) {
    const known = Object.keys(actions)
      .join(", ")
      .replace(/, (?=[^,]*$)/, " or ");
    throw new UsageError(`${name} needs ${known}${word && `, not ${shown(word)}`}`);
  }
  const extra = Object.keys(creating).find((flag) => given.has(flag));
  if (word !== "create" && extra !== undefined)
    throw new UsageError(`--${flagName(extra)} is for 'mailkeep ${name} create'`);
  const { url, token } = settings as Values<typeof SERVER_SETTINGS>;
  return atServer({ url, token }, context, (server) => action(server, settings, context, names));
}

const asTable = (rows: readonly string[][]) => `${inColumns(rows).join("\n")}\n`;

// Inboxes

const inboxFlags = under("Inbox", { flagOnly: true });
const CREATE_INBOX = {
  expires: inboxFlags.optional(
    expiry,
    "create: remove the inbox with its mail after this span (2h) or at this time (2030-01-31T10:00:00Z); default: never",
  ),
  maxMessages: inboxFlags.optional(kinds.integer(1), "create: keep at most this many mails"),
  maxAge: inboxFlags.optional(kinds.text, "create: delete mail older than this, such as 7d"),
  maxSize: inboxFlags.optional(kinds.text, "create: keep at most this much mail, such as 50MiB"),
};
const INBOX_SETTINGS = {
  ...CREATE_INBOX,
  format: inboxFlags.withDefault(FORMATS, "text", "text for people, or json with all fields"),
  ...SERVER_SETTINGS,
};
type InboxAction = Action<Values<typeof INBOX_SETTINGS>>;

const listInboxes: InboxAction = async (server, { format }, { out }, names) => {
  refusePositionals(names);
  const found = await server.inboxes();
  const row = ({ name, messages, unread, expires_at }: (typeof found)[number]) => [
    name,
    String(messages),
    String(unread),
    expires_at ?? "never",
  ];
  const head = ["inbox", "mails", "unread", "expires"];
  out(format === "json" ? jsonLine(found) : asTable([head, ...found.map(row)]));
};

const createInbox: InboxAction = async (server, settings, { out, err }, [given, ...more]) => {
  refusePositionals(more);
  const { expires = null, maxMessages, maxAge, maxSize, format } = settings;
  const limits = { max_messages: maxMessages, max_age: maxAge, max_size: maxSize };
  const { name, address, smtp, token } = await server.createInbox({
    expires,
    ...defined({ name: given, ...limits }),
  });
  out(format === "json" ? jsonLine({ name, address, smtp, token }) : `${token}\n`);
  if (format === "json") return;
  err(`mailkeep: mail to ${address} goes to the inbox ${name}\n`);
  err(
    `mailkeep: or log in at ${hostAndPort(smtp.host, smtp.port)}: user ${name}, the token as the password\n`,
  );
  err("mailkeep: the token is shown only this once\n");
};

const removeInbox: InboxAction = async (server, { format }, { out }, [name, ...more]) => {
  refusePositionals(more);
  if (name === undefined) throw new UsageError("inbox remove needs the name of an inbox");
  await orMissing(server.removeInbox(name));
  out(format === "json" ? jsonLine({ removed: name }) : `${name} is removed\n`);
};

const INBOX_ACTIONS = { create: createInbox, list: listInboxes, remove: removeInbox };

export const inboxCommand: Command = {
  name: "inbox",
  summary: "Create, list or remove inboxes of a running Mailkeep",
  usage: "create|list|remove [flags] [NAME]",
  details: `  mailkeep inbox create ci-42 --expires 2h
  mailkeep list --inbox ci-42
  mailkeep inbox remove ci-42

'create' prints only the token on standard output. The token gives access
to the inbox's mail, and is the password for logging in to SMTP with the
inbox's name. 'remove' also deletes the inbox's mail.

${ASKING_EXIT_CODES}`,
  settings: INBOX_SETTINGS,
  run: (context) => runAction("inbox", INBOX_SETTINGS, INBOX_ACTIONS, CREATE_INBOX, context),
};

// Tokens

const tokenFlags = under("Create", { flagOnly: true });
const CREATE_TOKEN = {
  role: tokenFlags.optional(kinds.oneOf("read", "write", "admin"), "What the token may do; default: read"),
  inbox: tokenFlags.list(kinds.text, "Only for the mail of this inbox; default: all mail"),
  name: tokenFlags.optional(kinds.text, "Its name in lists and GET /api/v1/me; default: 'command line'"),
  expires: tokenFlags.optional(
    expiry,
    "The token expires after this span (7d) or at this time (2030-01-31T10:00:00Z); default: never",
  ),
};

const TOKEN_SETTINGS = {
  ...CREATE_TOKEN,
  format: under("Output", { flagOnly: true }).withDefault(
    FORMATS,
    "text",
    "text: the token or a table; json: all fields",
  ),
  ...SERVER_SETTINGS,
};
type TokenAction = Action<Values<typeof TOKEN_SETTINGS>>;

const describeScope = ({ role, inboxes }: Pick<Token, "role" | "inboxes">) =>
  `${role} ${inboxes === null ? "all mail" : inboxes.join(", ")}`;

const createToken: TokenAction = async ({ tokens }, settings, { out, err }, names) => {
  refusePositionals(names);
  const { role = "read", inbox, name = "command line", expires, format } = settings;
  const inboxes = inbox.length > 0 ? inbox : undefined;
  const created = await tokens.create({ name, role, ...defined({ inboxes, expires }) });
  out(format === "json" ? jsonLine(created) : `${created.token}\n`);
  if (format === "text")
    err(`mailkeep: the token ${created.id} may ${describeScope(created)}; it is shown only this once\n`);
};

const listTokens: TokenAction = async ({ tokens }, { format }, { out }, names) => {
  refusePositionals(names);
  const found = await tokens.list();
  const row = (token: Token) => [
    token.id,
    token.name ?? "",
    describeScope(token),
    token.expires_at ?? "never",
  ];
  if (format === "json") out(jsonLine(found));
  else
    out(found.length === 0 ? "no tokens\n" : asTable([["id", "name", "may", "expires"], ...found.map(row)]));
};

const revokeToken: TokenAction = async ({ tokens }, { format }, { out }, [id, ...more]) => {
  refusePositionals(more);
  if (id === undefined)
    throw new UsageError("token revoke needs the id of a token, as 'token list' shows it");
  await orMissing(tokens.revoke(id));
  out(format === "json" ? jsonLine({ revoked: id }) : `${id} is revoked\n`);
};

const TOKEN_ACTIONS = { create: createToken, list: listTokens, revoke: revokeToken };

export const tokenCommand: Command = {
  name: "token",
  summary: "Create, list or revoke tokens of a running Mailkeep",
  usage: "create|list|revoke [flags] [ID]",
  details: `  mailkeep token create --inbox ci-42 --role write --expires 7d
  mailkeep token revoke 01JQ4Z8R5T2M9XK3W7V1B6C0DE

'create' prints only the token on standard output. Copy it: the server
keeps only its hash and cannot show it again.

${ASKING_EXIT_CODES}`,
  settings: TOKEN_SETTINGS,
  run: (context) => runAction("token", TOKEN_SETTINGS, TOKEN_ACTIONS, CREATE_TOKEN, context),
};
