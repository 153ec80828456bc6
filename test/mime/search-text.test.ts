// The text for the search: whether it comes as a whole or in slices, it has the same words.
import { jscDescribe } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { searchText, searchTextInSlices } from "../../src/mime/index.ts";

const encode = {
  "7bit": (bytes: Buffer) => bytes,
  base64: (bytes: Buffer) => Buffer.from(bytes.toString("base64").replace(/.{76}/g, "$&\r\n")),
  "quoted-printable": (bytes: Buffer) =>
    Buffer.from(
      [...bytes]
        .map((byte) => `=${byte.toString(16).padStart(2, "0")}`)
        .join("")
        .replace(/.{75}/g, "$&=\r\n"),
    ),
};

const part = (type: string, content: string | Buffer, encoding: keyof typeof encode = "7bit"): Buffer =>
  Buffer.concat([
    Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`),
    encode[encoding](typeof content === "string" ? Buffer.from(content) : content),
  ]);

const multipart = (subtype: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from(`Content-Type: multipart/${subtype}; boundary=b\r\n\r\n`),
    ...parts.flatMap((each) => [Buffer.from("--b\r\n"), each, Buffer.from("\r\n")]),
    Buffer.from("--b--\r\n"),
  ]);

/** Longer than several slices, and nowhere the same as where a slice ends. */
const long = (piece: string, chars = 300_001) =>
  piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);

const HTML =
  '<p title="a > b">Füße &amp; <b>Hände</b>&nbsp;<!-- no --><style>p{}</style><br>x&#8364;y</p>\n<li>z';

const MAILS: Record<string, Buffer> = {
  "short text": part("text/plain", "hello"),
  "text in ASCII": part("text/plain", long("hello world \r\n")),
  "text in UTF-8 that says nothing of it": part("text/plain", long("Füße €uro 漢字 🎉 ")),
  "text in UTF-8, base64": part("text/plain; charset=utf-8", long("Füße €uro 漢字 🎉 "), "base64"),
  "text in UTF-8, quoted-printable": part(
    "text/plain; charset=utf-8",
    long("Füße €uro "),
    "quoted-printable",
  ),
  "one letter beyond ASCII where a slice is cut": part(
    "text/plain",
    `${"a".repeat(65_535)}é${" b".repeat(50_000)}`,
  ),
  "text in windows-1252 that says nothing of it": part(
    "text/plain",
    Buffer.from(long("Fu\xdfe \xe9 "), "latin1"),
  ),
  "text in UTF-16, high octet first": part(
    "text/plain; charset=utf-16",
    Buffer.from(`\ufeff${long("Füße ")}`, "utf16le").swap16(),
    "base64",
  ),
  "text in UTF-16": part("text/plain; charset=utf-16le", Buffer.from(long("Füße "), "utf16le"), "base64"),
  "text in UTF-16 that says so by its mark alone": part(
    "text/plain",
    Buffer.from(`\ufeff${long("Füße ")}`, "utf16le"),
    "base64",
  ),
  "text in UTF-8 by its mark, under another label": part(
    "text/plain; charset=iso-8859-1",
    `\ufeff${long("Füße ")}`,
  ),
  "text in UTF-8 by its mark, with an octet that is none far behind": part(
    "text/plain; charset=iso-8859-1",
    Buffer.concat([Buffer.from(`\ufeff${long("Füße ")}`), Buffer.from([0xff, 0x2e])]),
  ),
  "a mark of UTF-8 before something else": part(
    "text/plain; charset=iso-8859-1",
    Buffer.from(`\xef\xbb\xbf${long("Fu\xdfe \xe9 ")}`, "latin1"),
  ),
  "text in Shift_JIS": part(
    "text/plain; charset=shift_jis",
    Buffer.from(long("\x8c\xa9\x90\xcf "), "latin1"),
    "base64",
  ),
  "flowed text": part(
    "text/plain; format=flowed; delsp=yes",
    long("a long \r\nline of text\r\n> quo \r\n> ted\r\n\r\n"),
  ),
  "text in ISO-2022-JP without a label": part("text/plain", long("Fu \x1b$BF|K\\\x1b(B ")),
  "text in ISO-2022-KR": part("text/plain; charset=iso-2022-kr", `\x1b$)C${long("Fu \x0eGQ1[\x0f ")}`),
  "text in HZ": part("text/plain; charset=hz-gb-2312", long("Fu ~{VPND~} 1~~2 ")),
  "text in UTF-7": part("text/plain; charset=utf-7", long("F+APwA3w-e 1 +- 2 +2Dzfiw ")),
  "text of DOS": part("text/plain; charset=cp850", Buffer.from(long("F\x81\xe1e "), "latin1")),
  HTML: part("text/html; charset=utf-8", long(HTML)),
  "HTML, quoted-printable": part("text/html; charset=utf-8", long(HTML), "quoted-printable"),
  "HTML that names its charset": part(
    "text/html",
    Buffer.from(`<meta charset="koi8-r">${long("\xd4\xc5\xcb\xd3\xd4 ")}`, "latin1"),
  ),
  "HTML that names its charset under a label that says nothing": part(
    "text/html; charset=us-ascii",
    Buffer.from(`<meta charset="koi8-r">${long("\xd4\xc5\xcb\xd3\xd4 ")}`, "latin1"),
  ),
  "XHTML that names its charset": part(
    "text/html",
    Buffer.from(`<?xml version="1.0" encoding="koi8-r"?><html>${long("\xd4\xc5\xcb\xd3\xd4 ")}`, "latin1"),
  ),
  "HTML that names UTF-16 and is none": part(
    "text/html; charset=us-ascii",
    Buffer.from(`<meta charset="utf-16">${long("caf\xe9 ")}`, "latin1"),
  ),
  "HTML in UTF-8 that names another charset": part("text/html", `<meta charset="koi8-r">${long("Füße ")}`),
  "HTML of text without tags": part("text/html", long("a &lt; b &amp; c &hellip; ")),
  "HTML with a comment longer than slices": part("text/html", `a<!--${long("x ")}-->b`),
  "text beside HTML": multipart(
    "mixed",
    part("text/plain", long("plain ")),
    part("text/html", long("<i>rich</i> ")),
  ),
  "text and HTML that says the same": multipart(
    "alternative",
    part("text/plain", long("plain ")),
    part("text/html", long("<i>rich</i> ")),
  ),
  "a blank text and HTML": multipart(
    "alternative",
    part("text/plain", " \r\n"),
    part("text/html", "<i>rich</i>"),
  ),
  "more than is searched": part("text/plain", long("abc ", 9_000_000)),
};

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

describe("in slices the words are the same:", () => {
  test.each(Object.keys(MAILS))("%s", (name) => {
    const raw = MAILS[name] as Buffer;
    const read = (start: number, end: number) => Buffer.from(raw.subarray(start, end));
    const sliced = words([...searchTextInSlices({ size: raw.length, read })].join(""));
    const whole = words(searchText(raw).body);
    expect(sliced.length).toBe(whole.length);
    expect(sliced.findIndex((word, at) => word !== whole[at])).toBe(-1);
    expect(whole.length).toBeGreaterThan(0);
  });
});

// Searches waited for such a text, while its millions of characters were put together.
test.each(["utf-7", "cp850", "iso-2022-kr", "hz"])(
  "a slice of %s is one string, not one for each of its characters",
  (charset) => {
    const raw = part(`text/plain; charset=${charset}`, "+AOk-".repeat(50_000));
    const slices = searchTextInSlices({ size: raw.length, read: (start, end) => raw.subarray(start, end) });
    for (const slice of slices) expect(jscDescribe(slice).slice(0, 20)).not.toContain("rope");
  },
);

test("a picture between two words made one of them, and its text was not found", () => {
  const html =
    '<p>Total<img alt="euro">25 <img alt="badge"></p><a>Help</a><img src="sep.gif"><a>Unsubscribe</a>';
  expect(searchText(part("text/html", html)).body).toMatch(/^Total euro 25 badge\s+Help Unsubscribe$/);
});

test("what is to be read in HTML is searched, not the address behind a link", () => {
  const html = '<p>Please <a href="https://example.com/confirm?t=abc">confirm</a> soon</p>';
  expect(searchText(part("text/html", html)).body).toBe("Please confirm soon");
});
