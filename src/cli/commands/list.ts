// `mailkeep list`: the mails of a running server, newest first.
import { kinds, UsageError, under } from "../../config/index.ts";
import { type Command, readSettings } from "../command/command.ts";
import { mailTable, rejectionTable } from "../remote/mail-table.ts";
import { atServer, FILTER_SETTINGS, filterOf, SERVER_SETTINGS } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

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
    const print = <One>(
      found: One[],
      table: (found: One[], width: number, now: Date) => string,
      none: string,
    ) => {
      if (format === "json") context.out(`${JSON.stringify(found)}\n`);
      else context.out(found.length === 0 ? none : table(found, terminalWidth(), new Date()));
    };
    return atServer(settings, context, async (inbox) => {
      if (rejected) {
        print(await inbox.rejections({ limit }), rejectionTable, "nothing was refused\n");
        return;
      }
      const mails = await inbox.list(filter, { limit });
      print(mails, mailTable, "no mail\n");
      if (format === "json" || mails.length < limit) return;
      const more = (await inbox.count(filter)) - mails.length;
      if (more > 0) context.err(`… and ${more} more; --limit shows them\n`);
    });
  },
};
