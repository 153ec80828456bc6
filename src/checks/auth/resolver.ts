// The DNS of the authentication check: given records and nothing else, or real DNS.
import { Resolver } from "node:dns/promises";
import type { DnsRecords } from "../../model/index.ts";

export type DnsSource = DnsRecords | "real";
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>;

const REAL_TIMEOUT_MS = 2000;
/** RFC 1034 sets no limit. A longer chain is treated as a loop. */
const MAX_ALIASES = 8;

export function resolverFor(source: DnsSource): Resolve {
  if (source !== "real") return givenRecords(source);
  const resolver = new Resolver({ timeout: REAL_TIMEOUT_MS, tries: 2 });
  return async (name, type) => (await resolver.resolve(name, type)) as string[][] | string[];
}

const missing = (code: "ENOTFOUND" | "ENODATA", type: string, name: string) =>
  Object.assign(new Error(`${type} of ${name}: ${code}`), { code });

const keyOf = (name: string) => name.toLowerCase().replace(/\.$/, "");

function givenRecords(records: DnsRecords): Resolve {
  const nodes = new Map(Object.entries(records).map(([name, node]) => [keyOf(name), node]));
  return async (name, type) => {
    let at = keyOf(name);
    for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
      const node = nodes.get(at);
      if (!node) throw missing("ENOTFOUND", type, name);
      const found = node[type as keyof typeof node];
      if (found && found.length > 0) return asAnswer(type, found);
      const [alias] = node.CNAME ?? [];
      if (alias === undefined) throw missing("ENODATA", type, name);
      at = keyOf(alias);
    }
    throw missing("ENOTFOUND", type, name);
  };
}

/** As `node:dns` answers. */
function asAnswer(type: string, found: readonly string[]): string[][] | string[] {
  if (type === "TXT") return found.map((text) => [text]);
  if (type !== "MX") return [...found];
  const hosts = found.map((text) => {
    const [, priority = "0", exchange = text] = /^\s*(\d+)\s+(\S+)/.exec(text) ?? [];
    return { priority: Number(priority), exchange };
  });
  return hosts as unknown as string[];
}
