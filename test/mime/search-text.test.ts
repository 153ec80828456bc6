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
  "text next to HTML": {
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
    expect(searchText(raw).body).toBe(text);
  });
});

test("the people, files and header fields of a mail are searched, too", () => {
  const raw = Buffer.from(
    [
      "Received: from a.example",
      "DKIM-Signature: v=1; b=abc",
      "From: =?utf-8?q?J=C3=B6rg?= <joerg@x.test>",
      "To: a@x.test",
      "To: b@x.test",
      "X-Run: =?utf-8?q?f=C3=BCnf?=",
      "Content-Type: application/pdf",
      "Content-Disposition: attachment; filename*=utf-8''%C3%A4.pdf",
      "",
      "x",
    ].join("\r\n"),
  );
  expect(searchText(raw)).toEqual({
    body: "",
    from: "Jörg <joerg@x.test>",
    to: "a@x.test, b@x.test",
    cc: "",
    bcc: "",
    reply_to: "",
    message_id: "",
    filenames: "ä.pdf",
    headers: [
      { name: "x-run", value: "fünf", isTrace: false },
      { name: "received", value: "from a.example", isTrace: true },
      { name: "dkim-signature", value: "", isTrace: true },
    ],
  });
});

test("of the header at most 64 fields and 4,096 characters are searched, trace fields last", () => {
  const long = Buffer.from(`${`Received: ${"r".repeat(3000)}\r\n`.repeat(3)}X-Run: 42\r\n\r\n`);
  expect(searchText(long).headers.map(({ value }) => value.length)).toEqual([2, 3000, 1094, 0]);
  const many = Buffer.from(`${"X-A: b\r\n".repeat(100)}\r\n`);
  expect(searchText(many).headers).toHaveLength(64);
});

test("a mail gives at most 1,048,576 characters", () => {
  const long = "abc ".repeat(400_000);
  for (const raw of [
    part("text/plain", long),
    part("text/html", `<p>${long}</p>`),
    multipart("mixed", part("text/plain", long), part("text/plain", long)),
    multipart("mixed", part("text/plain", "abc".repeat(300_000)), part("text/html", `<b>${long}</b>`)),
  ]) {
    const { length } = searchText(raw).body;
    expect(length).toBeLessThanOrEqual(1_048_576);
    expect(length).toBeGreaterThan(1_048_000);
  }
});

/** HTML that takes long to read if it is repeated many times. Later searches would have to wait. */
const FLOODS: Record<string, string> = {
  tags: "<div>",
  "tags with text": "<p>a ",
  "closing tags": "</a>",
  "tags that do not end": "<a b c=d ",
  comments: "<!-- -->",
  styles: "<style>a</style>",
  templates: "<template>a</template>",
};

describe("HTML is searched up to 150,000 tags, attributes, comments and texts:", () => {
  test.each(Object.keys(FLOODS))("%s", (name) => {
    const flood = (FLOODS[name] as string).repeat(200_000);
    const { body } = searchText(part("text/html", `<p>first</p>${flood}'"><p>last</p>`));
    expect([body.startsWith("first"), body.includes("last")]).toEqual([true, false]);
  });

  test("parts of one mail share the limit", () => {
    const half = part("text/html", "<p>a ".repeat(40_000));
    const { body } = searchText(multipart("mixed", half, half, part("text/html", "<p>last</p>")));
    expect(body.match(/a/g)?.length).toBeLessThan(80_000);
    expect(body).not.toContain("last");
  });

  test.each([
    ["behind large pictures", `<img src="data:image/png;base64,${"A".repeat(2_500_000)}">`.repeat(2)],
    ["behind a large style sheet", `<style>${"p > a { color: red }\n".repeat(50_000)}</style>`],
    ["behind a table of 20,000 cells", '<tr>\n<td class="a">1</td>\n<td>2</td></tr>'.repeat(10_000)],
    ["behind a long text", `<p>${"abc ".repeat(200_000)}</p>`],
  ])("text %s is found", (_, before) => {
    expect(searchText(part("text/html", `${before}<p>last</p>`)).body).toEndWith("last");
  });
});
