import { expect, test } from "bun:test";
import { near, nearest, shortName } from "../../src/lib/text.ts";

const KNOWN = ["smtp-port", "http-port", "bind", "data-dir", "ephemeral"];

test.each([
  ["smtpport", "smtp-port"],
  ["htpt-port", "http-port"],
  ["datadir", "data-dir"],
  ["BIND", "bind"],
])("%p most likely means %p", (word, meant) => {
  expect(nearest(word, KNOWN)).toBe(meant);
});

test.each([
  ["port", "smtp-port"],
  ["data", "data-dir"],
  ["dir", "data-dir"],
  ["http", "http-port"],
  ["ephem", "ephemeral"],
  ["e", "ephemeral"],
])("for %p, %p is suggested, not an unrelated short word", (word, meant) => {
  expect(nearest(word, ["bind", "help", ...KNOWN])).toBe(meant);
});

test("a part of an environment variable suggests that variable", () => {
  expect(nearest("MAILKEEP_PORT", ["MAILKEEP_URL", "MAILKEEP_SMTP_PORT"])).toBe("MAILKEEP_SMTP_PORT");
});

test("without known words nothing is near", () => {
  expect(nearest("word", [])).toBeNull();
});

test.each([
  ["smtp-prot", "smtp-port"],
  ["port", "smtp-port"],
  ["MAILKEEP_SMTP_PROT", null],
  ["zzz", null],
  ["color", null],
])("%p is near to %p", (word, meant) => {
  expect(near(word, KNOWN)).toBe(meant);
});

const CASES: [name: string, short: string][] = [
  ["a.pdf", "a.pdf"],
  ["0123456789.pdf", "012345.pdf"],
  ["0123456789.pdf ", "012345.pdf"],
  ["0123456789.tar.gz", "012.tar.gz"],
  ["0123456789 without one", "0123456789"],
  ["0123456789. no extension", "0123456789"],
  ["🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉", "🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉"],
  ["🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉.見積", "🎉🎉🎉🎉🎉🎉🎉.見積"],
];
test.each(CASES)("%s within 10 characters is %s", (name, short) => {
  expect(shortName(name, 10)).toBe(short);
});

test("a word of millions of characters, which a request may contain, is compared at once", () => {
  const begun = performance.now();
  expect(near("x".repeat(10_000_000), ["reply"])).toBeNull();
  expect(performance.now() - begun).toBeLessThan(2000);
});
