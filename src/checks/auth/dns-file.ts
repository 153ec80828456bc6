// DNS records from a file: JSON as the API takes it, or a zone file (RFC 1035, 5) of TXT, A, AAAA, MX, CNAME and PTR
// records. Other types are passed over.
import { Value } from "@sinclair/typebox/value";
import { DnsRecords } from "../../model/index.ts";

export class DnsFileError extends Error {}

export function parseDnsRecords(text: string): DnsRecords {
  return /^\s*\{/.test(text) ? parseJson(text) : parseZone(text);
}

function parseJson(text: string): DnsRecords {
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch {
    throw new DnsFileError("it is not valid JSON");
  }
  const given = Object(records).dns ?? records;
  if (Value.Check(DnsRecords, given)) return given;
  const path = Value.Errors(DnsRecords, given).First()?.path.slice(1).replaceAll("/", " ");
  throw new DnsFileError(`${path || "all of it"} must be like { "example.com": { "TXT": ["v=spf1 -all"] } }`);
}

/** Strings, comments, parentheses and words. */
const TOKEN = /"((?:[^"\\]|\\.)*)"|;.*|[()]|[^\s()";]+/g;
const TYPES = ["TXT", "A", "AAAA", "MX", "CNAME", "PTR"] as const;
type RecordType = (typeof TYPES)[number];

interface Word {
  readonly text: string;
  readonly isString: boolean;
}

/** The words of each entry; parentheses continue it over lines. */
function* entries(zone: string): Generator<{ line: number; isIndented: boolean; words: Word[] }> {
  let depth = 0;
  let entry = { line: 0, isIndented: false, words: [] as Word[] };
  for (const [index, line] of zone.split("\n").entries()) {
    if (depth === 0) entry = { line: index + 1, isIndented: /^\s/.test(line), words: [] };
    for (const { 0: token, 1: string } of line.matchAll(TOKEN)) {
      if (string !== undefined) entry.words.push({ text: string.replace(/\\(.)/g, "$1"), isString: true });
      else if (token === "(") depth++;
      else if (token === ")") depth--;
      else if (!token.startsWith(";")) entry.words.push({ text: token, isString: false });
    }
    if (depth === 0 && entry.words.length > 0) yield entry;
  }
  if (depth > 0) throw new DnsFileError(`line ${entry.line}: a parenthesis is not closed`);
}

function parseZone(zone: string): DnsRecords {
  const records: Record<string, Partial<Record<RecordType, string[]>>> = {};
  let [origin, owner] = ["", ""];
  const absolute = (name: string) => {
    if (name === "@") return origin;
    return name.endsWith(".") || origin === "" ? name.replace(/\.$/, "") : `${name}.${origin}`;
  };
  for (const { line, isIndented, words } of entries(zone)) {
    const [first] = words;
    if (first?.text.toUpperCase() === "$ORIGIN") origin = (words[1]?.text ?? "").replace(/\.$/, "");
    if (first?.text.startsWith("$")) continue;
    const at = words.findIndex(
      ({ text, isString }, place) => !isString && (place > 0 || isIndented) && isType(text),
    );
    if (!isIndented) owner = absolute(first?.text ?? "");
    // Another type, such as SOA, is behind a class or a time to live at most.
    if (at < 0 || at > 3) continue;
    const type = words[at]?.text.toUpperCase() as RecordType;
    const data = words.slice(at + 1).map(({ text }) => text);
    if (data.length === 0 || owner === "") throw new DnsFileError(`line ${line}: the record is incomplete`);
    const node = records[owner] ?? {};
    records[owner] = node;
    node[type] = [...(node[type] ?? []), dataOf(type, data, absolute)];
  }
  if (Object.keys(records).length === 0) throw new DnsFileError("the file has no records");
  return records;
}

const isType = (word: string) => TYPES.some((type) => type === word.toUpperCase());

function dataOf(type: RecordType, data: readonly string[], absolute: (name: string) => string): string {
  if (type === "TXT") return data.join("");
  if (type === "A" || type === "AAAA") return data[0] ?? "";
  return [...data.slice(0, -1), absolute(data.at(-1) ?? "")].join(" ");
}
