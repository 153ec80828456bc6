// `mailkeep clear`: deletes the mails of a running server, or those that match.
import { describeFilter } from "../../client/index.ts";
import { kinds, under } from "../../config/index.ts";
import { counted } from "../../lib/text.ts";
import { type Command, readSettings } from "../command/command.ts";
import { atServer, FILTER_SETTINGS, filterOf, SERVER_SETTINGS } from "../remote/settings.ts";
import { ASKING_EXIT_CODES } from "../remote/verdict.ts";

const flags = under("Clear", { flagOnly: true });
const SETTINGS = {
  ...FILTER_SETTINGS,
  yes: flags.toggle("Do not ask for confirmation"),
  format: flags.withDefault(kinds.oneOf("text", "json"), "text", "How the number is printed"),
  ...SERVER_SETTINGS,
};

export const clearCommand: Command = {
  name: "clear",
  summary: "Delete all mails of a running Mailkeep, or those that match",
  details: `  mailkeep clear --to ann@example.com

Starred mails are deleted, too. On a terminal it asks first.

${ASKING_EXIT_CODES}`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
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
        settings.format === "json"
          ? `${JSON.stringify({ deleted })}\n`
          : `${counted(deleted, "mail")} deleted\n`,
      );
    });
  },
};
