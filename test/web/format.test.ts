// How things are said on the page: matches, addresses, links, sizes, times, source.
import { describe, expect, test } from "bun:test";
import type { MessageLink } from "../../src/model/index.ts";
import { nameControls, splitControls } from "../../src/web/format/bidi-controls.ts";
import { checkLinks, withOthers } from "../../src/web/format/checks.ts";
import { knowsDarkMode, withoutStyles } from "../../src/web/format/html-traits.ts";
import { markMatches, soughtBy } from "../../src/web/format/matches.ts";
import { readSearch, suggest, unknownOperators, withSuggestion } from "../../src/web/format/search-terms.ts";
import { formatSize } from "../../src/web/format/size.ts";
import { cutSource } from "../../src/web/format/source-parts.ts";
import { quotedParts, splitLinks } from "../../src/web/format/text-parts.ts";
import { formatRelative } from "../../src/web/format/time.ts";

describe("the words of a search are marked", () => {
  const marked = (text: string, q: string) =>
    markMatches(text, soughtBy(q), "subject")
      .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
      .join("");
  test.each([
    ["Your order", "ord", "Your [ord]er"],
    ["ORDER reorder", "order", "[ORDER] reorder"],
    ["Café CAFÉ", "cafe", "[Café] [CAFÉ]"],
    ["東京特許許可局", "許可", "東京特許[許可]局"],
    ["alice@example.com", "alice@exam", "[alice@exam]ple.com"],
    ["foo barn, foo bar", '"foo bar"', "[foo bar]n, [foo bar]"],
    ["Reorder café", "subject:ORD subject:caf", "Re[ord]er [caf]é"],
    ["50 % (net)", "50 (net)", "[50] % [(net)]"],
    ["Your order", "from:order", "Your order"],
    ["nothing here", "", "nothing here"],
  ])("%p for %p", (text, q, expected) => expect(marked(text, q)).toBe(expected));
});

