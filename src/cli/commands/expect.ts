// `mailkeep wait` and `mailkeep assert`: did the expected mail come? For shell scripts and CI.
import {
  type CountExpectation,
  describeBounds,
  describeFilter,
  describeMail,
  type Inbox,
  type Mail,
  type MailFilter,
  MailkeepError,
} from "../../client/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import { type Command, defined, readSettings } from "../command/command.ts";
import { onTerminal, printable } from "../command/terminal.ts";
import { atServer, FILTER_SETTINGS, filterOf, openInbox, SERVER_SETTINGS } from "../remote/settings.ts";
import { EXIT_CODES_HELP, judge, NOTHING_TO_EXTRACT } from "../remote/verdict.ts";

const FORMATS = kinds.oneOf("text", "json", "junit");

/** If no number of mails can meet the bounds, that is wrong usage, not a failed expectation. */
function refuseEmptyRange(min: number | undefined, max: number | undefined): void {
  if (min === undefined || max === undefined || min <= max) return;
  throw new UsageError(`--min ${min} is more than --max ${max}: no number of mails can satisfy both`);
}

// Wait: prints the awaited mail, or the part of it that a script needs

const DEFAULT_TIMEOUT_MS = 10_000;

const waiting = under("Waiting and printing", { flagOnly: true });
const WAIT_SETTINGS = {
  ...FILTER_SETTINGS,
  timeout: waiting.withDefault(kinds.duration, DEFAULT_TIMEOUT_MS, "How long to wait, up to 5m"),
  min: waiting.optional(kinds.integer(1), "Wait until at least this many mails match, and print the newest"),
  max: waiting.optional(kinds.integer(1), "No more than this many may match"),
  extract: waiting.optional(
    kinds.oneOf("code", "link", "id", "text"),
    "Print only this part: the one-time code, the first link, the mail's id, its text",
  ),
  format: waiting.withDefault(FORMATS, "text", "How the mail is printed"),
  ...SERVER_SETTINGS,
};

const LINKS_SHOWN = 5;

/** The first web link in HTML or text. A link to unsubscribe is taken only if there is no other. */
function mainLink({ links }: Mail): string | undefined {
  const isWeb = (url: string) => /^https?:/i.test(url);
  const candidates = links.filter(({ url, where }) => isWeb(url) && where !== "headers");
  return (candidates.find(({ rel }) => !rel.includes("unsubscribe")) ?? candidates[0])?.url;
}

function extract(mail: Mail, part: "code" | "link" | "id" | "text"): string {
  const found = { code: mail.code, link: mainLink(mail), id: mail.id, text: mail.text }[part];
  if (found !== null && found !== undefined) return found;
  const subject = printable(mail.subject);
  throw new MailkeepError(`the mail ${mail.id} "${subject}" has no ${part}`, NOTHING_TO_EXTRACT);
}

function describeArrival(mail: Mail): string {
  const rows = [
    ["id", mail.id],
    ["from", mail.sender || "<>"],
    ["to", mail.recipients.join(", ")],
    ["subject", mail.subject],
    ...(mail.code === null ? [] : [["code", mail.code]]),
    ...mail.links.slice(0, LINKS_SHOWN).map(({ url }) => ["link", url]),
    ...mail.attachments.map(({ filename }) => ["file", filename]),
  ];
  return rows.map(([name = "", value = ""]) => `\n  ${name.padEnd(8)} ${printable(value)}`).join("");
}

/** Waits for the expected number of mails and returns the newest. */
async function newestOf(inbox: Inbox, filter: MailFilter, expectation: CountExpectation): Promise<Mail> {
  await inbox.expectCount(filter, expectation);
  return (await inbox.latest(filter)) ?? inbox.waitFor(filter, { timeout: "0s" });
}

