// Snapshots of the same mail are equal, even if dates, codes and tokens differ.
import { describe, expect, test } from "bun:test";
import { type SnapshotOptions, type SnapshotSource, snapshotOf } from "../../src/client/index.ts";

const source = (given: Partial<SnapshotSource>): SnapshotSource => ({
  headers: [{ name: "Subject", value: "Hello" }],
  text: "",
  html: "",
  codes: [],
  attachments: [],
  ...given,
});
const bodyOf = (text: string, codes: string[] = []) =>
  snapshotOf(source({ text, codes: codes.map((code) => ({ code })) })).split("--- text ---\n")[1];

test("a snapshot has the fields that matter, the text, the HTML and the attachments", () => {
  const snapshot = snapshotOf({
    headers: [
      { name: "Received", value: "from a by b" },
      { name: "message-id", value: "<1@example.com>" },
      { name: "subject", value: "Your  order" },
      { name: "Date", value: "Tue, 17 Nov 2026 10:00:00 +0000" },
      { name: "From", value: "Shop <shop@example.com>" },
    ],
    text: "Thank you.  \r\n\r\n\r\n\r\nThe shop\r\n",
    html: "<p>Thank you.</p>",
    codes: [],
    attachments: [{ filename: "order.csv", content_type: "text/csv", size: 12, sha256: "0a1f".repeat(16) }],
  });
  expect(snapshot).toBe(`From: Shop <shop@example.com>
Subject: Your order

--- text ---
Thank you.

The shop

--- html ---
<p>
Thank you.
</p>

--- attachments ---
order.csv, text/csv, 12 bytes, content gahfgahfgahf
`);
});

describe("a snapshot masks", () => {
  test.each([
    ["on 2026-11-17T10:00:00Z.", "on <date>."],
    ["Tuesday, 17 November 2026", "<date>"],
    ["Tue, 17 Nov 2026 10:00:00 +0000", "<date> <time>"],
    ["am 17. November 2026 um 10:30", "am <date> um <time>"],
    ["until November 17th, 2026 at 9:05 pm", "until <date> at <time>"],
    ["17.11.2026 or 11/17/2026 or /2026/11/17/", "<date> or <date> or /<date>/"],
    ["Freitag, 2. Januar 2026 / jeudi 19 novembre 2026", "<date> / <date>"],
    ["viernes, 2 de enero de 2026, fredag den 2. januar 2026", "<date>, <date>"],
    ["2nd of January 2026, 3 PM", "<date>, <time>"],
    ["from 1/2/26 to 11/19/26, 02.01.26 and 02-01-2026", "from <date> to <date>, <date> and <date>"],
    ["2026年1月2日金曜日 2026年11月19日 2026년 1월 2일", "<date> <date> <date>"],
    ["due to 2 January 2026", "due to <date>"],
    ["Date:12 November 2026, Nov 14 2026, NOV. 14, 2026", "Date:<date>, <date>, <date>"],
    ["Sat 14 Nov, Saturday November 14, 14 November, Saturday", "<date>, <date>, <date>"],
    ["le samedi 14 novembre, sexta-feira, 14 de novembro", "le <date>, <date>"],
    ["14-Nov-2026, 1-Jan-26, November 2026, novembro de 2026", "<date>, <date>, <date>, <date>"],
    ["Sat Nov 14 10:45:00 UTC 2026, Sun Nov  1 10:45:00 CET 2026", "<date>, <date>"],
    ["2026. november 14. és 14. listopadu 2026, 14 ноября 2026", "<date>. és <date>, <date>"],
    ["ngày 14 tháng 11 năm 2026, 11月14日", "<date>, <date>"],
    ["à 10h45, um 10.45 Uhr", "à <time>, um <time> Uhr"],
    ["© 2026 Shop", "© <year> Shop"],
    ["0b6f4b0a-6f0e-4f6e-9d55-3f8a5c1d2e3f", "<id>"],
    ["https://a.example/r/dQw4w9WgXcQ_aB3-xYz0123?x=1", "https://a.example/r/<token>?x=1"],
    [
      "https://a.example/?a=b&reset_token=abc&amp;sig=xyz",
      "https://a.example/?a=b&reset_token=<token>&amp;sig=<token>",
    ],
    [
      "[https://a.example/?token=a.b] (https://a.example/?token=a), https://a.example/?token=a.",
      "[https://a.example/?token=<token>] (https://a.example/?token=<token>), https://a.example/?token=<token>.",
    ],
    ["9f86d081884c7d659a2feaa0c55ad015", "<token>"],
    ["http://localhost:41237/x", "http://localhost:<port>/x"],
    ["http://[::1]:3000/x", "http://[::1]:<port>/x"],
    ["ann+1763373600000@example.com", "ann+<number>@example.com"],
  ])("%p as %p", (text, masked) => {
    expect(bodyOf(text)).toBe(`${masked}\n`);
  });

  test("the one-time code, even in groups and in the HTML", () => {
    expect(bodyOf("Code 123456: 123 456, not 1234567", ["123456"])).toBe(
      "Code <code>: <code>, not 1234567\n",
    );
    expect(snapshotOf(source({ html: "<b>123456</b>", codes: [{ code: "123456" }] }))).toContain(
      "<b><code></b>",
    );
  });

  test("text that the caller names", () => {
    const text = "Order 17 of Ann";
    expect(snapshotOf(source({ text }), { mask: [/order \d+/i] })).toContain("\n<masked> of Ann\n");
  });
});

