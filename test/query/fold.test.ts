import { expect, test } from "bun:test";
import { foldCase, foldLongText, foldWords } from "../../src/query/fold.ts";

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

const manyWords = (count: number) => Array.from({ length: count }, (_, n) => `x${n.toString(36)}`).join(" ");

test.each([
  ["280,000 characters of a script without spaces", "中".repeat(280_000)],
  ["280,000 words", "a ".repeat(280_000)],
  ["80,000 different words", manyWords(80_000)],
  ["characters that fold to four words each", "\ufdfa".repeat(120_000)],
])("a long text is folded up to about the limit: %s", (_what, text) => {
  expect(foldLongText(`${text} end`)).not.toEndWith(" end");
});

test("a long text with fewer words is folded completely, in pieces that do not split anything", () => {
  const single = (text: string) => text.replace(/ +/g, " ");
  const spaced = `${manyWords(60_000)} ${"Łódź e\u0301te\u0301 안녕 กำที่ ｶﾞｲﾄﾞ 𠮷野家 — x™y ".repeat(5000)}`;
  expect(single(foldLongText(spaced))).toBe(single(foldWords(spaced)));
  const unspaced = "กำที่𠮷e\u0301".repeat(20_000);
  expect(single(foldLongText(unspaced))).toBe(single(foldWords(unspaced)));
});
