// The DNS of the authentication check: given records, or real DNS. Records are given as the JSON of the API, or as a zone
// file (RFC 1035, 5), in which types that no check needs are skipped.
import { Resolver } from "node:dns/promises";
import { Value } from "@sinclair/typebox/value";
import { DnsRecords } from "../model/index.ts";

export type DnsSource = DnsRecords | "real";
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>;

const REAL_TIMEOUT_MS = 2000;
/** A longer chain is treated as a loop. */
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

/** In the shape of the answers of `node:dns`. */
function asAnswer(type: string, found: readonly string[]): string[][] | string[] {
  if (type === "TXT") return found.map((text) => [text]);
  if (type !== "MX") return [...found];
  const hosts = found.map((text) => {
    const [, priority = "0", exchange = text] = /^\s*(\d+)\s+(\S+)/.exec(text) ?? [];
    return { priority: Number(priority), exchange };
  });
  return hosts as unknown as string[];
}

export class DnsFileError extends Error {}

export function parseDnsRecords(file: string): DnsRecords {
  const text = file.replace(/^\ufeff/, "");
  return /^\s*\{/.test(text) ? parseJson(text) : parseZone(text);
}

function parseJson(text: string): DnsRecords {
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch {
    throw new DnsFileError("it is not valid JSON");
  }
  const { dns, ...others } = Object(records);
  const [beside] = dns === undefined ? [] : Object.keys(others);
  if (beside !== undefined)
    throw new DnsFileError(`${beside} is outside of "dns"; put all records into "dns"`);
  const given = dns ?? records;
  if (Value.Check(DnsRecords, given)) return given;
  const path = Value.Errors(DnsRecords, given).First()?.path.slice(1).replaceAll("/", " ");
  throw new DnsFileError(`${path || "all of it"} must be like { "example.com": { "TXT": ["v=spf1 -all"] } }`);
}

/** Strings, comments, parentheses, words, and anything else. */
const TOKEN = /"((?:[^"\\]|\\.)*)"|;.*|[()]|((?:[^\s()";\\]|\\.)+)|\S/g;
const CLASS_OR_TTL = /^(?:IN|CH|HS|CS|\d+|(?:\d+[smhdw])+)$/i;
const SKIPPED_TYPES =
  /^(?:SOA|NS|SRV|CAA|TLSA|SSHFP|SVCB|HTTPS|DNAME|DS|DNSKEY|CDS|CDNSKEY|RRSIG|NSEC3?|NSEC3PARAM|NAPTR|HINFO|LOC|RP|URI|SPF|OPENPGPKEY|SMIMEA|TYPE\d+)$/i;
const TYPES = ["TXT", "A", "AAAA", "MX", "CNAME", "PTR"] as const;
type RecordType = (typeof TYPES)[number];

/** An entry in parentheses may span lines. */
function* entries(zone: string): Generator<{ line: number; isIndented: boolean; words: string[] }> {
  let depth = 0;
  let entry = { line: 0, isIndented: false, words: [] as string[] };
  for (const [index, line] of zone.split("\n").entries()) {
    if (depth === 0) entry = { line: index + 1, isIndented: /^\s/.test(line), words: [] };
    for (const { 0: token, 1: string, 2: word = string } of line.matchAll(TOKEN)) {
      if (word !== undefined) entry.words.push(unescaped(word));
      else if (token === "(") depth++;
      else if (token === ")") depth--;
      else if (!token.startsWith(";"))
        throw new DnsFileError(`line ${index + 1}: a text begins with ${token} and does not end`);
    }
    if (depth < 0) throw new DnsFileError(`line ${index + 1}: a closing parenthesis has no opening one`);
    if (depth === 0 && entry.words.length > 0) yield entry;
  }
  if (depth > 0) throw new DnsFileError(`line ${entry.line}: an opening parenthesis has no closing one`);
}

/** Both `\;` and `\059` are a semicolon. */
const unescaped = (text: string) =>
  text.replace(/\\(\d{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number(code)) : code,
  );

function parseZone(zone: string): DnsRecords {
  const records: Record<string, Partial<Record<RecordType, string[]>>> = {};
  let [origin, owner] = ["", ""];
  const absolute = (name: string) => {
    if (name === "@") return origin;
    return name.endsWith(".") || origin === "" ? name.replace(/\.$/, "") : `${name}.${origin}`;
  };
  for (const { line, isIndented, words } of entries(zone)) {
    const [first = "", second = ""] = words;
    if (first.toUpperCase() === "$ORIGIN") origin = absolute(second);
    if (/^\$(?:ORIGIN|TTL)$/i.test(first)) continue;
    if (first.startsWith("$")) throw new DnsFileError(`line ${line}: ${first} is not supported`);
    const at = words.findIndex((word, place) => (place > 0 || isIndented) && !CLASS_OR_TTL.test(word));
    const type = (words[at]?.toUpperCase() ?? "") as RecordType;
    if (!isIndented) owner = absolute(first);
    if (SKIPPED_TYPES.test(type)) continue;
    if (!TYPES.includes(type))
      throw new DnsFileError(`line ${line}: ${type || owner} is not a type of record`);
    const data = words.slice(at + 1);
    if (data.length === 0 || owner === "") throw new DnsFileError(`line ${line}: the record is incomplete`);
    const node = records[owner] ?? {};
    records[owner] = node;
    node[type] = [...(node[type] ?? []), dataOf(type, data, absolute)];
  }
  if (Object.keys(records).length === 0) throw new DnsFileError("the file has no records");
  return records;
}

function dataOf(type: RecordType, data: readonly string[], absolute: (name: string) => string): string {
  if (type === "TXT") return data.join("");
  if (type === "A" || type === "AAAA") return data[0] ?? "";
  return [...data.slice(0, -1), absolute(data.at(-1) ?? "")].join(" ");
}
