// `mailkeep assert`: does the number of mails hold? For shell scripts and CI.
import {
  describeBounds,
  describeFilter,
  describeMail,
  type Inbox,
  type MailFilter,
} from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import type { Command } from "../command/command.ts";
import { readSettings } from "../command/read-input.ts";
import {
  FILTER_SETTINGS,
  filterOf,
  openInbox,
  refuseEmptyRange,
  SERVER_SETTINGS,
  waitingTime,
} from "../remote/settings.ts";
import { EXIT_CODES_HELP, judge } from "../remote/verdict.ts";

const MAILS_SHOWN = 5;

const flags = under("How many, and how long to wait", { flagOnly: true });
const SETTINGS = {
  ...FILTER_SETTINGS,
  min: flags.optional(kinds.integer(0), "At least this many"),
  max: flags.optional(kinds.integer(0), "At most this many"),
  count: flags.optional(kinds.integer(0), "Exactly this many: the same as --min and --max"),
  timeout: flags.optional(
    waitingTime,
    "How long to wait for the count to become true, up to 5m; by default it must be true now",
  ),
  settle: flags.optional(waitingTime, "How long the count must stay true, up to 5m"),
  format: flags.withDefault(kinds.oneOf("text", "json", "junit"), "text", "How the verdict is printed"),
  ...SERVER_SETTINGS,
};

/** The newest of the mails that were counted, a line each. */
async function showMails(inbox: Inbox, filter: MailFilter, count: number): Promise<string> {
  if (count === 0) return "";
  const mails = await inbox.list(filter, { limit: MAILS_SHOWN });
  const rest = count > mails.length ? ["…"] : [];
  return [...mails.map(describeMail), ...rest].map((line) => `\n  ${line}`).join("");
}

export const assertCommand: Command = {
  name: "assert",
  summary: "Check the number of mails, and wait for it if asked",
  details: `  mailkeep assert --to ann@example.com --count 1 --timeout 5s --settle 1s

Without --min, --max and --count at least one mail is expected.
${EXIT_CODES_HELP}`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const { count, timeout, settle } = settings;
    if (count !== undefined && (settings.min !== undefined || settings.max !== undefined)) {
      throw new UsageError("--count and --min or --max exclude each other");
    }
    refuseEmptyRange(settings.min, settings.max);
    const max = count ?? settings.max;
    const min = count ?? settings.min ?? (max === undefined ? 1 : undefined);
    const filter = filterOf(settings, context);
    const expectation = `${describeBounds(min ?? null, max ?? null)} ${describeFilter(filter)}`.trim();
    const inbox = openInbox(settings, context);
    const ask = async () => {
      const found = await inbox.expectCount(filter, {
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
        ...(timeout !== undefined && { timeout: `${timeout}ms` }),
        ...(settle !== undefined && { settle: `${settle}ms` }),
      });
      const mails = settings.format === "text" ? await showMails(inbox, filter, found) : "";
      return { text: `${expectation}: found ${found}${mails}`, answer: { ok: true, count: found } };
    };
    return judge({ command: "assert", expectation, format: settings.format, ask }, context);
  },
};
