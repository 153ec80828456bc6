import { expect, test } from "bun:test";
import { shortName } from "../../src/lib/short-name.ts";

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
