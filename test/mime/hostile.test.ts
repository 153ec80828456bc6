// Hostile mails: each is read within a time limit, and nothing throws.
import { expect, test } from "bun:test";
import { composeBodies, type DecodedBody } from "../../src/mime/body/bodies.ts";
import { decodeAddressedHeaders } from "../../src/mime/header/addresses.ts";
import { readAuth } from "../../src/mime/header/auth-results.ts";
import { readHeaderBlock } from "../../src/mime/header/fields.ts";
import { deriveText } from "../../src/mime/html/text.ts";
import {
  findLinks,
  listAttachments,
  readHeaders,
  readPreview,
  readStructure,
  sanitizeHtml,
  searchText,
  startScan,
} from "../../src/mime/index.ts";
import { readCodes } from "../../src/mime/insight/codes.ts";
import { cpuMs } from "../support/cpu-time.ts";

const MESSAGE_ID = "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC";
const MAX_CPU_MS = 2000;

const nested = (depth: number) => {
  let mail = "";
  for (let level = 0; level < depth; level++)
    mail += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
  return `${mail}\r\ncore`;
};

const multipart = (body: string) => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}`;

/** 40 encoded words, which the list of attachments decodes. */
const LONG_NAME = "=?utf-8?Q?Stra=C3=9Fe?= ".repeat(40);
const ATTACHMENT = `--b\r\nContent-Disposition: attachment; filename="${LONG_NAME}"\r\n\r\nx\r\n`;

const MAILS: Record<string, () => string> = {
  "10,000 nested multiparts": () => nested(10_000),
  "200,000 empty parts": () => multipart("--b\r\n\r\n".repeat(200_000)),
  "200,000 parts without header": () => multipart("--b\r\n".repeat(200_000)),
  "10,000 attachments with long names": () => multipart(ATTACHMENT.repeat(10_000)),
  "20 MB of one header": () => `Subject: ${"x".repeat(20_000_000)}\r\n\r\nbody`,
  "300,000 headers": () => `${"X-A: b\r\n".repeat(300_000)}Subject: late\r\n\r\nbody`,
  "500,000 lines without a colon": () => `Subject: a\r\n${"c\n".repeat(500_000)}\r\nbody`,
  "300,000 lines of white space": () => `Subject: a\r\n${"\v\r\n".repeat(300_000)}\r\nbody`,
  "a header folded 300,000 times": () => `Subject: a\r\n${" b\r\n".repeat(300_000)}\r\nbody`,
  "megabytes of encoded words": () => `Subject: ${"=?utf-8?Q?=C3=A9?= ".repeat(100_000)}\r\n\r\nbody`,
  "megabytes of broken encoded words": () => `Subject: ${"=?utf-8?Q?=?".repeat(200_000)}\r\n\r\nbody`,
  "a quadratic address list": () =>
    `From: ${'"a" (b(c '.repeat(100_000)}\r\nTo: ${"<".repeat(100_000)},\r\n\r\nx`,
  "blanks between two words of an address": () => `From: a${" ".repeat(500_000)}b@x.test\r\n\r\nx`,
  "delimiters that nearly match": () => multipart(`--b\r\n\r\n${"\r\n--bb".repeat(300_000)}`),
  "dashes only": () => multipart("\n--".repeat(300_000)),
  "one boundary for all levels": () =>
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".repeat(50_000)}`,
  "a boundary of 100 kB": () =>
    `Content-Type: multipart/mixed; boundary=${"b".repeat(100_000)}\r\n\r\n--${"b".repeat(100_000)}\r\n`,
  "a hundred thousand parameters": () => `Content-Type: text/plain${"; a*0*=b".repeat(100_000)}\r\n\r\nx`,
  "quoted-printable that never ends a line": () =>
    `Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${"= ".repeat(300_000)}`,
  "a Content-ID of nothing but brackets": () =>
    `Content-ID: ${">".repeat(500_000)}x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n\r\n`,
  "a long name of the root for many parts": () =>
    `Content-Type: multipart/related; start="${"x".repeat(500_000)}"; boundary=b\r\n\r\n${"--b\r\nContent-ID: x\r\nContent-Type: multipart/mixed\r\n\r\n".repeat(20_000)}`,
  "flowed lines without end": () =>
    `Content-Type: text/plain; format=flowed\r\n\r\n${">".repeat(500_000)}${"> a \r\n".repeat(300_000)}`,
  "comments before a result without end": () => `Received-SPF: ${"() ".repeat(300_000)}pass\r\n\r\n`,
  "authentication results without end": () =>
    `Authentication-Results: x; ${"(".repeat(200_000)}${"a=b;".repeat(100_000)}\r\n\r\n`,
};

