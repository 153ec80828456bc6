// The rules of the content check: each case is a mail and the rules that it breaks.
import { describe, expect, test } from "bun:test";
import { checkContent } from "../../src/checks/content.ts";
import { inputFor, type MailOptions, told } from "./support/mail.ts";

const SENTENCES =
  "Thank you very much for ordering the blue bicycle with the wooden basket, it will be sent to your house tomorrow morning by our own courier.";
const PNG_HEAD = 'Content-Type: image/png; name="big.png"\r\nContent-Transfer-Encoding: base64\r\n\r\n';
const BIG_IMAGE = `${"A".repeat(76)}\r\n`.repeat(20_000);

const CASES: readonly (readonly [name: string, mail: MailOptions, rules: readonly string[]])[] = [
  ["a mail in order", { html: `<p>${SENTENCES}</p>`, text: SENTENCES }, []],
  ["a mail of text alone", { text: SENTENCES }, []],
  ["nothing in it", { text: " " }, ["body-empty"]],
  ["HTML without text", { html: `<p>${SENTENCES}</p>`, text: null }, ["text-missing"]],
  ["HTML and blank text", { html: `<p>${SENTENCES}</p>`, text: "\n" }, ["text-missing"]],
  [
    "another text than the HTML",
    { html: `<p>${SENTENCES}</p>`, text: "Please enable HTML to read this." },
    ["text-differs text/plain"],
  ],
  [
    "the address of a link, which only the text shows",
    {
      html: `<p>${SENTENCES} <a href="https://click.example.net/ls/click?upn=${"a1-b2-c3-".repeat(20)}">Read more</a></p>`,
      text: `${SENTENCES} Read more: https://example.com/`,
    },
    [],
  ],
  [
    "a start that says nothing",
    { html: `<p>View this email in your browser</p><p>${SENTENCES}</p>`, text: SENTENCES },
    ["preheader"],
  ],
  ["a placeholder in To", { fields: { To: "=?utf-8?Q?{{name}}?= <ann@example.com>" } }, ["placeholder To"]],
  ["a placeholder in From", { fields: { From: "Shop <%SENDER%@example.com>" } }, ["placeholder From"]],
  ["a placeholder over two lines", { text: `${SENTENCES} {{\r\n name }}` }, ["placeholder text/plain"]],
  [
    "a placeholder as language",
    { html: `<p lang="{{lang}}">${SENTENCES}</p>`, text: SENTENCES },
    ["placeholder 1:1"],
  ],
  [
    "scripts, event handlers and frames, reported once",
    {
      html: `<p>${SENTENCES}</p>\n<script>a()</script><b onclick="a()">b</b><iframe></iframe>`,
      text: SENTENCES,
    },
    ["script 2:1"],
  ],
  [
    "data for Gmail",
    { html: `<script type="application/ld+json">{}</script><p>${SENTENCES}</p>`, text: SENTENCES },
    [],
  ],
  [
    "too many elements",
    { html: `<p>${SENTENCES}</p>${"<br>\r\n".repeat(50_001)}`, text: SENTENCES },
    ["html-not-whole", "gmail-clip text/html"],
  ],
  ["an author without an address", { fields: { From: "undisclosed:;" } }, ["from-missing From"]],
  ["an author without a domain", { fields: { From: "Shop <shop@>" } }, ["from-missing From"]],
  ["no subject", { fields: { Subject: null } }, ["subject-missing Subject"]],
  ["a long subject", { fields: { Subject: "x".repeat(90) } }, ["subject-long Subject"]],
  ["a subject that is cut", { fields: { Subject: "=?utf-8?b?R3LDvMOf" } }, ["subject-encoding Subject"]],
  [
    "a charset that nobody knows",
    { fields: { Subject: "Hi =?nope?B?abcd?=" } },
    ["subject-encoding Subject"],
  ],
  [
    "an octet that is not hexadecimal",
    { fields: { Subject: "=?utf-8?Q?abc_=ZZ?=" } },
    ["subject-encoding Subject"],
  ],
  ["base64 that is cut", { fields: { Subject: "=?utf-8?B?R3LDvMO?=" } }, ["subject-encoding Subject"]],
  [
    "a character that is cut in two",
    { fields: { Subject: "=?utf-8?Q?Gr=C3?= =?utf-8?Q?=BC=C3=9Fe?=" } },
    ["subject-encoding Subject"],
  ],
  [
    "words that are whole",
    { fields: { Subject: "=?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1*de?q?sch=F6n?=" } },
    [],
  ],
  ["a placeholder in the subject", { fields: { Subject: "Hello {{ name }}" } }, ["placeholder Subject"]],
  [
    "two placeholders of one kind, one of them twice",
    { text: "{{a}} {{b}} {{a}}" },
    ["placeholder text/plain", "placeholder text/plain"],
  ],
  ["no Date", { fields: { Date: null } }, ["date-missing Date"]],
  ["a strange Date", { fields: { Date: "2026-11-17T10:00:00Z" } }, ["date-invalid Date"]],
  ...["Thu, 32 Nov 2026 10:00:00 +0000", "Mon, 19 Nov 2026 10:00 +0000", "19 Nov 2026 25:00:00 GMT"].map(
    (date) => [`the impossible date ${date}`, { fields: { Date: date } }, ["date-invalid Date"]] as const,
  ),
  ["a Date without a weekday", { fields: { Date: "1 nov 2026 9:00 +0530 (IST)" } }, []],
  ["no Message-ID", { fields: { "Message-ID": null } }, ["message-id-missing Message-ID"]],
  [
    "a Message-ID without brackets",
    { fields: { "Message-ID": "1@example.com" } },
    ["message-id-invalid Message-ID"],
  ],
  ["no From", { fields: { From: null } }, ["from-missing From"]],
  ["two subjects", { fields: { Subject: "One\r\nSubject: Two" } }, ["header-duplicate Subject"]],
  ["a raw umlaut in a field", { fields: { "X-Shop": "Bücher" } }, ["header-8bit X-Shop"]],
  ["a line that is too long", { text: "word ".repeat(300) }, ["line-length"]],
  [
    "HTML that Gmail clips",
    { html: `<p>${SENTENCES}</p>${"<!-- -->\r\n".repeat(12_000)}`, text: SENTENCES },
    ["gmail-clip text/html"],
  ],
  ["heavy images", { text: SENTENCES, parts: [PNG_HEAD + BIG_IMAGE] }, ["image-weight big.png"]],
  [
    "a newsletter without List-Unsubscribe",
    { fields: { "List-Id": "<news.example.com>" } },
    ["unsubscribe-missing List-Unsubscribe"],
  ],
  [
    "List-Unsubscribe by mail alone",
    { fields: { "List-Unsubscribe": "<mailto:off@example.com>" } },
    ["unsubscribe-one-click List-Unsubscribe"],
  ],
  [
    "one click to unsubscribe",
    {
      fields: {
        "List-Unsubscribe": "<https://example.com/off>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    },
    [],
  ],
];

test.each(CASES)("%s", async (_name, mail, rules) => {
  expect(told(checkContent(await inputFor(mail)))).toEqual([...rules]);
});

describe("a placeholder", () => {
  const LEFT = [
    "{{name}}",
    "[[X]]",
    "%FIRST%",
    "%recipient.id%",
    "%{name}",
    "#{name}",
    "*|FNAME|*",
    "{% if name %}",
    "<%= x %>",
    "[object Object]",
    "[object Promise]",
    "lorem ipsum",
  ];
  test.each(LEFT)("%s is found in HTML with its place", async (placeholder) => {
    const html = `<p>Hello</p>\n<p>Dear ${placeholder.replace("<", "&lt;")} of ours</p>`;
    const [first] = told(checkContent(await inputFor({ html, text: "Hello Dear of ours" })));
    expect(first).toBe("placeholder 2:9");
  });

  test.each([
    "Hello undefined, welcome.",
    "Hi null",
    "Dear undefined!",
    "Dear Mr. undefined,",
    "Welcome back, NULL!",
    "undefined, your order was sent",
    "Order #undefined was sent",
    "Your order null was sent",
    "Thank you.\r\nPrice: null\r\nBye",
    "You pay $NaN today",
    "You pay undefined € today",
    "Your total is null.",
    "It was sent to undefined.",
    "Item | Price\r\nBicycle | null",
    "Your code:\r\n\r\nundefined\r\n",
  ])("an empty value is found in %j", async (text) => {
    expect(told(checkContent(await inputFor({ text })))).toEqual(["placeholder text/plain"]);
  });

  test.each([
    "100 % sure, 50% off",
    "{ not: one }",
    "a [link] and [another]",
    "Nullify the undefined",
    "The contract is null and void.",
    "Your ticket is null\r\nand void.",
    "We declare the order null and void.",
    "The null hypothesis is undefined behaviour.",
    "Do not rely on undefined\r\nbehaviour. The result is undefined, or null.",
    "Note: null values are ignored, see undefined symbols",
    "Dear Mr. Null, hello",
  ])("%j has none", async (text) => {
    expect(told(checkContent(await inputFor({ text })))).toEqual([]);
  });

  test.each(["alt", "title", "aria-label"])("is found in %s", async (attribute) => {
    const html = (value: string) =>
      `<p>${SENTENCES}</p>\n<img src="https://x/a.png" ${attribute}="${value}">`;
    const check = async (value: string) =>
      told(checkContent(await inputFor({ html: html(value), text: SENTENCES })));
    expect(await check("{{name}}")).toEqual(["placeholder 2:1"]);
    expect(await check("undefined")).toEqual(["placeholder 2:1"]);
    expect(await check("A null and void contract")).toEqual([]);
  });
});
