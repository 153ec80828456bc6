// `mailkeep wait`: waits for a mail and prints it, or just the part that a script needs.
import {
  type CountExpectation,
  describeBounds,
  describeFilter,
  type Inbox,
  type Mail,
  type MailFilter,
  MailkeepError,
} from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import type { Command } from "../command/command.ts";
import { readSettings } from "../command/read-input.ts";
import { printable } from "../command/terminal.ts";
import {
  FILTER_SETTINGS,
  filterOf,
  openInbox,
  refuseEmptyRange,
  SERVER_SETTINGS,
  waitingTime,
} from "../remote/settings.ts";
import { EXIT_CODES_HELP, judge, NOTHING_TO_EXTRACT, reportFailure } from "../remote/verdict.ts";

const DEFAULT_TIMEOUT_MS = 10_000;

const flags = under("Waiting and printing", { flagOnly: true });
const SETTINGS = {
  ...FILTER_SETTINGS,
  timeout: flags.withDefault(waitingTime, DEFAULT_TIMEOUT_MS, "How long to wait, up to 5m"),
  min: flags.optional(kinds.integer(1), "Wait until at least this many mails match, and print the newest"),
  max: flags.optional(kinds.integer(1), "No more than this many may match"),
  extract: flags.optional(
    kinds.oneOf("code", "link", "id", "text"),
    "Print only this part: the one-time code, the first link, the message's id, its text",
  ),
  format: flags.withDefault(kinds.oneOf("text", "json", "junit"), "text", "How the mail is printed"),
  ...SERVER_SETTINGS,
};

const LINKS_SHOWN = 5;

/** The link that a person would click, not the one to unsubscribe. */
function mainLink({ links }: Mail): string | undefined {
  const isWeb = (url: string) => /^https?:/i.test(url);
  const candidates = links.filter(({ url, where }) => isWeb(url) && where !== "headers");
  return (candidates.find(({ rel }) => !rel.includes("unsubscribe")) ?? candidates[0])?.url;
}

function extract(mail: Mail, part: "code" | "link" | "id" | "text"): string {
  const found = { code: mail.code, link: mainLink(mail), id: mail.id, text: mail.text }[part];
  if (found === null || found === undefined) {
    throw new MailkeepError(
      `the mail ${mail.id} "${printable(mail.subject)}" has no ${part}`,
      NOTHING_TO_EXTRACT,
    );
  }
  return found;
}

function describeArrival(mail: Mail): string {
  const rows: [string, string][] = [
    ["id", mail.id],
    ["from", mail.sender || "<>"],
    ["to", mail.recipients.join(", ")],
    ["subject", mail.subject],
    ...(mail.code === null ? [] : [["code", mail.code] as [string, string]]),
    ...mail.links.slice(0, LINKS_SHOWN).map(({ url }): [string, string] => ["link", url]),
    ...mail.attachments.map(({ filename }): [string, string] => ["file", filename]),
  ];
  return rows.map(([name, value]) => `\n  ${name.padEnd(8)} ${printable(value)}`).join("");
}

/** The newest mail, once as many match as are expected. */
async function newestOf(inbox: Inbox, filter: MailFilter, expectation: CountExpectation): Promise<Mail> {
  await inbox.expectCount(filter, expectation);
  return (await inbox.latest(filter)) ?? inbox.waitFor(filter, { timeout: "0s" });
}

export const waitCommand: Command = {
  name: "wait",
  summary: "Wait for a mail and print it, or its code, link or text",
  details: `  code=$(mailkeep wait --to ann@example.com --timeout 10s --extract code)

A mail that is already there counts, unless --since says otherwise: 0s
takes only what arrives from now on. Of several the oldest is taken,
with --min or --max the newest.
${EXIT_CODES_HELP}`,
  settings: SETTINGS,
  async run(context) {
    const settings = readSettings(SETTINGS, context);
    const { format } = settings;
    const timeout = `${settings.timeout}ms` as const;
    const part = settings.extract;
    if (part !== undefined && format !== "text")
      throw new UsageError("--extract and --format exclude each other");
    const filter = filterOf(settings, context);
    const { min = 1, max } = settings;
    refuseEmptyRange(min, max);
    const isCounted = settings.min !== undefined || max !== undefined;
    const inbox = openInbox(settings, context);
    const arrival = () =>
      isCounted
        ? newestOf(inbox, filter, { min, ...(max !== undefined && { max }), timeout })
        : inbox.waitFor(filter, { timeout });
    if (part !== undefined) {
      return reportFailure(context.err, async () => {
        context.out(`${extract(await arrival(), part)}\n`);
        return 0;
      });
    }
    const wanted = isCounted ? describeBounds(min, max ?? null) : "a mail";
    const expectation = `${wanted} ${describeFilter(filter)}`.trim();
    const ask = async () => {
      const mail = await arrival();
      const text = `${expectation}${isCounted ? ": here is the newest" : " is there"}${describeArrival(mail)}`;
      return { text, answer: { ok: true, message: mail } };
    };
    return judge({ command: "wait", expectation, format, ask }, context);
  },
};
