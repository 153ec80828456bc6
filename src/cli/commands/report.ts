// `mailkeep report`: writes every mail of a running server to a folder and prints a Markdown table of them,
// for the summary page of a CI job.
import type { Mail } from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import { formatSize } from "../../lib/size.ts";
import type { MessageSummary } from "../../model/index.ts";
import type { Command } from "../command/command.ts";
import { readSettings } from "../command/read-input.ts";
import { fit } from "../command/terminal.ts";
import { compare, MASK_SETTING, snapshotsIn } from "../remote/golden.ts";
import { reportPage } from "../remote/report-page.ts";
import { saveMails, saveStream } from "../remote/save.ts";
import { FILTER_SETTINGS, openInbox, SERVER_SETTINGS } from "../remote/settings.ts";
import { reportFailure } from "../remote/verdict.ts";

/** A job's summary that exceeds 1 MiB is discarded. The folder has all mails. */
const MAX_ROWS = 500;
const MAX_CELL_CHARACTERS = 100;

const flags = under("Report", { flagOnly: true });
const SETTINGS = {
  ...SERVER_SETTINGS,
  inbox: FILTER_SETTINGS.inbox,
  output: flags.withDefault(kinds.path, "mail", "Folder for the .eml files"),
  html: flags.optional(kinds.path, "File for a page that shows all mails, without their pictures"),
  against: flags.optional(kinds.path, "Snapshots or mails to compare with: the page shows what changed"),
  mask: MASK_SETTING,
};

/** The text of a mail must not become markup of the page that shows it. */
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
  details: `  mailkeep report --output mails > mails.md

  mailkeep report --html mails.html --against golden

The table is Markdown and has at most the oldest ${MAX_ROWS} mails; the
folder and the page have all. The page is one file and loads nothing.

Exit code: 0 saved, 1 not, 2 wrong usage, 3 the server cannot be reached.`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const { html, against, mask } = settings;
    if (html === undefined && (against !== undefined || mask.length > 0))
      throw new UsageError("--against and --mask are for the page: give a file for it with --html");
    const inbox = openInbox(settings, context);
    return reportFailure(context.err, async () => {
      const messages = (await inbox.list()).reverse();
      await saveMails(inbox, messages, settings.output);
      if (html !== undefined) {
        const mails: Mail[] = [];
        for (const { id } of messages) mails.push(await inbox.get(id));
        const expected = against === undefined ? null : await snapshotsIn([against], mask, context);
        const compared =
          expected &&
          compare(
            expected,
            mails.map((mail) => mail.snapshot({ mask })),
          );
        await saveStream(reportPage(mails, compared), html);
      }
      context.out(table(messages));
      return 0;
    });
  },
};
