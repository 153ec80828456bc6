// `mailkeep report`: writes every mail of a running server to a folder and prints a Markdown table of them,
// for the summary page of a CI job.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type Inbox, MailkeepError, UnreachableError } from "../client/index.ts";
import { kinds, under } from "../config/index.ts";
import { formatSize } from "../lib/size.ts";
import type { MessageSummary } from "../model/index.ts";
import type { Command } from "./command.ts";
import { readInput, refusePositionals } from "./read-input.ts";
import { URL_SETTING } from "./server-url.ts";

/** A job's summary holds 1 MiB; the folder has them all. */
const MAX_ROWS = 500;
const UNREACHABLE = 3;

const SETTINGS = {
  url: URL_SETTING,
  to: under("Report", { flagOnly: true }).withDefault(kinds.path, "mail", "Folder for the .eml files"),
};

/** What a mail says must not become markup of the page it is shown on. */
const cell = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]|~#!@:]/g, (char) => `&#${char.charCodeAt(0)};`);

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

async function saveAll(inbox: Inbox, messages: readonly MessageSummary[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { id } of messages) await writeFile(join(folder, `${id}.eml`), await inbox.raw(id));
}

export const report: Command = {
  name: "report",
  summary: "Save all mail to a folder and print a table of it, for CI",
  usage: "[flags]",
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    refusePositionals(positionals);
    const inbox = connect(settings.url);
    try {
      const messages = (await inbox.list()).reverse();
      await saveAll(inbox, messages, settings.to);
      context.out(table(messages));
      return 0;
    } catch (error) {
      if (!(error instanceof MailkeepError)) throw error;
      context.err(`mailkeep: ${error.message}\n`);
      return error instanceof UnreachableError ? UNREACHABLE : 1;
    }
  },
};
