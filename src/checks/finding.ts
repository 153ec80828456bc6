// The answer of a check: its findings, and the status and score that follow from them.
import { counted } from "../lib/text.ts";
import { wholeChars } from "../mime/index.ts";
import type { Check, CheckFinding, CheckName } from "../model/index.ts";

type Severity = CheckFinding["severity"];
export type Where = CheckFinding["where"];

/** A check's rules by severity, each with what to do about it. */
type Rules = Readonly<Partial<Record<Severity, Readonly<Record<string, string>>>>>;
export type RuleOf<Book extends Rules> = { [S in keyof Book]: keyof Book[S] }[keyof Book] & string;

/** A mail with a million links would make an answer of gigabytes. */
const MAX_PER_RULE = 50;
const MAX_QUOTED_CHARS = 120;
const SEVERITIES = ["error", "warning", "info"] as const;
const POINTS: Readonly<Record<Severity, number>> = { error: 25, warning: 10, info: 0 };

export class Findings<Book extends Rules> {
  readonly #rules: Book;
  readonly #counts = new Map<string, number>();
  readonly list: CheckFinding[] = [];

  constructor(rules: Book) {
    this.#rules = rules;
  }

  add(rule: RuleOf<Book>, message: string, where: Where = null): void {
    const count = (this.#counts.get(rule) ?? 0) + 1;
    this.#counts.set(rule, count);
    if (count > MAX_PER_RULE) return;
    const severity = SEVERITIES.find((one) => this.#rules[one]?.[rule] !== undefined) ?? "info";
    this.list.push({ rule, severity, message, help: this.#rules[severity]?.[rule] ?? "", where });
  }
}

export const off = (name: CheckName, summary: string): Check => ({
  name,
  status: "off",
  score: null,
  summary,
  findings: [],
});

export function concluded(
  name: CheckName,
  findings: readonly CheckFinding[],
  { said = "", score }: { readonly said?: string; readonly score?: number | null } = {},
): Check {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings, notes] = [count("error"), count("warning"), count("info")];
  const counts = [
    errors > 0 && counted(errors, "error"),
    warnings > 0 && counted(warnings, "warning"),
    notes > 0 && counted(notes, "note"),
  ].filter((part) => part !== false);
  const points = findings.reduce((sum, { severity }) => sum + POINTS[severity], 0);
  return {
    name,
    status: errors > 0 ? "fail" : warnings > 0 ? "warn" : "pass",
    score: score === undefined ? Math.max(0, 100 - points) : score,
    summary: [said, counts.join(", ") || `${said ? "n" : "N"}othing to complain about`]
      .filter(Boolean)
      .join(": "),
    findings: [...findings],
  };
}

/** Text of the mail in quotation marks: shortened, on one line, without control characters. */
export function quoted(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > MAX_QUOTED_CHARS ? `“${wholeChars(line.slice(0, MAX_QUOTED_CHARS))}…”` : `“${line}”`;
}