for (const [name, make] of Object.entries(MAILS)) {
  test(`${name} is read in time and within bounds`, () => {
    const raw = Buffer.from(make(), "latin1");
    const started = cpuMs();
    const scan = startScan();
    for (let at = 0; at < raw.length; at += 65_536) scan.push(raw.subarray(at, at + 65_536));
    const facts = scan.finish();
    const structure = readStructure(raw);
    expect(listAttachments(MESSAGE_ID, structure).length > 0).toBe(facts.has_attachments);
    searchText(raw);
    readHeaders(raw);
    const { block } = readHeaderBlock(raw);
    decodeAddressedHeaders(block);
    readAuth(block);
    readPreview(raw);
    expect(cpuMs() - started).toBeLessThan(MAX_CPU_MS);
  });
}

test("exceeded limits are reported", () => {
  expect(readStructure(Buffer.from(nested(200))).truncated).toBe("too_deep");
  expect(readStructure(Buffer.from(multipart("--b\r\n\r\n".repeat(20_000)))).truncated).toBe(
    "too_many_parts",
  );
  expect(readStructure(Buffer.from(multipart(ATTACHMENT.repeat(10_000)))).truncated).toBe("headers_too_big");
  expect(readStructure(Buffer.from(`X: ${"x".repeat(2_000_000)}\r\n\r\n`)).truncated).toBe("headers_too_big");
  expect(readStructure(Buffer.from(nested(50))).truncated).toBeNull();
});

const PAGES: Record<string, () => string> = {
  "unclosed tags": () => "<div>".repeat(70_000),
  "unclosed quotes": () => '<a href="x>'.repeat(100_000),
  "unclosed comments": () => "<!--".repeat(70_000),
  "brackets only": () => "<".repeat(200_000),
  "scripts that never end": () => "<script>".repeat(100_000),
  "entities without end": () => "&#x".repeat(100_000),
  "attributes without end": () => `<p ${"a=b ".repeat(70_000)}>`,
  "spaces without end": () => `<p>${" ".repeat(200_000)}x`,
  "styles without end": () =>
    `<style>${"url( ".repeat(100_000)}${"@import ".repeat(40_000)}${"/*".repeat(100_000)}</style>`,
  "links without end": () => `<a href="https://x.test/">${"https://x.test/)))".repeat(40_000)}`,
  "emphasis around links without end": () => "*_~https://x.test/_*~".repeat(40_000),
  "one long link after another": () => `${"https://x.test/a".repeat(500)}を `.repeat(80),
  "an address full of spaces": () => `<a href="x${" ".repeat(100_000)}y">x</a>`,
  digits: () => "123456 ".repeat(100_000),
  "codes and labels without end": () => "Your code is for order number: 123456 ".repeat(20_000),
  "labels without a stop": () => "nummer codecode for ".repeat(40_000),
  "one digit after another": () => "1 2 3 ".repeat(100_000),
  "one comma after another": () => "1,".repeat(100_000),
  "one letter a line": () => "A\n".repeat(100_000),
  "one letter a cell": () => "<td>A".repeat(40_000),
  "one long word": () => "A1".repeat(100_000),
};

const body = (kind: DecodedBody["kind"], content: string) => ({ kind, alternative: null, content });

const PAGE_TASKS: Record<string, (html: string) => unknown> = {
  sanitized: (html) => sanitizeHtml(html, { inlineUrl: (cid) => cid, remote: false }),
  "turned into text": deriveText,
  "combined with text": (html) => composeBodies([body("text", html), body("html", html)]),
  "searched for links": (html) => findLinks({ html, text: html }),
  "searched for codes": (html) => readCodes({ subject: html.slice(0, 10_000), text: html, html }),
};

for (const [name, make] of Object.entries(PAGES)) {
  for (const [what, run] of Object.entries(PAGE_TASKS)) {
    test(`HTML of ${name} is ${what} in time`, () => {
      const html = make();
      const started = cpuMs();
      run(html);
      expect(cpuMs() - started).toBeLessThan(MAX_CPU_MS);
    });
  }
}
