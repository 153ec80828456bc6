import { expect, test } from "bun:test";
import { foldCase } from "../../src/query/fold.ts";

test.each([
  ["STRASSE", "Straße"],
  ["strasse", "STRAẞE"],
  ["istanbul", "İstanbul"],
  ["ISTANBUL", "ıstanbul"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["ÉTÉ", "e\u0301te\u0301"],
  ["ﬁle", "FILE"],
])("%s and %s, which a filter took for different words, are the same", (left, right) => {
  expect(foldCase(left)).toBe(foldCase(right));
});

test("ASCII text is folded as SQLite's lower() does it", () => {
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  const upper = /[A-Z]/g;
  expect(foldCase(ascii)).toBe(
    ascii.replace(upper, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32)),
  );
});

test.each(["ä", "e", "o", "ö"])("%s stays as it is", (letter) => {
  expect(foldCase(letter)).toBe(letter);
});
