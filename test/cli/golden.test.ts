// `mailkeep diff`: which mails of two sets belong together.
import { expect, test } from "bun:test";
import { compare, countsOf } from "../../src/cli/remote/golden.ts";

const mail = (subject: string, ...lines: string[]) =>
  `Subject: ${subject}\n\n--- text ---\n${lines.join("\n")}\n`;
const told = (expected: string[], actual: string[]) =>
  compare(expected, actual).map(({ status, subject, place }) => `${status} ${subject} ${place}`);

test("the same mails in another order are the same", () => {
  const [a, b, c] = [mail("A", "1"), mail("A", "2"), mail("B", "3")];
  expect(told([a, b, c], [c, b, a])).toEqual(["same A 2", "same A 1", "same B 0"]);
});

test("a mail with the same subject and another text has changed", () => {
  const [one] = compare([mail("A", "Hello", "Ann")], [mail("A", "Hello", "Bob")]);
  expect(one).toMatchObject({ status: "changed", lines: [" --- text ---", " Hello", "-Ann", "+Bob"] });
});

test("a mail with another subject and the same text has changed", () => {
  expect(told([mail("A", "1", "2", "3")], [mail("New", "x"), mail("A!", "1", "2", "3")])).toEqual([
    "changed A! 1",
    "new New 0",
  ]);
});

test("a missing mail is not paired with a mail that is more similar to another", () => {
  const [ann, bob] = [mail("Order", "Hello", "Ann", "1"), mail("Order", "Hello", "Bob", "2", "shoes")];
  const now = mail("Order", "Hello", "Bob", "2", "boots");
  expect(told([ann, bob], [now])).toEqual(["gone Order null", "changed Order 0"]);
});

test("mails without anything in common are reported as missing and new", () => {
  const compared = compare([mail("A", "1", "2", "3", "4", "5")], [mail("B", "6", "7", "8", "9", "10")]);
  expect(countsOf(compared)).toBe("1 new, 1 gone");
});
