// What checks found, as text for people, JSON for programs, JUnit for CI servers, commands for GitHub's runner.
import type { Check } from "../../client/index.ts";
import { counted } from "../../lib/text.ts";
import { printable } from "../command/terminal.ts";
import { escapeXml } from "./verdict.ts";

export interface CheckedMail {
  /** The file, or subject and addresses. */
  readonly name: string;
  /** Null for a mail of a server. */
  readonly file: string | null;
  readonly id: string | null;
  readonly checks: readonly Check[];
}

export type FailOn = "error" | "warning" | "never";
type Finding = Check["findings"][number];

const FAILING: Readonly<Record<FailOn, readonly Finding["severity"][]>> = {
  error: ["error"],
  warning: ["error", "warning"],
  never: [],
};

export const fails = ({ findings }: Check, failOn: FailOn): boolean =>
  findings.some(({ severity }) => FAILING[failOn].includes(severity));

export const REPORTS: Readonly<
  Record<"text" | "json" | "junit" | "github", (mails: readonly CheckedMail[], failOn: FailOn) => string>
> = {
  text: (mails, failOn) => mails.map((mail) => describeMail(mail, failOn)).join("\n"),
  json: (mails, failOn) => {
    const isOk = !mails.some(({ checks }) => checks.some((check) => fails(check, failOn)));
    return `${JSON.stringify({ ok: isOk, mails })}\n`;
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

/** `error missing-alt, HTML 3:7: The image has no alternative text.` */
function told(finding: Finding): string {
  const place = placeOf(finding);
  return `${finding.severity} ${finding.rule}${place && `, ${place}`}: ${finding.message}`;
}

/** Every mail has some. */
const isNote = ({ severity }: Finding) => severity === "info";

/** Notes are only counted. */
function describeMail({ name, checks }: CheckedMail, failOn: FailOn): string {
  const mark = checks.some((check) => fails(check, failOn)) ? "✗" : "✓";
  const lines = checks.flatMap((check) => [
    `  ${MARKS[check.status]} ${check.name.padEnd("accessibility".length)}  ${check.summary}${check.score === null ? "" : `; score ${check.score}`}`,
    ...check.findings
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

/** GitHub shows at most ten errors and warnings of a step. Notes would use these up. */
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
