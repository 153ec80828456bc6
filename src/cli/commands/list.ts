// `mailkeep list`: the mails of a running server, newest first.

import type { Inbox } from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import type { Command, CommandContext } from "../command/command.ts";
import { readSettings } from "../command/read-input.ts";
import { mailTable, rejectionTable } from "../remote/mail-table.ts";
import { FILTER_SETTINGS, filterOf, openInbox, SERVER_SETTINGS } from "../remote/settings.ts";
import { ASKING_EXIT_CODES, reportFailure } from "../remote/verdict.ts";

const DEFAULT_LIMIT = 50;

const flags = under("List", { flagOnly: true });
const SETTINGS = {
  ...FILTER_SETTINGS,
  limit: flags.withDefault(kinds.integer(1), DEFAULT_LIMIT, "Show at most this many, the newest"),
  rejected: flags.toggle("Show the last refused mails instead, at most 1,000"),
  format: flags.withDefault(kinds.oneOf("text", "json"), "text", "A table, or an array of all their fields"),
  ...SERVER_SETTINGS,
};

/** Some terminals do not know their width, and say 0. */
const terminalWidth = () => (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;

async function listRejections(
  inbox: Inbox,
  { limit, format }: { readonly limit: number; readonly format: "text" | "json" },
  { out }: CommandContext,
): Promise<number> {
  const rejections = await inbox.rejections({ limit });
  if (format === "json") out(`${JSON.stringify(rejections)}\n`);
  else if (rejections.length === 0) out("nothing was refused\n");
  else out(rejectionTable(rejections, terminalWidth(), new Date()));
  return 0;
}

export const listCommand: Command = {
  name: "list",
  summary: "Show the mails of a running Mailkeep, newest first",
  details: `  mailkeep list --unread --to ann@example.com
  mailkeep list --rejected

● is unread, ★ starred, + has attachments. A terminal shows as much as
fits, from 120 columns on with the id; a file or a pipe gets everything.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const filter = filterOf(settings, context);
    const { limit, format, rejected } = settings;
    if (rejected && Object.keys(filter).length > 0) {
      throw new UsageError("--rejected cannot be combined with filters");
    }
    return reportFailure(context.err, async () => {
      const inbox = openInbox(settings, context);
      if (rejected) return await listRejections(inbox, settings, context);
      const mails = await inbox.list(filter, { limit });
      if (format === "json") {
        context.out(`${JSON.stringify(mails)}\n`);
        return 0;
      }
      context.out(mails.length === 0 ? "no mail\n" : mailTable(mails, terminalWidth(), new Date()));
      const more = mails.length < limit ? 0 : (await inbox.count(filter)) - mails.length;
      if (more > 0) context.err(`… and ${more} more; --limit shows them\n`);
      return 0;
    });
  },
};
