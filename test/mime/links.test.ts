// Links of a message: once each, in order, with their words and purpose.
import { expect, test } from "bun:test";
import { findLinks } from "../../src/mime/index.ts";

test("links of the HTML come in order, once, with their words", () => {
  const html =
    '<a href="https://x.test/verify?t=1&amp;u=2">Verify <b>now</b></a> <a href="/relative">no</a>' +
    '<a href="https://x.test/img"><img alt="Shop" src="x"></a><a href="mailto:help@x.test">Help</a>' +
    '<a href="javascript:1">no</a><a href="https://x.test/verify?t=1&amp;u=2">again</a><a href="tel:+4930">call</a>';
  expect(findLinks({ html, text: "" })).toEqual([
    { url: "https://x.test/verify?t=1&u=2", text: "Verify now", where: "html", rel: ["verify"] },
    { url: "https://x.test/img", text: "Shop", where: "html", rel: [] },
    { url: "mailto:help@x.test", text: "Help", where: "html", rel: [] },
    { url: "tel:+4930", text: "call", where: "html", rel: [] },
  ]);
});

const IN_TEXT: [text: string, urls: string[]][] = [
  ["Go to https://x.test/a.", ["https://x.test/a"]],
  ["(see https://x.test/a_(b))", ["https://x.test/a_(b)"]],
  ["(https://x.test/a)", ["https://x.test/a"]],
  ["<https://x.test/a?b=c&d=e>", ["https://x.test/a?b=c&d=e"]],
  ["[https://x.test/a]", ["https://x.test/a"]],
  [
    "HTTPS://X.test and http://y.test, mailto:a@b.c; tel:+123!",
    ["HTTPS://X.test", "http://y.test", "mailto:a@b.c", "tel:+123"],
  ],
  ["詳細は「https://x.test/a」を。", ["https://x.test/a"]],
  ["ftp://x.test javascript:1", []],
];

for (const [text, urls] of IN_TEXT) {
  test(`text links of ${text}`, () => {
    expect(findLinks({ html: "", text }).map(({ url }) => url)).toEqual(urls);
  });
}

test("the words before a text link tell what it is for", () => {
  expect(findLinks({ html: "", text: "Reset your password: https://x.test/r/1" })[0]).toEqual({
    url: "https://x.test/r/1",
    text: "Reset your password",
    where: "text",
    rel: ["reset-password"],
  });
});

test("List-Unsubscribe is a link too, marked as such where the body has it already", () => {
  const headers = [
    { name: "List-Unsubscribe", value: "<https://x.test/u/1>, <mailto:u@x.test?subject=off>" },
    { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
  ];
  expect(findLinks({ html: '<a href="https://x.test/u/1">Stop</a>', text: "", headers })).toEqual([
    { url: "https://x.test/u/1", text: "Stop", where: "html", rel: ["unsubscribe", "one-click"] },
    { url: "mailto:u@x.test?subject=off", text: "", where: "headers", rel: ["unsubscribe"] },
  ]);
});
