// `mailkeep show`: one mail of a running server, its newest unless an id is given.
import type { Mail, MessageHeader } from "../../client/index.ts";
import { kinds, under } from "../../config/index.ts";
import { formatSize } from "../../lib/numbers.ts";
import { type Command, readInput } from "../command/command.ts";
import { printable } from "../command/terminal.ts";
import { printStream } from "../remote/save.ts";
import { atServer, FILTER_SETTINGS, filterOf, SERVER_SETTINGS, whichMail } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

const flags = under("Show", { flagOnly: true });
const SETTINGS = {
  ...FILTER_SETTINGS,
  format: flags.withDefault(
    kinds.oneOf("mail", "text", "html", "json", "raw"),
    "mail",
    "Header and text; only the text; only the HTML; all fields; the bytes as they were sent",
  ),
  ...SERVER_SETTINGS,
};

const SHOWN_HEADERS = ["from", "to", "cc", "reply-to", "date", "subject"];

/** Line ends and tabs are the only control characters that a text needs. */
const printableText = (text: string): string => text.replace(/[^\r\n\t]+/g, printable);

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
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  const lines = rows.map(
    ([name = "", value = ""]) => `${printable(name).padEnd(width)}  ${printable(value)}\n`,
  );
  return `${lines.join("")}\n${printableText(mail.text.trimEnd())}\n`;
}

export const showCommand: Command = {
  name: "show",
  summary: "Print one mail: its header, text, codes and links",
  usage: "[flags] [latest|ID]",
  details: `  mailkeep show latest --to ann@example.com
  mailkeep show 01KABCDEFGHJKMNPQRSTVWXYZ0 --format raw > mail.eml

Without an id it is the newest mail, or the newest that matches.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const { format } = settings;
    const find = whichMail(positionals, filterOf(settings, context));
    return atServer(settings, context, async (inbox) => {
      const mail = await find(inbox);
      if (format === "raw") {
        await printStream([await mail.raw()]);
        return;
      }
      const onTerminal = (text: string) => (process.stdout.isTTY ? printableText(text) : text);
      const printed = {
        mail: () => describeMailInFull(mail, mail.headers()),
        text: () => onTerminal(mail.text),
        html: () => onTerminal(mail.html),
        json: () => JSON.stringify(mail),
      };
      const text = printed[format]();
      context.out(text.endsWith("\n") ? text : `${text}\n`);
    });
  },
};
