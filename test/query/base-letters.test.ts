import { describe, expect, test } from "bun:test";
import { baseLetters } from "../../src/query/fold.ts";

describe("accents, case and width are folded away", () => {
  const cases: [text: string, folded: string][] = [
    ["Ärger", "arger"],
    ["A\u0308rger", "arger"],
    ["Łódź", "lodz"],
    ["Ørsted", "orsted"],
    ["Đặng", "dang"],
    ["STRAẞE", "strasse"],
    ["Æsir œuvre", "aesir oeuvre"],
    ["İstanbul ısı", "istanbul isi"],
    ["Αθήνα", "αθηνα"],
    ["ΟΔΟΣ οδός", "οδοσ οδοσ"],
    ["ёлка", "елка"],
    ["שָׁלוֹם", "שלום"],
    ["مُحَمَّد", "محمد"],
    ["ＦＵＬＬ", "full"],
    ["ﬁsh", "fish"],
    ["ｶﾞｽ", "ガス"],
    ["Donau\u00addampf\u200bschiff\u2060fahrt", "donaudampfschifffahrt"],
  ];
  test.each(cases)("%s is %s", (text, folded) => {
    expect(baseLetters(text)).toBe(folded);
  });
});

test.each(["한국어", "がっこう", "東京", "ที่", "हिन्दी"])("%s keeps what is part of its letters", (text) => {
  expect(baseLetters(text)).toBe(text);
});

test.each(["\u2068", "\u061c", "\u2e5d", "\u0378"])("%j is not a letter: it separates words", (separator) => {
  expect(baseLetters(`A${separator}b`)).toBe("a b");
});

test("a symbol is not a letter, even one that stands for letters", () => {
  expect(baseLetters("Acme™ x🎉y")).toBe("acme  x y");
});
