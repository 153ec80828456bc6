// `mailkeep list`: the mails of a running server, newest first.
import { kinds, under } from "../../config/index.ts";
import type { Command } from "../command/command.ts";
import { readSettings } from "../command/read-input.ts";
import { mailTable } from "../inbox/mail-table.ts";
import { FILTER_SETTINGS, filterOf, openInbox, URL_SETTING } from "../inbox/settings.ts";
import { ASKING_EXIT_CODES, reportFailure } from "../inbox/verdict.ts";

const DEFAULT_LIMIT = 50;

const flags = under("List", { flagOnly: true });
const SETTINGS = {
  ...FILTER_SETTINGS,
  limit: flags.withDefault(kinds.integer(1), DEFAULT_LIMIT, "Show at most this many, the newest"),
  format: flags.withDefault(kinds.oneOf("text", "json"), "text", "A table, or an array of all their fields"),
  url: URL_SETTING,
};

export const listCommand: Command = {
  name: "list",
  summary: "Show the mails of a running Mailkeep, newest first",
  details: `  mailkeep list --unread --to ann@example.com

● is unread, ★ starred, + has attachments. A terminal shows as much as
fits, from 120 columns on with the id; a file or a pipe gets everything.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const filter = filterOf(settings, context);
    const { limit, format } = settings;
    return reportFailure(context.err, async () => {
      const inbox = openInbox(settings.url, context);
      const mails = await inbox.list(filter, { limit });
      if (format === "json") {
        context.out(`${JSON.stringify(mails)}\n`);
        return 0;
      }
      const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
      context.out(mails.length === 0 ? "no mail\n" : mailTable(mails, width, new Date()));
      const more = mails.length < limit ? 0 : (await inbox.count(filter)) - mails.length;
      if (more > 0) context.err(`… and ${more} more; --limit shows them\n`);
      return 0;
    });
  },
};
