// How the page reads searches and shows texts: matches, links, dark colours, times, source.
import { describe, expect, test } from "bun:test";
import { finished, searchChips, suggest, withSuggestion } from "../../src/web/format/search-terms.ts";
import { readSource } from "../../src/web/format/source.ts";
import {
  knowsDarkMode,
  markMatches,
  nameControls,
  soughtBy,
  splitControls,
  splitLinks,
} from "../../src/web/format/text-parts.ts";
import { formatRelative } from "../../src/web/format/time.ts";

describe("the words of a search are marked", () => {
  const marked = (text: string, q: string) =>
    markMatches(text, soughtBy(q), "subject")
      .map(({ text, found }) => (found ? `[${text}]` : text))
      .join("");
  test.each([
    ["Your order", "ord", "Your [ord]er"],
    ["ORDER reorder", "order", "[ORDER] reorder"],
    ["Café CAFÉ", "cafe", "[Café] [CAFÉ]"],
    ["東京特許許可局", "許可", "東京特許[許可]局"],
    ["alice@example.com", "alice@exam", "[alice@exam]ple.com"],
    ["foo barn, foo bar", '"foo bar"', "[foo bar]n, [foo bar]"],
    ["Reorder café", "subject:ORD subject:caf -café", "Reorder [caf]é"],
    ["50 % (net)", "50 (net OR gross)", "[50] % ([net])"],
    ["Your order", "from:order", "Your order"],
    ["nothing here", "", "nothing here"],
  ])("%p for %p", (text, q, expected) => expect(marked(text, q)).toBe(expected));
});

test("punctuation of a sentence is not part of an address in it", () => {
  const links = splitLinks("See https://a.example/x. Or (https://b.example/y), or https://c.example!")
    .filter(({ found }) => found)
    .map(({ text }) => text);
  expect(links).toEqual(["https://a.example/x", "https://b.example/y", "https://c.example"]);
});

describe("a mail has dark colours of its own", () => {
  test.each([
    ["@media (prefers-color-scheme: dark) { p { color: #fff } }", true],
    ["@media(prefers-color-scheme:DARK){}", true],
    [":root { color-scheme: light dark; }", true],
    ["<html style='color-scheme:only dark'>", true],
    ['<meta name="color-scheme" content="light dark">', true],
    ["@media (prefers-color-scheme: light) { .dark { color: red } }", false],
    [":root { color-scheme: light } .dark { color: red }", false],
    ["A colour scheme: dark.", false],
  ])("%p", (html, expected) => expect(knowsDarkMode(html)).toBe(expected));
});

describe("times", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  test.each([
    ["2026-11-15T11:59:30Z", "now"],
    ["2026-11-15T11:57:00Z", "3 min"],
    ["2026-11-15T02:00:00Z", "10 h"],
  ])("%p", (iso, expected) => expect(formatRelative(iso, now)).toBe(expected));
});

test("source is cut into fields, boundaries, encoded and plain parts", () => {
  const source = [
    "Subject: Hi",
    'Content-Type: multipart/mixed; boundary="b1"',
    "",
    "--b1",
    "Content-Transfer-Encoding: base64",
    "",
    "AAAA",
    "BBBB",
    "--b1--",
    "-- ",
  ].join("\r\n");
  expect(readSource(source).parts.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "field Subject: Hi",
    'field Content-Type: multipart/mixed; boundary="b1"',
    "plain ",
    "boundary --b1",
    "field Content-Transfer-Encoding: base64",
    "plain ",
    "encoded AAAA\nBBBB",
    "boundary --b1--",
    "plain -- ",
  ]);
});

describe("controls for the direction of text", () => {
  const cases: [text: string, named: string][] = [
    ["plain", "plain"],
    ["report\u202efdp.exe", "report[RLO]fdp.exe"],
    ["\u2066a\u2069", "[LRI]a[PDI]"],
    ["with a mark\u200f only", "with a mark\u200f only"],
  ];
  test.each(cases)("%j is named as %j", (text, named) => {
    expect(nameControls(text)).toBe(named);
  });

  test("are separate pieces between the pieces of text", () => {
    expect(splitControls("a\u202eb")).toEqual([{ text: "a" }, { text: "", control: "RLO" }, { text: "b" }]);
  });
});

describe("a search", () => {
  test.each([
    ["from:", ""],
    ["order -to:", "order "],
    ["is:un", ""],
    ["is:unread", "is:unread"],
    ["from:ann https:", "from:ann "],
    ["re: order", "re: order"],
  ])("%p asks for %p while it is typed", (typed, asked) => expect(finished(typed)).toBe(asked));

  test("has a chip for everything but plain words", () => {
    expect(searchChips('hello -from:ann subject:"a b" -draft (x OR y)')).toEqual([
      { term: "-from:ann", without: 'hello subject:"a b" -draft (x OR y)' },
      { term: 'subject:"a b"', without: "hello -from:ann -draft (x OR y)" },
      { term: "-draft", without: 'hello -from:ann subject:"a b" (x OR y)' },
      { term: "(x OR y)", without: 'hello -from:ann subject:"a b" -draft' },
    ]);
    expect(searchChips("from:ann OR from:bob")).toEqual([]);
  });

  test("gets suggestions for its last word", () => {
    const known = { "from:": ["shop@example.com", "ann@example.com"], "tag:": ["two words"] };
    const terms = (typed: string) => suggest(typed, known).map(({ term }) => term);
    expect(terms("order is:")).toEqual(["is:unread ", "is:read ", "is:starred ", "is:tagged "]);
    expect(terms("-from:SH")).toEqual(["-from:shop@example.com "]);
    expect(terms("tag:")).toEqual(['tag:"two words" ']);
    expect(terms("sub")).toEqual(["subject:"]);
    expect(terms("wo")).toEqual(['tag:"two words" ']);
    expect(terms("-sh")).toEqual(["-from:shop@example.com "]);
    expect(terms("order ")).toEqual([]);
    expect(withSuggestion("order fr", { term: "from:", hint: "" })).toBe("order from:");
  });
});
