// Which SMTP commands a fault rule hits, and which rules are refused.
import { expect, test } from "bun:test";
import { Faults } from "../../src/app/index.ts";
import type { FaultRule } from "../../src/model/index.ts";

const reply = { code: 450 };
const RULE: FaultRule = { name: "rule", at: "rcpt", reply };

interface Try {
  readonly client?: string;
  readonly sender?: string;
  readonly to?: string;
}

function start(rules: readonly FaultRule[]) {
  const clock = { ms: 1_000_000 };
  const faults = new Faults({ now: () => new Date(clock.ms), rules });
  const isHit = ({ client = "10.0.0.1", sender = "a@x.example", to = "b@y.example" }: Try = {}) =>
    faults.at("rcpt", { client, sender, recipients: [to], header: null }) !== null;
  const hits = (tries: number) => Array.from({ length: tries }, () => (isHit() ? "x" : ".")).join("");
  return { clock, faults, isHit, hits };
}

test("an exchange that fails changes nothing", () => {
  const { faults } = start([RULE, { ...RULE, name: "other" }]);
  const before = faults.list();
  const names = ["new", "other"];
  const added = names.map((name) => ({ ...RULE, name }));
  expect(() => faults.exchange(["rule"], added)).toThrow("is used");
  expect(faults.list()).toEqual(before);
});

const CHOICES: [Partial<FaultRule>, string][] = [
  [{}, "xxxxxxxxxx"],
  [{ first: 3 }, "xxx......."],
  [{ after: 3 }, "...xxxxxxx"],
  [{ every: 3 }, "..x..x..x."],
  [{ after: 2, first: 5 }, "..xxx....."],
  [{ every: 2, times: 2 }, ".x.x......"],
  [{ probability: 0 }, ".........."],
  [{ probability: 1 }, "xxxxxxxxxx"],
];
test.each(CHOICES)("%j hits %s", (choice, expected) => {
  expect(start([{ ...RULE, ...choice }]).hits(10)).toBe(expected);
});

test("a seed always hits the same mails, as many as the probability says, and another seed hits others", () => {
  const series = (seed: number) => start([{ ...RULE, probability: 0.3, seed }]).hits(1000);
  expect(series(7)).toBe(series(7));
  expect(series(7)).not.toBe(series(8));
  const count = series(7).replaceAll(".", "").length;
  expect(count).toBeGreaterThan(250);
  expect(count).toBeLessThan(350);
});

const CONDITIONS: [Partial<FaultRule>, Try, boolean][] = [
  [{ to: "Ann@Example.com" }, { to: "ann@example.com" }, true],
  [{ to: "ann@example.com" }, { to: "joann@example.com" }, false],
  [{ to: "*@example.com" }, { to: "ann@example.com" }, true],
  [{ to: "a.n@example.com" }, { to: "ann@example.com" }, false],
  [{ from: "" }, { sender: "" }, true],
  [{ from: "" }, {}, false],
  [{ client: "10.0.*" }, {}, true],
  [{ client: "10.1.*" }, {}, false],
  [{ from: "a@x.example", to: "other@y.example" }, {}, false],
];
test.each(CONDITIONS)("%j with %j: %p", (conditions, tried, expected) => {
  expect(start([{ ...RULE, ...conditions }]).isHit(tried)).toBe(expected);
});

test("a rule that has expired does nothing, and its count can still be read", () => {
  const { clock, faults, isHit } = start([{ ...RULE, expires: "2s" }]);
  expect(faults.list()).toEqual([
    { ...RULE, expires: "2s", expires_at: "1970-01-01T00:16:42.000Z", hits: 0 },
  ]);
  clock.ms += 1999;
  expect(isHit()).toBe(true);
  clock.ms += 1;
  expect(isHit()).toBe(false);
  expect(faults.list()).toMatchObject([{ name: RULE.name, hits: 1 }]);
  expect(faults.isEmpty).toBe(true);
  expect(faults.add(RULE).hits).toBe(0);
  expect(faults.list()).toEqual([{ ...RULE, hits: 0 }]);
});

