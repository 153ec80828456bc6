// A fuzzer of Authentication-Results: headers are made from known results, with comments, quoted strings and folds,
// and reading must return exactly those results. Damaged headers must not throw.
import { readAuth } from "../../../src/mime/header/auth-results.ts";
import type { AuthResults } from "../../../src/model/index.ts";
import { Random } from "../../support/random.ts";

const METHODS = ["dkim", "spf", "dmarc", "arc", "iprev", "auth", "x-own", "constructor"] as const;
const STATUSES = ["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror", "policy"] as const;
const COMMENTS = [
  "(ok)",
  "(a; dkim=fail)",
  "(a (nested; spf=pass) b)",
  '(a " b; dmarc=pass)',
  "(\\) ; arc=none)",
  "()",
];
const PROPERTIES = [
  "header.i=@example.com",
  "smtp.mailfrom=a@b.example",
  'reason="a; spf=fail"',
  'reason="q \\" ; dkim=fail"',
  'policy.x="(;"',
];
const isListed = (method: string): method is keyof AuthResults =>
  ["dkim", "spf", "dmarc", "arc"].includes(method);

const inAnyCase = (random: Random, word: string) =>
  [...word].map((char) => (random.chance(0.3) ? char.toUpperCase() : char)).join("");

function someResult(random: Random): { method: string; status: string; text: string } {
  const [method, status] = [random.pick(METHODS), random.pick(STATUSES)];
  const version = random.chance(0.1) ? random.pick(["/1", " / 2"]) : "";
  const equals = random.pick(["=", " = ", "= "]);
  const words = [`${inAnyCase(random, method)}${version}${equals}${inAnyCase(random, status)}`];
  for (let extra = random.below(4); extra > 0; extra--)
    words.push(random.pick(random.chance(0.5) ? COMMENTS : PROPERTIES));
  return { method, status, text: words.join(" ") };
}

const folded = (random: Random, text: string) =>
  text.replaceAll(" ", () => (random.chance(0.2) ? random.pick(["\r\n ", "\r\n\t"]) : " "));

export function fuzzAuthResultsOnce(seed: number): void {
  const random = new Random(seed);
  const expected: Record<keyof AuthResults, string[]> = { dkim: [], spf: [], dmarc: [], arc: [] };
  const lines: string[] = [];
  for (let headers = 1 + random.below(3); headers > 0; headers--) {
    const isArc = random.chance(0.2);
    const results = Array.from({ length: random.below(5) }, () => someResult(random));
    for (const { method, status } of results) {
      if (isArc) expected.arc.push(status);
      else if (isListed(method)) expected[method].push(status);
    }
    const server = random.pick(["mx.example", "mx.example 1", "mx.example (c; spf=fail) 1"]);
    const value = [server, ...results.map(({ text }) => text)].join("; ");
    lines.push(`${isArc ? "ARC-" : ""}Authentication-Results: ${folded(random, value)}`);
  }
  const header = Buffer.from(lines.join("\r\n"));
  const found = readAuth(header.toString("latin1")).results;
  for (const list of ["dkim", "spf", "dmarc", "arc"] as const) {
    const statuses = found[list].map(({ status }) => status);
    if (!Bun.deepEquals(statuses, expected[list]))
      throw new Error(
        `seed ${seed}: ${list} is ${statuses}, not ${expected[list]}, in ${JSON.stringify(lines)}`,
      );
  }
  checkDamaged(random, header, seed);
}

function checkDamaged(random: Random, header: Buffer, seed: number): void {
  const damaged = Buffer.from(header);
  for (let times = 1 + random.below(5); times > 0; times--)
    damaged[random.below(damaged.length)] = random.pick([
      0,
      10,
      13,
      34,
      40,
      41,
      59,
      61,
      92,
      random.below(256),
    ]);
  for (const results of Object.values(readAuth(damaged.toString("latin1")).results)) {
    for (const { status, details } of results) {
      if (!/^[a-z][a-z0-9_-]*$/.test(status) || typeof details !== "string")
        throw new Error(`seed ${seed}: ${JSON.stringify(status)} is not a status`);
    }
  }
}