test("an address in a sentence does not take the sentence's marks with it", () => {
  const links = splitLinks("See https://a.example/x. Or (https://b.example/y_(z)), or https://c.example!")
    .map(({ href }) => href)
    .filter((href) => href !== undefined);
  expect(links).toEqual(["https://a.example/x", "https://b.example/y_(z)", "https://c.example"]);
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

describe("styles are left out before the links of a mail are read", () => {
  test.each([
    ["<style>a{}</style><a href=x style='b'>x</a><STYLE>\n</Style>", "<a href=x>x</a>"],
    ["<a href=x>x</a><style>never closed", "<a href=x>x</a><style>never closed"],
    ['<style>a</style><p style="a">b</p><style>c', "<p>b</p><style>c"],
  ])("%p", (html, bare) => expect(withoutStyles(html)).toBe(bare));
});

test("text is cut where its quoting depth changes", () => {
  expect(quotedParts("Yes.\r\n> Really?\n> >Is it\n>> so?\n\n \n")).toEqual([
    { depth: 0, text: "Yes." },
    { depth: 1, text: "Really?" },
    { depth: 2, text: "Is it\nso?" },
  ]);
});

describe("links are flagged", () => {
  test.each([
    ["https://example.com/", undefined],
    ["mailto:a@example.com", undefined],
    ["http://example.com/", "plain http"],
    ["http://localhost:3000/", "local host"],
    ["https://192.168.0.4/", "local host"],
    ["https://shop.test/", "local host"],
    ["#", "leads nowhere"],
    ["/relative", "not absolute"],
    ["javascript:alert(1)", "javascript: does not work in mail"],
  ])("%p", (href, flaw) => expect(checkLinks([{ href, text: "" }])[0]?.flaw).toBe(flaw));
});

describe("a host is local by its whole name or address, not by how it begins", () => {
  test.each([
    ["https://localhost/", true],
    ["https://app.localhost./", true],
    ["https://printer.LOCAL/", true],
    ["https://web:3000/", true],
    ["https://localhost.localdomain/", true],
    ["https://nas.home.arpa/", true],
    ["https://127.1/", true],
    ["https://2130706433/", true],
    ["https://0.0.0.0/", true],
    ["https://10.1.2.3/", true],
    ["https://172.31.0.1/", true],
    ["https://169.254.1.1/", true],
    ["https://[::1]/", true],
    ["https://[::]/", true],
    ["https://[::ffff:127.0.0.1]/", true],
    ["https://[::ffff:192.168.0.4]/", true],
    ["https://[fd00::1]/", true],
    ["https://[fe80::1]/", true],
    ["https://localhostel.example.com/", false],
    ["https://mylocalhost.example.com/", false],
    ["https://local.example.com/", false],
    ["https://shop.latest/", false],
    ["https://10.example.com/", false],
    ["https://127.example.org/", false],
    ["https://172.32.0.1/", false],
    ["https://[::ffff:8.8.8.8]/", false],
    ["https://[2001:db8::1]/", false],
    ["https://[::1:2]/", false],
    ["https://[fc::1]/", false],
  ])("%p: %p", (href, isLocal) => {
    expect(checkLinks([{ href, text: "" }])[0]?.flaw).toBe(isLocal ? "local host" : undefined);
  });
});

test("links of the text part are checked beside those of the HTML, each once", () => {
  const link = (url: string, where: MessageLink["where"]) => ({ url, text: "", where, rel: [] });
  const clickable = [
    { href: "https://x.test", text: "Shop" },
    { href: "#", text: "Top" },
  ];
  const found = [
    link("https://x.test/", "html"),
    link("http://localhost:3000/reset", "text"),
    link("https://x.test/unsubscribe", "headers"),
  ];
  expect(withOthers(clickable, found).map(({ href }) => href)).toEqual([
    "https://x.test",
    "#",
    "http://localhost:3000/reset",
  ]);
});

describe("sizes", () => {
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [2048, "2.0 KB"],
    [51_200, "50 KB"],
    [5_242_880, "5.0 MB"],
  ])("%p", (bytes, expected) => expect(formatSize(bytes)).toBe(expected));
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
  expect(cutSource(source).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
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

  test("are pieces of their own between the pieces of text", () => {
    expect(splitControls("a\u202eb")).toEqual([{ text: "a" }, { text: "", control: "RLO" }, { text: "b" }]);
  });
});

test.each([
  ["plain words", { text: "plain words", filters: [] }],
  [
    "from:ann hello to:bob",
    {
      text: "hello",
      filters: [
        ["sender", "ann"],
        ["recipient", "bob"],
      ],
    },
  ],
  ['subject:"your order" x', { text: "x", filters: [["subject", "your order"]] }],
  ['subject:"your or', { text: "", filters: [["subject", "your or"]] }],
  [
    "is:unread IS:Starred has:attachment tag:a tag:b",
    {
      text: "",
      filters: [
        ["unread", "true"],
        ["starred", "true"],
        ["has_attachments", "true"],
        ["tag", "a"],
        ["tag", "b"],
      ],
    },
  ],
  ["from: is:", { text: "", filters: [] }],
  ["is:odd re:from:x http://to:1", { text: "is:odd re:from:x http://to:1", filters: [] }],
] as const)("what is typed into the search box, %p, is understood", (typed, search) => {
  expect(JSON.stringify(readSearch(typed))).toBe(JSON.stringify(search));
});

test("a search is suggested how its last word can go on", () => {
  const known = { "from:": ["shop@example.com", "ann@example.com"], "tag:": ["two words"] };
  expect(suggest("order is:", known).map(({ term }) => term)).toEqual(["is:unread ", "is:starred "]);
  expect(suggest("from:SH", known).map(({ term }) => term)).toEqual(["from:shop@example.com "]);
  expect(suggest("tag:", known).map(({ term }) => term)).toEqual(['tag:"two words" ']);
  expect(withSuggestion("order fr", { term: "from:", hint: "" })).toBe("order from:");
});

test("a word that looks like an operator and is none is named", () => {
  expect(unknownOperators("before:2020 from:a -from:b https://x.example larger:5")).toEqual([
    "before:2020",
    "-from:b",
    "larger:5",
  ]);
});
