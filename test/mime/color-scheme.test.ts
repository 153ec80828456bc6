// A mail as a client in light or dark mode shows it.
import { describe, expect, test } from "bun:test";
import { forceColorScheme, sanitizeHtml } from "../../src/mime/index.ts";

const safe = (html: string) => sanitizeHtml(html, { inlineUrl: (cid) => cid, remote: false }).html;

describe("a media query for the colour scheme", () => {
  const mail = safe("<style>@media (prefers-color-scheme: dark) { p { color: white } }</style><p>Hi</p>");
  test.each([
    ["dark", "@media (min-width:0)"],
    ["light", "@media (max-width:0)"],
  ] as const)("for dark, seen in %s, becomes %p", (scheme, expected) => {
    const shown = forceColorScheme(mail, scheme);
    expect(shown).toContain(expected);
    expect(shown).toContain(`color-scheme:${scheme}!important`);
  });
});

test("words of the mail that look like such a query stay as they are", () => {
  const mail = safe("<p>Use (prefers-color-scheme: dark) in your style.</p>");
  expect(forceColorScheme(mail, "dark")).toContain("<p>Use (prefers-color-scheme: dark) in your style.</p>");
});

test("a style sheet for dark mode alone does not apply in light mode", () => {
  const mail = safe('<style media="(prefers-color-scheme: dark)">p { color: white }</style><p>Hi</p>');
  expect(forceColorScheme(mail, "light")).toContain('<style media="(max-width:0)">');
  expect(forceColorScheme(mail, "dark")).toContain('<style media="(min-width:0)">');
});

test("the picture for dark mode is chosen by the scheme, not by the system of the reader", () => {
  const picture = (media: string) =>
    `<picture><source srcset="cid:dark" media="${media}"><img src="cid:light"></picture>`;
  const mail = safe(picture("(prefers-color-scheme: dark)"));
  expect(forceColorScheme(mail, "light")).toContain('media="(max-width:0)"');
  expect(forceColorScheme(mail, "dark")).toContain('media="(min-width:0)"');
});
