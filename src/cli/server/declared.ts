// What the settings declare: inboxes, faults on purpose, and what the checks may ask.
import { readFileSync } from "node:fs";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { FaultRuleError, Faults } from "../../app/index.ts";
import { type CheckSettings, DnsFileError, parseDnsRecords } from "../../checks/index.ts";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { nearest } from "../../lib/nearest.ts";
import { systemReason } from "../../lib/system-error.ts";
import { type DeclaredInbox, DeclaredInboxes, FaultRuleList } from "../../model/index.ts";

export function declaredInboxes({ inbox }: Pick<ServeSettings, "inbox">): DeclaredInbox[] {
  // A variable has an array of them.
  const given: unknown = inbox.flat();
  const error = Value.Errors(DeclaredInboxes, given).First();
  if (error) throw wrong("--inbox: inbox", error.path.slice(1), reasonOf(error));
  const declared = given as DeclaredInboxes;
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new UsageError(`--inbox: ${twice} is declared twice`);
  return declared;
}

export function declaredFaults(
  { fault, faultAddresses }: Pick<ServeSettings, "fault" | "faultAddresses">,
  now: () => Date,
): Faults {
  // A variable has an array of them.
  const given: unknown = { rules: fault.flat() };
  const error = Value.Errors(FaultRuleList, given).First();
  if (error) throw wrongFault(error.path.slice(1), reasonOf(error));
  try {
    return new Faults({ now, rules: (given as FaultRuleList).rules, addresses: faultAddresses });
  } catch (error) {
    if (error instanceof FaultRuleError) throw wrongFault(error.field, error.reason);
    throw error;
  }
}

function reasonOf({ type, schema, path, message }: ValueError): string {
  if (type !== ValueErrorType.ObjectAdditionalProperties) return schema.description ?? message;
  const word = path.slice(path.lastIndexOf("/") + 1);
  return `is not known; did you mean ${nearest(word, Object.keys(schema.properties))}?`;
}

const wrongFault = (field: string, reason: string) =>
  wrong("--fault: rule", field.replace(/^rules[./]?/, ""), reason);

/** `field` begins with an index: `0/match/user`. */
function wrong(what: string, field: string, reason: string): UsageError {
  const [index, ...names] = field.split(/[./]/);
  const name = names.length > 0 ? `${names.join(".")}: ` : "";
  return new UsageError(`${what} ${(Number(index) || 0) + 1}: ${name}${reason}`);
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
