// `mailkeep inbox` and `mailkeep token`: create, list and remove inboxes and tokens.
import type { Inbox, Token } from "../../client/index.ts";
import { type Kind, kinds, shown, UsageError, under, type Values } from "../../config/index.ts";
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

type Action<Settings> = (server: Inbox, settings: Settings, context: CommandContext) => Promise<undefined>;

const asTable = (rows: readonly string[][]) => `${inColumns(rows).join("\n")}\n`;

// Inboxes

/** Sends the text to the server unchanged, but checks it first, so that an error names the flag. */
const asText = ({ placeholder, accepts, parse }: Kind<number>) =>
  kinds.textIf(placeholder, accepts, (text) => parse(text) !== undefined);

const expiry = kinds.textIf("time", EXPIRY, (text) => parseExpiry(text, new Date()) !== null);

const inboxFlags = under("Inbox", { flagOnly: true });
const INBOX_SETTINGS = {
  expires: inboxFlags.optional(
    expiry,
    "create: remove the inbox with its mail after this span (2h) or at this time (2030-01-31T10:00:00Z); default: never",
  ),
  maxMessages: inboxFlags.optional(kinds.integer(1), "create: keep at most this many mails"),
  maxAge: inboxFlags.optional(asText(kinds.someTime), "create: delete mail of this age, such as 7d"),
  maxSize: inboxFlags.optional(asText(kinds.size), "create: keep at most this much mail, such as 50MiB"),
  format: inboxFlags.withDefault(FORMATS, "text", "text for people, or json with all fields"),
  ...SERVER_SETTINGS,
};
type InboxAction = Action<Values<typeof INBOX_SETTINGS>>;

const listInboxes: InboxAction = async (server, { format }, { out }) => {
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

const createInbox =
  (given: string | undefined): InboxAction =>
  async (server, { expires, maxMessages, maxAge, maxSize, format }, { out, err }) => {
    const limits = { max_messages: maxMessages, max_age: maxAge, max_size: maxSize };
    const options = { expires: expires ?? null, ...defined({ name: given, ...limits }) };
    const { name, address, smtp, token } = await server.createInbox(options);
    out(format === "json" ? jsonLine({ name, address, smtp, token }) : `${token}\n`);
    if (format === "json") return;
    err(`mailkeep: mail to ${address} goes to the inbox ${name}\n`);
    err(
      `mailkeep: or log in at ${hostAndPort(smtp.host, smtp.port)}: user ${name}, the token as the password\n`,
    );
    err("mailkeep: the token is shown only now\n");
  };

const removeInbox =
  (name: string): InboxAction =>
  async (server, { format }, { out }) => {
    await orMissing(server.removeInbox(name));
    out(format === "json" ? jsonLine({ removed: name }) : `${name} is removed\n`);
  };

function inboxAction(
  [action, name, ...more]: readonly string[],
  { expires, maxMessages, maxAge, maxSize }: Values<typeof INBOX_SETTINGS>,
): InboxAction {
  refusePositionals(more);
  if (action === "create") return createInbox(name);
  if ([expires, maxMessages, maxAge, maxSize].some((given) => given !== undefined))
    throw new UsageError("--expires and the limits are for 'mailkeep inbox create'");
  if (action === "remove" && name !== undefined) return removeInbox(name);
  if (action === "remove") throw new UsageError("inbox remove needs the name of an inbox");
  if (action !== "list")
    throw new UsageError(
      `inbox needs create, list or remove${action === undefined ? "" : `, not ${shown(action)}`}`,
    );
  refusePositionals(name === undefined ? [] : [name]);
  return listInboxes;
}

export const inboxCommand: Command = {
  name: "inbox",
  summary: "Create, list or remove inboxes of a running Mailkeep",
  usage: "create|list|remove [flags] [NAME]",
  details: `  mailkeep inbox create ci-42 --expires 2h
  mailkeep list --inbox ci-42
  mailkeep inbox remove ci-42

'create' prints only the token on standard output. It gives access to the
mail of the inbox and is its password for SMTP. 'remove' also deletes the
mail of the inbox.

${ASKING_EXIT_CODES}`,
  settings: INBOX_SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(INBOX_SETTINGS, context);
    const action = inboxAction(positionals, settings);
    return atServer(settings, context, (server) => action(server, settings, context));
  },
};

// Tokens

const tokenFlags = under("Create", { flagOnly: true });
const CREATE_SETTINGS = {
  role: tokenFlags.optional(kinds.oneOf("read", "write", "admin"), "What the token may do; default: read"),
  inbox: tokenFlags.list(kinds.text, "Only for the mail of this inbox; default: all mail"),
  name: tokenFlags.optional(kinds.text, "Its name in lists and GET /api/v1/me; default: 'command line'"),
  expires: tokenFlags.optional(
    expiry,
    "The token expires after this span (7d) or at this time (2030-01-31T10:00:00Z); default: never",
  ),
};

const TOKEN_SETTINGS = {
  ...CREATE_SETTINGS,
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

const createToken: TokenAction = async ({ tokens }, settings, { out, err }) => {
  const { role = "read", inbox, name = "command line", expires, format } = settings;
  const inboxes = inbox.length > 0 ? inbox : undefined;
  if (role === "admin" && inboxes) throw new UsageError("--role must be read or write with --inbox");
  const created = await tokens.create({ name, role, ...defined({ inboxes, expires }) });
  out(format === "json" ? jsonLine(created) : `${created.token}\n`);
  if (format === "text")
    err(`mailkeep: the token ${created.id} may ${describeScope(created)}; it is shown only now\n`);
};

const listTokens: TokenAction = async ({ tokens }, { format }, { out }) => {
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

const revokeToken =
  (id: string): TokenAction =>
  async ({ tokens }, { format }, { out }) => {
    await orMissing(tokens.revoke(id));
    out(format === "json" ? jsonLine({ revoked: id }) : `${id} is revoked\n`);
  };

function tokenAction(
  [action, id, ...more]: readonly string[],
  settings: Values<typeof TOKEN_SETTINGS>,
): TokenAction {
  const given = Object.keys(CREATE_SETTINGS).find((one) => {
    const value = settings[one as keyof typeof CREATE_SETTINGS];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  if (action !== "create" && given !== undefined)
    throw new UsageError(`--${given} is for 'mailkeep token create'`);
  refusePositionals(more);
  if (action === "revoke" && id !== undefined) return revokeToken(id);
  if (action === "revoke")
    throw new UsageError("token revoke needs the id of a token, as 'token list' shows it");
  if (action !== "create" && action !== "list")
    throw new UsageError(
      `token needs create, list or revoke${action === undefined ? "" : `, not ${shown(action)}`}`,
    );
  refusePositionals(id === undefined ? [] : [id]);
  return action === "create" ? createToken : listTokens;
}

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
  async run(context) {
    const { settings, positionals } = readInput(TOKEN_SETTINGS, context);
    const action = tokenAction(positionals, settings);
    return atServer({ ...settings, inbox: undefined }, context, (server) =>
      action(server, settings, context),
    );
  },
};
