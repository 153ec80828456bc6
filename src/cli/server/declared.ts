// Reads the declarations in the settings: inboxes, fault rules, and what checks may contact.
import { readFileSync } from "node:fs";
import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { Faults, FieldError } from "../../app/index.ts";
import { type CheckSettings, DnsFileError, parseDnsRecords } from "../../checks/index.ts";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { fieldReason } from "../../http/index.ts";
import { systemReason } from "../../lib/system-error.ts";
import { type DeclaredInbox, DeclaredInboxes, FaultRuleList } from "../../model/index.ts";

export function declaredInboxes({ inbox }: Pick<ServeSettings, "inbox">): DeclaredInbox[] {
  const given: unknown = inbox.map(({ value }) => value);
  const problem = problemWith(DeclaredInboxes, given);
  if (problem) throw wrong(inbox, problem.field, problem.reason);
  const declared = given as DeclaredInboxes;
  const names = declared.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice !== -1) throw new UsageError(`${inbox[twice]?.origin}: ${names[twice]} is declared twice`);
  return declared;
}

export function declaredFaults(
  { fault, faultAddresses }: Pick<ServeSettings, "fault" | "faultAddresses">,
  now: () => Date,
): Faults {
  const given: unknown = { rules: fault.map(({ value }) => value) };
  const wrongFault = (field: string, reason: string) =>
    wrong(fault, field.replace(/^rules[./]?/, ""), reason);
  const problem = problemWith(FaultRuleList, given);
  if (problem) throw wrongFault(problem.field, problem.reason);
  try {
    return new Faults({ now, rules: (given as FaultRuleList).rules, addresses: faultAddresses });
  } catch (error) {
    if (error instanceof FieldError) throw wrongFault(error.field, error.reason);
    throw error;
  }
}

const isUnknownKey = ({ type }: ValueError) => type === ValueErrorType.ObjectAdditionalProperties;

/** An unknown key is reported first: it may be the misspelt name of a missing key. */
function problemWith(schema: TSchema, given: unknown): { field: string; reason: string } | null {
  const errors = [...Value.Errors(schema, given)];
  const error = errors.find(isUnknownKey) ?? errors[0];
  return error === undefined ? null : { field: error.path.slice(1), reason: fieldReason(error) };
}

/** `field` begins with an index: `0/match/user`. The UsageError counts from 1 in each source. */
function wrong(given: ServeSettings["fault"], field: string, reason: string): UsageError {
  const [index, ...names] = field.split(/[./]/);
  const before = given.slice(0, (Number(index) || 0) + 1);
  const origin = before.at(-1)?.origin;
  const number = before.filter((one) => one.origin === origin).length;
  const name = names.length > 0 ? `${names.join(".")} ` : "";
  return new UsageError(`${origin} ${number}: ${name}${reason}`);
}

type Given = Pick<ServeSettings, "checkDns" | "dnsRecords" | "checkLinksAllow" | "spamassassin" | "rspamd">;

export const settingsOfChecks = (given: Given): CheckSettings => ({
  dns: given.checkDns ? "real" : given.dnsRecords === undefined ? null : recordsOf(given.dnsRecords),
  linksAllow: given.checkLinksAllow,
  engines: { spamassassin: given.spamassassin, rspamd: given.rspamd },
});

function recordsOf(path: string): CheckSettings["dns"] {
  try {
    return parseDnsRecords(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof DnsFileError ? error.message : systemReason(error);
    throw new UsageError(`cannot read the DNS records ${path}: ${reason}`);
  }
}
