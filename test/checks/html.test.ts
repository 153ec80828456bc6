// The features that a page uses, and their support in mail clients.
import { describe, expect, test } from "bun:test";
import { clientsNamed, unknownClient } from "../../src/checks/html/clients.ts";
import { readCss } from "../../src/checks/html/css.ts";
import { readPage } from "../../src/checks/html/page.ts";
import { checkHtml, usesOf } from "../../src/checks/html/support.ts";
import data from "../../src/checks/html/support-data.json" with { type: "json" };
import { inputFor } from "./support/mail.ts";

const slugsOf = (html: string) => [...usesOf(readPage(html)).keys()].sort();

const USES: readonly (readonly [html: string, slugs: readonly string[]])[] = [
  ["<video></video>", ["html-video"]],
  ["<h2>a</h2><section>b</section><ul></ul>", ["html-h1-h6", "html-lists", "html-semantics"]],
  ['<input type="radio">', ["html-input-radio"]],
  ["<input>", ["html-input-text"]],
  ["<button>", ["html-button-submit"]],
  ['<b aria-hidden="true" lang="en" style="">', ["html-aria-hidden", "html-lang"]],
  ['<a href="#x">', ["html-anchor-links"]],
  ['<a href="mailto:a@x">', ["html-mailto-links"]],
  ["<!-- x --><b></b>", ["html-comments"]],
  ['<b style="display: flex">', ["css-display", "css-display-flex"]],
  ['<b style="DISPLAY:none!important">', ["css-display", "css-display-none", "css-important"]],
  [
    '<b style="border-top-color: RED; margin-inline-start: 1rem">',
    ["css-border", "css-margin-inline-start-end", "css-unit-rem"],
  ],
  ['<b style="font-family: system-ui">', ["css-sytem-ui"]],
  ['<b style="width: calc(100% - 2px)">', ["css-unit-calc", "css-unit-percent", "css-unit-px", "css-width"]],
  ['<b style="background: linear-gradient(red, blue)">', ["css-background", "css-linear-gradient"]],
  ['<b style="color: var(--x)">', ["css-variables"]],
  ['<b style="mso-hide: all; -webkit-text-size-adjust: none">', []],
  ['<img src="a.webp">', ["html-img", "image-webp"]],
  ['<img src="data:image/png;base64,AAAA">', ["html-img", "image-base64", "image-png"]],
  [
    "<style>@media (prefers-color-scheme: dark) { a > b:hover { top: 1em } }</style>",
    [
      "css-at-media",
      "css-at-media-prefers-color-scheme",
      "css-left-right-top-bottom",
      "css-pseudo-class-hover",
      "css-selector-child",
      "css-selector-type",
      "css-unit-em",
      "html-style",
    ],
  ],
  [
    "<style>/* x */ .a.b::before, #c { opacity: .5 }</style>",
    [
      "css-comments",
      "css-opacity",
      "css-pseudo-element-before",
      "css-selector-chaining",
      "css-selector-class",
      "css-selector-grouping",
      "css-selector-id",
      "html-style",
    ],
  ],
  ['<link href="https://fonts.googleapis.com/css?family=Ubuntu" rel="stylesheet">', ["css-at-font-face"]],
  ["<style>@import url(https://use.typekit.net/a.css)</style>", ["css-at-font-face", "html-style"]],
  [
    "<style>@font-face { src: url(a;b.woff) } @import url(x.css);</style>",
    ["css-at-font-face", "css-at-import", "html-style"],
  ],
  ["<style>.a { .b { color: red } }</style>", ["css-nesting", "css-selector-class", "html-style"]],
];

test.each(USES)("%s", (html, slugs) => {
  expect(slugsOf(html)).toEqual([...slugs]);
});

describe("support", () => {
  test("is reported with clients, place and the date of the data", async () => {
    const html = '<p lang="en">Hello</p>\n  <div style="display:flex">a</div>';
    const check = checkHtml({ ...(await inputFor({ html })), clients: ["outlook.windows"] });
    expect(check.summary).toBe(
      `Support in 1 client according to caniemail.com, ${data.date}: 1 error, 1 note`,
    );
    expect(check.findings[0]).toEqual({
      rule: "css-display-flex",
      severity: "error",
      message: "display:flex is not supported by 1 of 1 client (Outlook (Windows)).",
      help: "What works instead: https://www.caniemail.com/features/css-display-flex/",
      where: { line: 2, column: 3 },
      clients: ["Outlook (Windows)"],
    });
    expect(check).toMatchObject({ name: "html", status: "fail" });
  });

  test("of plain HTML is complete in the default clients", async () => {
    const check = checkHtml(await inputFor({ html: "<p>Hello <strong>you</strong></p>" }));
    expect(check).toMatchObject({ status: "pass", score: 100, findings: [] });
  });

  test("that is missing for a web font is not an error", async () => {
    const html = '<link href="https://fonts.example.com/css?family=Ubuntu" rel="stylesheet"><p>Hello</p>';
    const check = checkHtml({ ...(await inputFor({ html })), clients: ["gmail", "outlook"] });
    expect(check).toMatchObject({
      status: "pass",
      findings: [{ rule: "css-at-font-face", severity: "info" }],
    });
  });

  test.each(["yahoo", "aol", "protonmail", "outlook.macos"])(
    "that is missing for the body element is not an error in %s",
    async (client) => {
      const input = await inputFor({ html: "<html><body><p>Hello</p></body></html>" });
      expect(checkHtml({ ...input, clients: [client] }).status).toBe("pass");
    },
  );

  test("is checked for clients chosen by family, platform or name, or for all", () => {
    expect(clientsNamed(["gmail"])).toEqual([
      "gmail.android",
      "gmail.desktop-webmail",
      "gmail.ios",
      "gmail.mobile-webmail",
    ]);
    expect(clientsNamed(["outlook.windows", "macos"])).toEqual([
      "apple-mail.macos",
      "outlook.macos",
      "outlook.windows",
      "thunderbird.macos",
    ]);
    expect(clientsNamed(["all"])).toEqual(Object.keys(data.clients));
    expect(clientsNamed([])).toContain("outlook.windows");
    expect(unknownClient(["gmail", "outlok"])).toEqual({ given: "outlok", nearest: "outlook" });
  });
});

test("broken CSS is read as far as it can be", () => {
  expect(
    readCss("a { color: red; background: url(unclosed").declarations.map(({ property }) => property),
  ).toEqual(["color", "background"]);
  expect(
    readCss("} ; a { content: '}' ; top: 0 } /* open").declarations.map(({ property }) => property),
  ).toEqual(["content", "top"]);
});
