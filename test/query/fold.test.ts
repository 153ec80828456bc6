import { expect, test } from "bun:test";
import { foldCase, foldWords } from "../../src/query/fold.ts";

test.each([
  ["STRASSE", "Straße"],
  ["strasse", "STRAẞE"],
  ["istanbul", "İstanbul"],
  ["ISTANBUL", "ıstanbul"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["ÉTÉ", "e\u0301te\u0301"],
  ["ﬁle", "FILE"],
])("%s and %s are the same word", (left, right) => {
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

test.each([
  ["iPhone15の使い方", "iphone15 の 使 い 方"],
  ["ｶﾞｲﾄﾞabc", "ガ イ ド abc"],
  ["𠮷野家 ok", "𠮷 野 家 ok"],
  ["กำที่", "กํ า ที่"],
  ["안녕", "안 녕"],
])("%s becomes the words %s", (text, words) => {
  expect(foldWords(text).match(/\S+/g)).toEqual(words.match(/\S+/g));
});

test("text after 262,144 characters of a script without spaces is left out", () => {
  const all = foldWords(`${"中".repeat(262_143)}文 end`);
  expect(all.endsWith("文  end")).toBe(true);
  expect(foldWords(`${"中".repeat(262_144)}文 end`).endsWith("中")).toBe(true);
});
