// `mailkeep check`: checks files, or mails of a running server.
import { readMail, unknownClient } from "../../checks/index.ts";
import { describeMail } from "../../client/index.ts";
import { type Kind, kinds, SERVE_SETTINGS, UsageError, under, type Values } from "../../config/index.ts";
import { CHECK_NAMES, type CheckName } from "../../model/index.ts";
import { type Command, type CommandContext, readInput } from "../command/command.ts";
import { mailsIn } from "../mail/read-mails.ts";
import { type CheckedMail, fails, REPORTS } from "../remote/check-report.ts";
import {
  FILTER_SETTINGS,
  filterOf,
  matchingMails,
  openInbox,
  refuseFilters,
  SERVER_SETTINGS,
} from "../remote/settings.ts";
import { reportFailure } from "../remote/verdict.ts";
import { openBodyParser, openChecker } from "../server/bundle.ts";
import { settingsOfChecks } from "../server/declared.ts";

const wordsOf = (given: string) => given.split(",").map((word) => word.trim().toLowerCase());

const checkNames: Kind<readonly CheckName[]> = {
  placeholder: "checks",
  accepts: `some of ${CHECK_NAMES.join(", ")}, separated by commas`,
  parse: (given) => {
    const names = CHECK_NAMES.filter((name) => wordsOf(given).includes(name));
    return names.length === new Set(wordsOf(given)).size ? names : undefined;
  },
  show: (names) => names.join(),
};

const clientNames: Kind<readonly string[]> = {
  placeholder: "clients",
  accepts: "mail clients separated by commas, such as gmail, ios or outlook.windows, or all",
  parse: (given) => (unknownClient(wordsOf(given)) === null ? wordsOf(given) : undefined),
  show: (names) => names.join(),
};

const flags = under("Check", { flagOnly: true });
const SETTINGS = {
  only: flags.optional(checkNames, `The checks to make: ${CHECK_NAMES.join(", ")}; all without it`),
  clients: flags.optional(clientNames, "Mail clients to check for, by family, platform or name"),
  links: flags.optional(kinds.oneOf("fetch"), "Fetch every link to get its status"),
  failOn: flags.withDefault(
    kinds.oneOf("error", "warning", "never"),
    "error",
    "Findings that make the command exit with 1",
  ),
  format: flags.withDefault(
    kinds.oneOf("text", "json", "junit", "github"),
    "text",
    "How findings are printed",
  ),
  latest: flags.toggle("Check only the newest mail of the running server"),
  dnsRecords: SERVE_SETTINGS.dnsRecords,
  checkDns: SERVE_SETTINGS.checkDns,
  checkLinksAllow: SERVE_SETTINGS.checkLinksAllow,
  spamassassin: SERVE_SETTINGS.spamassassin,
  rspamd: SERVE_SETTINGS.rspamd,
  ...FILTER_SETTINGS,
  ...SERVER_SETTINGS,
};
type CheckSettings = Values<typeof SETTINGS>;

async function checkFiles(
  paths: readonly string[],
  settings: CheckSettings,
  context: CommandContext,
): Promise<CheckedMail[]> {
  const { only = CHECK_NAMES, clients = [], links } = settings;
  const checker = openChecker(settingsOfChecks(settings));
  const bodyParser = openBodyParser();
  const options = { clients, fetchesLinks: links === "fetch", dns: null };
  try {
    const checked: CheckedMail[] = [];
    for await (const { name, file, bytes } of mailsIn(paths, context)) {
      const mail = await readMail(bytes, bodyParser);
      const outcomes = await Promise.all(only.map((check) => checker.check(check, mail, options)));
      checked.push({ name, file: file.path, id: null, checks: outcomes.map(({ check }) => check) });
    }
    return checked;
  } finally {
    checker.close();
    bodyParser.close();
  }
}

async function checkStored(settings: CheckSettings, context: CommandContext): Promise<CheckedMail[]> {
  const { only, clients, links, latest } = settings;
  const { dns } = settingsOfChecks(settings);
  const inbox = openInbox(settings, context);
  const options = {
    ...(only && { only }),
    ...(clients && { clients }),
    ...(links && { links }),
    ...(dns !== null && dns !== "real" && { dns }),
  };
  const checked: CheckedMail[] = [];
  for await (const mail of matchingMails(inbox, filterOf(settings, context), latest ? { limit: 1 } : {}))
    checked.push({
      name: describeMail(mail),
      file: null,
      id: mail.id,
      checks: await mail.checks(options),
    });
  return checked;
}

/** Only flags are refused: variables may be meant for the server. */
function refuseServerFlags(args: readonly string[]): void {
  const given = args.find((arg) => /^--(?:check-dns|check-links-allow|spamassassin|rspamd)(?:=|$)/.test(arg));
  if (given !== undefined)
    throw new UsageError(
      `${given.split("=")[0]} works only with files: a running server uses its own settings`,
    );
}

export const checkCommand: Command = {
  name: "check",
  summary: "Check mails: HTML support, links, authentication, content, spam",
  usage: "[flags] [FILE…]",
  details: `  mailkeep check welcome.eml --clients gmail,outlook --fail-on warning
  mailkeep check --to ann@example.com --latest
  mailkeep check welcome.eml --only auth --dns-records zone.txt

Files are .eml, mbox, zip or folders of them; - is standard input. Files
in a folder or zip that are no mail are skipped.
Without a file it checks the mails of a running server. That server asks
DNS, links and spam filters by its own settings; --dns-records is sent
along.

Exit code: 0 no check failed, 1 a check failed or there is no mail,
2 wrong usage, 3 no Mailkeep answers, or it refuses.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const { failOn, format, latest } = settings;
    const isStored = positionals.length === 0;
    if (!isStored) refuseFilters(settings, context);
    if (!isStored && latest)
      throw new UsageError("--latest is for a running server: leave it out, or the files");
    if (isStored) refuseServerFlags(context.args);
    return reportFailure(context.err, async () => {
      const mails = isStored
        ? await checkStored(settings, context)
        : await checkFiles(positionals, settings, context);
      context.out(REPORTS[format](mails, failOn));
      return mails.some(({ checks }) => checks.some((check) => fails(check, failOn))) ? 1 : 0;
    });
  },
};