test.each([["Order"], [[/a/, "b"]], [/a/]])("a mask of %p is refused", (mask) => {
  const options = { mask } as unknown as SnapshotOptions;
  expect(() => snapshotOf(source({}), options)).toThrow("mask must be an array of regular expressions");
});

test.each([
  "12 apples for 19.99",
  "version 1.2.34 or 10.0.12 or 10.11.12.13",
  "Order 12345",
  "10 may apply, 12 out of 20 and 3 set",
  "Sold out. 12 EUR refunded. Placed 3 days ago. 2 parcels. iPhone 15 Pro. 2 pieces",
  "€12 April, April 12€, MAR 12 EUR, March 5% off, $ 5 May",
  "Version 2. March brings, Section 4. May we, 12 May be, 10 March Road, Mars 5 pack",
  "January 32, 0 Nov, 45 April",
  "2. December is coming, 0% APR 24 months, Gói 6 tháng 299.000đ, in October 12 GB, novembre 1 250,00 €",
  "Gate: B12\nNov 14, and 12\nNovember offers",
  "Quantity: 2\n\nNovember 14th",
  "1h30 or 25h99",
  "14/11 or Saturday",
  "10.45 euros",
  "class-of-newsletter-2col-layout",
  "DE89370400440532013000",
  "GB29NWBK60161331926819",
])("%s is not masked", (text) => {
  expect(bodyOf(text)).toBe(`${text}\n`);
});

test("an inline picture is compared by its content", () => {
  const html = (data: string) => snapshotOf(source({ html: `<img src="data:image/png;base64,${data}">` }));
  expect(html("AAAA")).toMatch(/base64,\(4 characters, [a-p]+\)">/);
  expect(html("AAAA")).not.toBe(html("AAAB"));
});

test("differences in writing HTML do not matter", () => {
  const html = (text: string) => snapshotOf(source({ html: text }));
  const one = `<!DOCTYPE html><html><body><!-- built 12 -->
    <TABLE width=600 class='a  b'><tr><td style="color:red;padding : 0;">Hi
      <b>Ann</b></td></tr></TABLE><img src="cid:1@x"></body></html>`;
  const other = `<!doctype html>
<html><body>
<table class="a b" width="600">
<tr><td style="color: red; padding: 0">Hi <b>Ann</b></td></tr>
</table>
<img src="cid:2@y">
</body></html>`;
  expect(html(one)).toBe(html(other));
  expect(html(one)).toContain('\n<td style="color: red; padding: 0">\nHi <b>Ann</b>\n</td>\n');
});

test("a column that moves in preformatted text is a change", () => {
  const html = (text: string) => snapshotOf(source({ html: text }));
  const receipt = "<p>Hi</p><PRE class=r>Tea   2.50\r\n  each 1.25</PRE><p>Bye</p>";
  expect(html(receipt)).toContain("</p>\n<PRE class=r>Tea   2.50\n  each 1.25</PRE>\n<p>\nBye");
  expect(html(receipt)).not.toBe(html(receipt.replace("  each", " each")));
});
