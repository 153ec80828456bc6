// `mailkeep list`, `show`, `open` and `clear`: the mails of a running server.
import { describeFilter, type Mail, type MessageHeader } from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import { formatSize } from "../../lib/numbers.ts";
import { counted } from "../../lib/text.ts";
import { type Command, type CommandContext, readInput, readSettings } from "../command/command.ts";
import { jsonLine, onTerminal, printable, printableText } from "../command/terminal.ts";
import { inColumns, mailTable, rejectionTable } from "../remote/mail-table.ts";
import { printStream } from "../remote/save.ts";
import { atServer, FILTER_SETTINGS, filterOf, SERVER_SETTINGS, whichMail } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

// List

const DEFAULT_LIMIT = 50;

const listFlags = under("List", { flagOnly: true });
const LIST_SETTINGS = {
  ...FILTER_SETTINGS,
  limit: listFlags.withDefault(kinds.integer(1), DEFAULT_LIMIT, "Show at most this many, the newest"),
  rejected: listFlags.toggle("Show the last refused mails instead, at most 1,000"),
  format: listFlags.withDefault(
    kinds.oneOf("text", "json"),
    "text",
    "A table, or a JSON array with all fields",
  ),
  ...SERVER_SETTINGS,
};

/** Some terminals do not know their width and report 0. */
const terminalWidth = () => (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;

export const listCommand: Command = {
  name: "list",
  summary: "Show the mails of a running Mailkeep, newest first",
  details: `  mailkeep list --unread --to ann@example.com
  mailkeep list --rejected

● means unread, ★ starred, + with attachments. On a terminal, columns are
shortened, and ids are shown only if it is at least 120 characters
wide. Files and pipes get everything.

${ASKING_EXIT_CODES}`,
  settings: LIST_SETTINGS,
  async run(context) {
    const settings = readSettings(LIST_SETTINGS, context);
    const filter = filterOf(settings, context);
    const { limit, format, rejected } = settings;
    if (rejected && Object.keys(filter).length > 0) {
      throw new UsageError("--rejected cannot be combined with filters");
    }
    const print = (found: readonly unknown[], table: string, none: string) => {
      if (format === "json") context.out(jsonLine(found));
      else context.out(found.length === 0 ? none : table);
    };
    return atServer(settings, context, async (inbox) => {
      const [width, now] = [terminalWidth(), new Date()];
      if (rejected) {
        const refused = await inbox.rejections({ limit });
        print(refused, rejectionTable(refused, width, now), "nothing was refused\n");
        return;
      }
      const mails = await inbox.list(filter, { limit });
      print(mails, mailTable(mails, width, now), "no mail\n");
      if (format === "json" || mails.length < limit) return;
      const more = (await inbox.count(filter)) - mails.length;
      if (more > 0) context.err(`… and ${more} more; a higher --limit shows them\n`);
    });
  },
};

// Show

const showFlags = under("Show", { flagOnly: true });
const SHOW_SETTINGS = {
  ...FILTER_SETTINGS,
  format: showFlags.withDefault(
    kinds.oneOf("mail", "text", "html", "json", "raw"),
    "mail",
    "Header and text; only the text; only the HTML; all fields; the bytes as they were sent",
  ),
  ...SERVER_SETTINGS,
};

const SHOWN_HEADERS = ["from", "to", "cc", "reply-to", "date", "subject"];

export function describeMailInFull(mail: Mail, headers: readonly MessageHeader[]): string {
  const shown = headers.filter(({ name }) => SHOWN_HEADERS.includes(name.toLowerCase()));
  const rows = [
    ...shown.map(({ name, value }) => [name, value]),
    ["Envelope", `${mail.sender || "<>"} → ${mail.recipients.join(", ")}`],
    ["Arrived", mail.created_at],
    ["Id", mail.id],
    ...(mail.tags.length > 0 ? [["Tags", mail.tags.join(", ")]] : []),
    ...mail.codes.map(({ code }) => ["Code", code]),
    ...mail.links.map(({ url }) => ["Link", url]),
    ...mail.attachments.map(({ filename, content_type, size }) => [
      "File",
      `${filename} (${content_type}, ${formatSize(size)})`,
    ]),
  ];
  const lines = inColumns(rows.map((cells) => cells.map(printable)));
  return `${lines.join("\n")}\n\n${printableText(mail.text.trimEnd())}\n`;
}

export const showCommand: Command = {
  name: "show",
  summary: "Print one mail: its header, text, codes and links",
  usage: "[flags] [latest|ID]",
  details: `  mailkeep show latest --to ann@example.com
  mailkeep show 01KABCDEFGHJKMNPQRSTVWXYZ0 --format raw > mail.eml

Without an id, shows the newest mail, or the newest that matches.

${ASKING_EXIT_CODES}`,
  settings: SHOW_SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SHOW_SETTINGS, context);
    const { format } = settings;
    const find = whichMail(positionals, filterOf(settings, context));
    return atServer(settings, context, async (inbox) => {
      const mail = await find(inbox);
      if (format === "raw") {
        const bytes = await mail.raw();
        if (process.stdout.isTTY) context.out(printableText(new TextDecoder().decode(bytes)));
        else await printStream([bytes]);
        return;
      }
      const printed = {
        mail: () => describeMailInFull(mail, mail.headers()),
        text: () => onTerminal(mail.text),
        html: () => onTerminal(mail.html),
        json: () => jsonLine(mail),
      };
      const text = printed[format]();
      context.out(text.endsWith("\n") ? text : `${text}\n`);
    });
  },
};

