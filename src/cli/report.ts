// `mailkeep report`: writes every mail of a running server to a folder and prints a Markdown table of them,
// for the summary page of a CI job.
import { connect } from "../client/index.ts";
import { kinds, under } from "../config/index.ts";
import { formatSize } from "../lib/size.ts";
import type { MessageSummary } from "../model/index.ts";
import type { Command } from "./command.ts";
import { reportFailure } from "./inbox/exit-codes.ts";
import { fit } from "./inbox/printable.ts";
import { saveMails } from "./inbox/save-mails.ts";
import { readInput, refusePositionals } from "./read-input.ts";
import { serverUrl, URL_SETTING } from "./server-url.ts";

/** A job's summary holds 1 MiB, or is thrown away whole; the folder has them all. */
const MAX_ROWS = 500;
const MAX_CELL_CHARACTERS = 100;

const SETTINGS = {
  url: URL_SETTING,
  output: under("Report", { flagOnly: true }).withDefault(kinds.path, "mail", "Folder for the .eml files"),
};

/** What a mail says must not become markup of the page it is shown on. */
const cell = (text: string): string =>
  fit(text.replace(/[\s\p{Cc}]+/gu, " "), MAX_CELL_CHARACTERS)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]|~#!@:]|(?<=www)\./gi, (char) => `&#${char.charCodeAt(0)};`);

function row({ created_at, sender, recipients, subject, size, has_attachments }: MessageSummary): string {
  const time = created_at.slice("2026-11-14T".length, -"Z".length);
  const cells = [time, cell(sender), cell(recipients.join(", ")), cell(subject), formatSize(size)];
  return `| ${cells.join(" | ")} | ${has_attachments ? "📎" : ""} |`;
}

function table(messages: readonly MessageSummary[]): string {
  if (messages.length === 0) return "No mail was captured.\n";
  const more = messages.length - MAX_ROWS;
  const rows = [
    "| time (UTC) | from | to | subject | size | |",
    "|---|---|---|---|---:|---|",
    ...messages.slice(0, MAX_ROWS).map(row),
    ...(more > 0 ? ["", `… and ${more} more, in the folder.`] : []),
  ];
  return `${rows.join("\n")}\n`;
}

export const report: Command = {
  name: "report",
  summary: "Save all mail to a folder and print a table of it, for CI",
  usage: "[flags]",
  details: `  mailkeep report --output mails > mails.md

The table is Markdown. Of more than ${MAX_ROWS} mails it has the oldest; the
folder has all.

Exit code: 0 saved, 1 not, 2 wrong usage, 3 the server cannot be reached.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    refusePositionals(positionals);
    const inbox = connect({ url: serverUrl(settings.url, context), since: "all" });
    return reportFailure(context.err, async () => {
      const messages = (await inbox.list()).reverse();
      await saveMails(inbox, messages, settings.output);
      context.out(table(messages));
      return 0;
    });
  },
};