export const waitCommand: Command = {
  name: "wait",
  summary: "Wait for a mail and print it, or its code, link or text",
  details: `  code=$(mailkeep wait --to ann@example.com --timeout 10s --extract code)

Mails that are already there count, too; --since 0s waits only for mails
that arrive from now on. If several match, the oldest is printed, or with
--min or --max the newest.

${EXIT_CODES_HELP}`,
  settings: WAIT_SETTINGS,
  async run(context) {
    const settings = readSettings(WAIT_SETTINGS, context);
    const { format, extract: part, min = 1, max } = settings;
    const timeout = `${settings.timeout}ms` as const;
    if (part !== undefined && format !== "text")
      throw new UsageError("--extract and --format cannot be combined");
    const filter = filterOf(settings, context);
    refuseEmptyRange(min, max);
    const isCounted = settings.min !== undefined || max !== undefined;
    const arrival = (inbox: Inbox) =>
      isCounted
        ? newestOf(inbox, filter, { min, timeout, ...defined({ max }) })
        : inbox.waitFor(filter, { timeout });
    if (part !== undefined)
      return atServer(settings, context, async (inbox) => {
        context.out(`${onTerminal(extract(await arrival(inbox), part))}\n`);
      });
    const wanted = isCounted ? describeBounds(min, max ?? null) : "a mail";
    const expectation = `${wanted} ${describeFilter(filter)}`.trim();
    const ask = async () => {
      const mail = await arrival(openInbox(settings, context));
      const text = `${expectation}${isCounted ? ": here is the newest" : " is there"}${describeArrival(mail)}`;
      return { text, answer: { ok: true, message: mail } };
    };
    return judge({ command: "wait", expectation, format, ask }, context);
  },
};

// Assert: is the number of mails as expected?

const MAILS_SHOWN = 5;

const counting = under("How many, and how long to wait", { flagOnly: true });
const ASSERT_SETTINGS = {
  ...FILTER_SETTINGS,
  min: counting.optional(kinds.integer(0), "At least this many"),
  max: counting.optional(kinds.integer(0), "At most this many"),
  count: counting.optional(
    kinds.integer(0),
    "Exactly this many; the same as this number for both --min and --max",
  ),
  timeout: counting.optional(
    kinds.duration,
    "How long to wait for the count to become true, up to 5m; by default it must be true now",
  ),
  settle: counting.optional(kinds.duration, "How long the count must stay true, up to 5m"),
  format: counting.withDefault(FORMATS, "text", "How the result is printed"),
  ...SERVER_SETTINGS,
};

const spanOf = (ms: number | undefined) => (ms === undefined ? undefined : (`${ms}ms` as const));

async function showMails(inbox: Inbox, filter: MailFilter, count: number): Promise<string> {
  if (count === 0) return "";
  const mails = await inbox.list(filter, { limit: MAILS_SHOWN });
  const rest = count > mails.length ? ["…"] : [];
  return [...mails.map(describeMail), ...rest].map((line) => `\n  ${line}`).join("");
}

export const assertCommand: Command = {
  name: "assert",
  summary: "Check how many mails match; wait for them with --timeout",
  details: `  mailkeep assert --to ann@example.com --count 1 --timeout 5s --settle 1s

Without --min, --max and --count at least one mail is expected.

${EXIT_CODES_HELP}`,
  settings: ASSERT_SETTINGS,
  async run(context) {
    const settings = readSettings(ASSERT_SETTINGS, context);
    const { count, timeout, settle, format } = settings;
    if (count !== undefined && (settings.min !== undefined || settings.max !== undefined)) {
      throw new UsageError("--count cannot be combined with --min or --max");
    }
    refuseEmptyRange(settings.min, settings.max);
    const max = count ?? settings.max;
    const min = count ?? settings.min ?? (max === undefined ? 1 : undefined);
    const filter = filterOf(settings, context);
    const expectation = `${describeBounds(min ?? null, max ?? null)} ${describeFilter(filter)}`.trim();
    const inbox = openInbox(settings, context);
    const ask = async () => {
      const limits = { min, max, timeout: spanOf(timeout), settle: spanOf(settle) };
      const found = await inbox.expectCount(filter, defined(limits));
      const mails = format === "text" ? await showMails(inbox, filter, found) : "";
      return { text: `${expectation}: found ${found}${mails}`, answer: { ok: true, count: found } };
    };
    return judge({ command: "assert", expectation, format, ask }, context);
  },
};