test("a rate limit refuses further mails until the minute is over", () => {
  const { clock, faults, hits } = start([{ name: "rate", at: "rcpt", rate_limit: 3 }]);
  expect(hits(5)).toBe("...xx");
  clock.ms += 60_000;
  expect(hits(4)).toBe("...x");
  const context = { client: "c", sender: "", recipients: [], header: null };
  expect(faults.at("rcpt", context)?.reply?.code).toBe(421);
});

test("greylisting goes by client, sender and recipient", () => {
  const { isHit } = start([{ name: "grey", at: "rcpt", greylist: true }]);
  expect([isHit(), isHit()]).toEqual([true, false]);
  expect([isHit({ client: "10.0.0.2" }), isHit({ sender: "" }), isHit({ to: "c@y.example" })]).toEqual([
    true,
    true,
    true,
  ]);
});

test("if two rules match, only the first is carried out and counted", () => {
  const { faults, isHit } = start([
    { ...RULE, times: 1 },
    { ...RULE, name: "second" },
  ]);
  expect([isHit(), isHit()]).toEqual([true, true]);
  expect(faults.list().map(({ name, hits }) => [name, hits])).toEqual([
    ["rule", 1],
    ["second", 1],
  ]);
});

const SENSELESS: [string, Partial<FaultRule>, string][] = [
  ["no action", { reply: undefined as never }, "reply is missing"],
  ["a drop that is none", { reply: undefined as never, drop: false }, "reply is missing"],
  [
    "a recipient before RCPT",
    { at: "mail", to: "a@b.example" },
    "to cannot be used at mail: it is known only from rcpt on",
  ],
  ["a sender before MAIL", { at: "connect", from: "a@b.example" }, "from cannot be used at connect"],
  [
    "a header before the end",
    { header: "X-A" },
    "header cannot be used at rcpt: it is known only from end on",
  ],
  ["a sender with a name", { from: "Ann <ann@x.test>" }, "from must be an address alone"],
  ["an empty recipient", { to: "" }, "to is empty, so nothing would match"],
  ["an empty header", { at: "end", header: "" }, "header must begin with a field name"],
  [
    "a header whose name has a blank",
    { at: "end", header: "X Test: a" },
    "header must begin with a field name",
  ],
  ["a network as client", { client: "10.0.0.0/8" }, "client must be an IP address, as in 10.0.*"],
  ["the first two after the third", { first: 2, after: 3 }, "after must be below first"],
  ["no time to live", { expires: "0s" }, "expires must be longer than 0"],
  ["a seed alone", { seed: 1 }, "seed needs probability"],
  ["codes of two classes", { reply: { code: 450, enhanced: "5.1.1" } }, "reply.enhanced must begin with"],
  ["a delay of hours", { delay: "2h" }, "delay must be at most 10m"],
  ["a life of two thousand years", { expires: "730500d" }, "expires is too long"],
  ["a throttle of nothing", { throttle: "0" }, "throttle must be at least 1 byte a second"],
];
test.each(SENSELESS)("%s is refused", (_, fields, message) => {
  const { faults } = start([RULE]);
  expect(() => faults.add({ ...RULE, name: "other", ...fields })).toThrow(message);
  expect(() => faults.replace([RULE, { ...RULE, name: "other", ...fields }])).toThrow(`rules.1.${message}`);
  expect(faults.list()).toEqual([{ ...RULE, hits: 0 }]);
});

test("two rules cannot have the same name", () => {
  const { faults } = start([RULE]);
  expect(() => faults.add(RULE)).toThrow("name is used by another rule");
  expect(() => faults.replace([RULE, RULE])).toThrow("rules.1.name is used by another rule");
  expect([faults.remove("rule"), faults.remove("rule")]).toEqual([true, false]);
  expect(faults.add(RULE)).toEqual({ ...RULE, hits: 0 });
});
