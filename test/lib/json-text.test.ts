// JSON made by hand where that is safe must be the JSON that everybody makes.
import { expect, test } from "bun:test";
import { jsonList, jsonText } from "../../src/lib/json-text.ts";

const TEXTS = [
  "",
  "alice@example.com",
  ` !"#[\\]~`,
  '"a b"@example.com',
  "back\\slash",
  "tab\tand\nline\r",
  "\x00\x1f\x7f\x80",
  "ärger@exämple.com",
  "\u2028\ufeff\ufffd",
  "\ud83d\ude00",
  "alone \ud83d",
];

test.each(TEXTS)("the text %j", (text) => {
  expect(jsonText(text)).toBe(JSON.stringify(text));
});

test.each([[[]], [["one"]], [["", ""]], [TEXTS]])("the list %j", (texts: string[]) => {
  expect(jsonList(texts)).toBe(JSON.stringify(texts));
});