// Open

const OPEN_SETTINGS = {
  ...FILTER_SETTINGS,
  print: under("Open", { flagOnly: true }).toggle("Print the address and start no browser"),
  ...SERVER_SETTINGS,
};

/** The command that opens a URL in a browser; null without such a command or a screen. */
function openerOf({ environment }: CommandContext): string[] | null {
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (process.platform === "darwin") return ["open"];
  const hasScreen = environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.WSL_DISTRO_NAME;
  const PATH = environment.PATH ?? "";
  const found = hasScreen && ["xdg-open", "wslview"].find((name) => Bun.which(name, { PATH }) !== null);
  return found ? [found] : null;
}

async function openInBrowser(address: string, context: CommandContext): Promise<boolean> {
  const opener = openerOf(context);
  if (opener === null) return false;
  try {
    const child = Bun.spawn([...opener, address], { stdio: ["ignore", "ignore", "ignore"] });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}

export const openCommand: Command = {
  name: "open",
  summary: "Show the web page, or one mail on it, in your browser",
  usage: "[flags] [latest|ID]",
  details: `  mailkeep open latest --to ann@example.com

Prints the address if there is no browser.

${ASKING_EXIT_CODES}`,
  settings: OPEN_SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(OPEN_SETTINGS, context);
    const filter = filterOf(settings, context);
    const isOneMail = positionals.length > 0 || Object.keys(filter).length > 0;
    const find = isOneMail ? whichMail(positionals, filter) : null;
    return atServer(settings, context, async (inbox) => {
      const { inbox: name } = settings;
      // Fails here if the server does not answer or the inbox does not exist, not on an empty page.
      if (find === null) await (name === undefined ? inbox.health() : inbox.count());
      const page = name === undefined ? "" : `?inbox=${encodeURIComponent(name)}`;
      const address = `${inbox.url}/${find === null ? page : `messages/${(await find(inbox)).id}`}`;
      if (settings.print || !(await openInBrowser(address, context))) context.out(`${address}\n`);
    });
  },
};

// Clear

const clearFlags = under("Clear", { flagOnly: true });
const CLEAR_SETTINGS = {
  ...FILTER_SETTINGS,
  yes: clearFlags.toggle("Do not ask for confirmation"),
  format: clearFlags.withDefault(
    kinds.oneOf("text", "json"),
    "text",
    "How the number of deleted mails is printed",
  ),
  ...SERVER_SETTINGS,
};

export const clearCommand: Command = {
  name: "clear",
  summary: "Delete all mails of a running Mailkeep, or those that match",
  details: `  mailkeep clear --to ann@example.com

Starred mails are deleted, too. On a terminal it asks first.

${ASKING_EXIT_CODES}`,
  settings: CLEAR_SETTINGS,
  async run(context) {
    const settings = readSettings(CLEAR_SETTINGS, context);
    const filter = filterOf(settings, context);
    return atServer(settings, context, async (inbox) => {
      if (process.stdin.isTTY && !settings.yes) {
        const mails = `${counted(await inbox.count(filter), "mail")} ${describeFilter(filter)}`.trim();
        if (!confirm(`Delete ${mails} at ${inbox.url}?`)) {
          context.err("mailkeep: nothing was deleted\n");
          return 1;
        }
      }
      const deleted = await inbox.only(filter).clear();
      context.out(
        settings.format === "json" ? jsonLine({ deleted }) : `${counted(deleted, "mail")} deleted\n`,
      );
    });
  },
};
