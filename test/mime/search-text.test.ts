// The text of a mail for the full-text index.
import { describe, expect, test } from "bun:test";
import { searchText } from "../../src/mime/index.ts";

const part = (type: string, content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), Buffer.from(content)]);

const multipart = (subtype: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from(`Content-Type: multipart/${subtype}; boundary=b\r\n\r\n`),
    ...parts.flatMap((each) => [Buffer.from("--b\r\n"), each, Buffer.from("\r\n")]),
    Buffer.from("--b--\r\n"),
  ]);

const TEXTS: Record<string, { raw: Buffer; text: string }> = {
  "text in UTF-8 that does not say so": { raw: part("text/plain", "Füße 漢字 🎉"), text: "Füße 漢字 🎉" },
  "text in windows-1252 that does not say so": {
    raw: part("text/plain", Buffer.from("Fu\xdfe", "latin1")),
    text: "Fuße",
  },
  "text in UTF-16 that says so by its mark alone": {
    raw: part("text/plain", Buffer.from("\ufeffFüße", "utf16le")),
    text: "Füße",
  },
  "HTML that names its charset": {
    raw: part("text/html", Buffer.from('<meta charset="koi8-r">\xd4\xc5\xcb\xd3\xd4', "latin1")),
    text: "текст",
  },
  "HTML with comments, styles and references": {
    raw: part("text/html", "a &lt; b<!-- no --><style>p{}</style><br>x&#8364;y&hellip;"),
    text: "a < b\nx€y…",
  },
  "text and HTML that says the same": {
    raw: multipart("alternative", part("text/plain", "plain"), part("text/html", "<i>rich</i>")),
    text: "plain",
  },
  "text beside HTML": {
    raw: multipart("mixed", part("text/html", "<i>rich</i>"), part("text/plain", "plain")),
    text: "plain\nrich",
  },
  "a picture between two words, whose own text counts": {
    raw: part("text/html", '<p>Total<img alt="euro">25</p><a>Help</a><img src="sep.gif"><a>Unsubscribe</a>'),
    text: "Total euro 25\n\nHelp Unsubscribe",
  },
  "HTML with a link, whose address is not searched": {
    raw: part("text/html", '<p>Please <a href="https://example.com/confirm?t=abc">confirm</a> soon</p>'),
    text: "Please confirm soon",
  },
};

describe("the text of", () => {
  test.each(Object.keys(TEXTS))("%s", (name) => {
    const { raw, text } = TEXTS[name] as { raw: Buffer; text: string };
    expect(searchText(raw)).toBe(text);
  });
});

test("a mail gives at most 1,048,576 characters", () => {
  const long = "abc ".repeat(400_000);
  for (const raw of [
    part("text/plain", long),
    part("text/html", `<p>${long}</p>`),
    multipart("mixed", part("text/plain", long), part("text/plain", long)),
    multipart("mixed", part("text/plain", "abc".repeat(300_000)), part("text/html", `<b>${long}</b>`)),
  ]) {
    const { length } = searchText(raw);
    expect(length).toBeLessThanOrEqual(1_048_576);
    expect(length).toBeGreaterThan(1_048_000);
  }
});
