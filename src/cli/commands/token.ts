// `mailkeep token`: creates, lists and revokes the tokens of a running server.
import type { Inbox, Token } from "../../client/index.ts";
import { kinds, shown, UsageError, under, type Values } from "../../config/index.ts";
import { type Command, type CommandContext, readInput, refusePositionals } from "../command/command.ts";
import { inColumns } from "../remote/mail-table.ts";
import { atServer, SERVER_SETTINGS } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

const flags = under("Create", { flagOnly: true });
const CREATE_SETTINGS = {
  role: flags.optional(kinds.oneOf("read", "write", "admin"), "What the token may do; default: read"),
  inbox: flags.list(kinds.text, "Only for the mail of this inbox; default: all mail"),
  name: flags.optional(kinds.text, "A name for the token, shown in the list and in GET /api/v1/me"),
  expires: flags.optional(
    kinds.text,
    "When the token expires: a span of time (7d) or a time (2026-11-14T10:00:00Z)",
  ),
};

const SETTINGS = {
  ...CREATE_SETTINGS,
  format: under("Output", { flagOnly: true }).withDefault(
    kinds.oneOf("text", "json"),
    "text",
    "text: the token or a table; json: all fields",
  ),
  ...SERVER_SETTINGS,
};
type TokenSettings = Values<typeof SETTINGS>;

type Action = (inbox: Inbox, settings: TokenSettings, context: CommandContext) => Promise<undefined>;

const create: Action = async ({ tokens }, settings, { out, err }) => {
  const { role = "read", inbox: inboxes, name, expires, format } = settings;
  const created = await tokens.create({
    role,
    ...(inboxes.length > 0 && { inboxes }),
    ...(name !== undefined && { name }),
    ...(expires !== undefined && { expires }),
  });
  if (format === "json") {
    out(`${JSON.stringify(created)}\n`);
    return;
  }
  out(`${created.token}\n`);
  err(`mailkeep: ${created.id} may ${describeScope(created)}; the token is shown only now\n`);
};

const list: Action = async ({ tokens }, { format }, { out }) => {
  const found = await tokens.list();
  if (format === "json") out(`${JSON.stringify(found)}\n`);
  else if (found.length === 0) out("no tokens\n");
  else {
    const rows = found.map((token) => [
      token.id,
      token.name ?? "",
      describeScope(token),
      token.expires_at ?? "never",
    ]);
    out(`${inColumns([["id", "name", "may", "expires"], ...rows]).join("\n")}\n`);
  }
};

const revoke =
  (id: string): Action =>
  async ({ tokens }, { format }, { out }) => {
    await tokens.revoke(id);
    out(format === "json" ? `${JSON.stringify({ revoked: id })}\n` : `${id} is revoked\n`);
  };

const describeScope = ({ role, inboxes }: Pick<Token, "role" | "inboxes">) =>
  `${role} ${inboxes === null ? "all mail" : inboxes.join(", ")}`;

function actionOf([name, ...rest]: readonly string[], settings: TokenSettings): Action {
  if (name === "create") {
    refusePositionals(rest);
    return create;
  }
  const given = Object.keys(CREATE_SETTINGS).find((one) => {
    const value = settings[one as keyof typeof CREATE_SETTINGS];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  if (given !== undefined) throw new UsageError(`--${given} is for 'mailkeep token create'`);
  if (name === "list") {
    refusePositionals(rest);
    return list;
  }
  const [id, ...more] = rest;
  if (name !== "revoke")
    throw new UsageError(`${name === undefined ? "token" : shown(name)} needs create, list or revoke`);
  refusePositionals(more);
  if (id === undefined)
    throw new UsageError("token revoke needs the id of a token, as 'token list' shows it");
  return revoke(id);
}

export const tokenCommand: Command = {
  name: "token",
  summary: "Create, list or revoke tokens of a running Mailkeep",
  usage: "create|list|revoke [flags] [ID]",
  details: `  mailkeep token create --inbox ci-42 --role write --expires 7d
  mailkeep token revoke 5f0c2a9be1d43786

The token alone goes to standard output. The server keeps only its hash.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const action = actionOf(positionals, settings);
    return atServer({ ...settings, inbox: undefined }, context, (server) =>
      action(server, settings, context),
    );
  },
};
