// Recipients as they are typed into the form that forwards a mail.
import { expect, test } from "bun:test";
import { readAddresses } from "../../src/web/dialogs/addresses.ts";
import { cpuMs } from "../support/cpu-time.ts";

test.each([
  ["", []],
  [" , ; ", []],
  ["a@x.org", ["a@x.org"]],
  ["a@x.org, b@x.org;c@x.org\td@x.org", ["a@x.org", "b@x.org", "c@x.org", "d@x.org"]],
  ['"Lee, Ann"@x.org, b@x.org', ['"Lee, Ann"@x.org', "b@x.org"]],
  ['"a\\"; b"@x.org b@x.org', ['"a\\"; b"@x.org', "b@x.org"]],
  ["Ann Lee <a@x.org>", ["a@x.org"]],
  ['"Lee, Ann" <a@x.org>, <b@x.org>; c@x.org\nDee <d@x.org>\n', ["a@x.org", "b@x.org", "c@x.org", "d@x.org"]],
  ['"a@x.org" <a@x.org>', ["a@x.org"]],
  ["Lee, Ann <a@x.org>\nShop, Inc. <b@x.org>", ["a@x.org", "b@x.org"]],
  ["c@x.org, Lee, Ann <a@x.org>", ["c@x.org", "a@x.org"]],
  ["a@x.org <A@x.org>\nb@x.org <b@x.org>, c@x.org", ["A@x.org", "b@x.org", "c@x.org"]],
  ["Ann <a@x.org> Bob <b@x.org> c@x.org", ["a@x.org", "b@x.org", "c@x.org"]],
  // Nobody is left out: the server says what is wrong with it.
  ["b@x.org Ann <a@x.org>", ["b@x.org", "Ann", "<a@x.org>"]],
])("%s", (typed, addresses) => {
  expect(readAddresses(typed)).toEqual(addresses);
});

test("many words without an address hung the page: behind each comma the rest was gone through anew", () => {
  const started = cpuMs();
  expect(readAddresses("a,".repeat(10_000))).toHaveLength(10_000);
  expect(readAddresses("\n".repeat(20_000))).toEqual([]);
  expect(cpuMs() - started).toBeLessThan(2_000);
});
