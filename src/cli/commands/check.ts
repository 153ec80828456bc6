// `mailkeep check`: checks files, or mails of a running server, and reports what was found.
import { readMail, unknownClient } from "../../checks/index.ts";
import { type Check, describeMail } from "../../client/index.ts";
import { type Kind, kinds, SERVE_SETTINGS, UsageError, under, type Values } from "../../config/index.ts";
import { counted } from "../../lib/text.ts";
import { CHECK_NAMES, type CheckName } from "../../model/index.ts";
import { type Command, type CommandContext, defined, readInput } from "../command/command.ts";
import { jsonLine, printable } from "../command/terminal.ts";
import { mailsIn } from "../mail/read-mails.ts";
import {
  FILTER_SETTINGS,
  filterOf,
  matchingMails,
  openInbox,
  refuseFilters,
  SERVER_SETTINGS,
} from "../remote/settings.ts";
import { escapeXml, reportFailure } from "../remote/verdict.ts";
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
};

const clientNames: Kind<readonly string[]> = {
  placeholder: "clients",
  accepts: "mail clients separated by commas, such as gmail, ios or outlook.windows, or all",
  parse: (given) => (unknownClient(wordsOf(given)) === null ? wordsOf(given) : undefined),
};

const flags = under("Check", { flagOnly: true });
const SETTINGS = {
  only: flags.optional(checkNames, `The checks to run: ${CHECK_NAMES.join(", ")}; by default all`),
  clients: flags.optional(clientNames, "Mail clients to check for, by family, platform or name"),
  links: flags.optional(kinds.oneOf("fetch"), "fetch requests up to 100 links and images of each mail"),
  failOn: flags.withDefault(
    kinds.oneOf("error", "warning", "never"),
    "error",
    "The least severe finding that makes the command exit with 1",
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
      const checks = await Promise.all(only.map((check) => checker.check(check, mail, options)));
      checked.push({ name, file: file.path, id: null, checks });
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
  const options = defined({ only, clients, links, dns: dns === null || dns === "real" ? undefined : dns });
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

/** Only flags are refused: the variables may be set for a server that `serve` starts. */
function refuseServerFlags(args: readonly string[]): void {
  const given = args.find((arg) => /^--(?:check-dns|check-links-allow|spamassassin|rspamd)(?:=|$)/.test(arg));
  if (given !== undefined)
    throw new UsageError(
      `${given.split("=")[0]} works only with files: a running server uses its own settings`,
    );
}

// The report: text for people, JSON for programs, JUnit for CI servers, commands for GitHub Actions

interface CheckedMail {
  /** The file's path (`a.mbox, mail 3` in an mbox), or subject and addresses of a stored mail. */
  readonly name: string;
  /** Null for a mail of a running server. */
  readonly file: string | null;
  readonly id: string | null;
  readonly checks: readonly Check[];
}

type FailOn = "error" | "warning" | "never";
type Finding = Check["findings"][number];

const FAILING: Readonly<Record<FailOn, readonly Finding["severity"][]>> = {
  error: ["error"],
  warning: ["error", "warning"],
  never: [],
};

const fails = ({ findings }: Check, failOn: FailOn): boolean =>
  findings.some(({ severity }) => FAILING[failOn].includes(severity));

const REPORTS: Readonly<
  Record<"text" | "json" | "junit" | "github", (mails: readonly CheckedMail[], failOn: FailOn) => string>
> = {
  text: (mails, failOn) => mails.map((mail) => reportText(mail, failOn)).join("\n"),
  json: (mails, failOn) => {
    const isOk = !mails.some(({ checks }) => checks.some((check) => fails(check, failOn)));
    return jsonLine({ ok: isOk, mails });
  },
  junit,
  github: (mails) => mails.map(annotate).join(""),
};

const MARKS: Readonly<Record<Check["status"], string>> = { pass: "✓", warn: "!", fail: "✗", off: "–" };

function placeOf({ where }: Finding): string {
  if (where === null) return "";
  if ("line" in where) return `HTML ${where.line}:${where.column}`;
  return "header" in where ? where.header : where.part;
}

/** `error image-alt, HTML 3:7: An image has no alt text: “logo.png”.` */
function told(finding: Finding): string {
  const place = placeOf(finding);
  return `${finding.severity} ${finding.rule}${place && `, ${place}`}: ${finding.message}`;
}

const isNote = ({ severity }: Finding) => severity === "info";

/** Lists errors and warnings. There are many notes, so a check's line only counts them and says where they are. */
function reportText({ name, checks }: CheckedMail, failOn: FailOn): string {
  const mark = checks.some((check) => fails(check, failOn)) ? "✗" : "✓";
  const lines = checks.flatMap(({ name, status, summary, score, findings }) => [
    [
      `  ${MARKS[status]} ${name.padEnd("accessibility".length)}  ${summary}`,
      ...(score === null ? [] : [`score ${score}`]),
      ...(findings.some(isNote) ? ["notes: --format json"] : []),
    ].join("; "),
    ...findings
      .filter((finding) => !isNote(finding))
      .flatMap((finding) => [`      ${told(finding)}`, `        ${finding.help}`]),
  ]);
  return [`${mark} ${name}`, ...lines].map((line) => `${printable(line)}\n`).join("");
}

function junit(mails: readonly CheckedMail[], failOn: FailOn): string {
  const suite = ({ name, checks }: CheckedMail) => {
    const cases = checks.map((check) => testCase(check, failOn)).join("");
    return `  <testsuite name="${escapeXml(name)}" ${countsOf(checks, failOn)}>\n${cases}  </testsuite>\n`;
  };
  const all = countsOf(
    mails.flatMap(({ checks }) => checks),
    failOn,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${all}>\n${mails.map(suite).join("")}</testsuites>\n`;
}

function countsOf(checks: readonly Check[], failOn: FailOn): string {
  const failures = checks.filter((check) => fails(check, failOn)).length;
  const skipped = checks.filter(({ status }) => status === "off").length;
  return `tests="${checks.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
}

function testCase(check: Check, failOn: FailOn): string {
  const { name, status, summary, findings } = check;
  const text = escapeXml(findings.map((finding) => `${told(finding)} ${finding.help}`).join("\n"));
  const failure = `<failure message="${escapeXml(summary)}">${text}</failure>`;
  const outcome =
    status === "off" ? `<skipped message="${escapeXml(summary)}"/>` : `<system-out>${text}</system-out>`;
  return `    <testcase classname="mailkeep.check" name="${name}">${fails(check, failOn) ? failure : outcome}</testcase>\n`;
}

const COMMANDS: Readonly<Record<Finding["severity"], string>> = {
  error: "error",
  warning: "warning",
  info: "notice",
};

const escapeData = (text: string) =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string) => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** GitHub shows only a few annotations of a job, so we spend none on notes. */
function annotate({ name, file, checks }: CheckedMail): string {
  const lines = checks.flatMap((check) =>
    check.findings
      .filter((finding) => !isNote(finding))
      .map((finding) => {
        const title = escapeProperty(`${check.name}: ${finding.rule}`);
        const inFile = file === null ? "" : `file=${escapeProperty(file)},`;
        const place = placeOf(finding);
        const message = `${name}${place && `, ${place}`}: ${finding.message} ${finding.help}`;
        return `::${COMMANDS[finding.severity]} ${inFile}title=${title}::${escapeData(message)}\n`;
      }),
  );
  const all = checks.reduce((sum, { findings }) => sum + findings.length, 0);
  return `${lines.join("")}${printable(name)}: ${counted(all, "finding")}\n`;
}

export const checkCommand: Command = {
  name: "check",
  summary: "Check mails: HTML support, links, authentication, content, spam",
  usage: "[flags] [FILE…]",
  details: `  mailkeep check welcome.eml --clients gmail,outlook --fail-on warning
  mailkeep check --to ann@example.com --latest
  mailkeep check welcome.eml --only auth --dns-records zone.txt

A file is an .eml, an mbox, a zip or a folder of them; - is standard
input. Files in a folder or zip that are not mails are skipped.
Without a file it checks the mails of a running server. DNS, links and
spam filters are then those of the server's own settings; only
--dns-records replaces its DNS.

Exit code: 0 no check failed, 1 a check failed or there is no mail,
2 wrong usage, 3 the server does not answer or refuses the request.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const { failOn, format, latest } = settings;
    const isStored = positionals.length === 0;
    if (!isStored) refuseFilters(settings, context);
    if (!isStored && latest)
      throw new UsageError("--latest works only with a running server, not with files");
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
