// The settings of the checks: which DNS, hosts and spam filters they may ask.
import { readFileSync } from "node:fs";
import { type CheckSettings, DnsFileError, parseDnsRecords } from "../../checks/index.ts";
import { type ServeSettings, UsageError } from "../../config/index.ts";
import { systemReason } from "../../lib/system-error.ts";

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
