// One-time codes in a corpus of mails in many languages; its score is the promise.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { findCodes } from "../../src/mime/index.ts";

interface CorpusMail {
  readonly code: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const FOLDER = new URL("../fixtures/codes/", import.meta.url);
const WANTED_SCORE = 0.95;

function readMail(entry: string): CorpusMail {
  const [head = "", ...lines] = entry.split("\n");
  const [code = "", subject = ""] = head.split(" | ");
  const [first = "", second = ""] = lines.join("\n").split("\n---\n");
  const html = first.startsWith("<") ? first.trim() : second.trim();
  const text = first.startsWith("<") ? "" : first.trim();
  return { code: code === "-" ? null : code, subject, text, html };
}

const corpus = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".txt"))
  .flatMap((file) => readFileSync(new URL(file, FOLDER), "utf8").split(/^=== /m).slice(1))
  .map(readMail);

describe("the corpus", () => {
  test("has at least 60 mails with a code, and some without", () => {
    expect(corpus.filter(({ code }) => code !== null).length).toBeGreaterThanOrEqual(60);
    expect(corpus.filter(({ code }) => code === null).length).toBeGreaterThanOrEqual(8);
  });

  test("gives the right code first in 95 % of its mails", () => {
    const wrong = corpus
      .filter((mail) => (findCodes(mail)[0]?.code ?? null) !== mail.code)
      .map(
        (mail) =>
          `${mail.subject}: wanted ${mail.code}, found ${JSON.stringify(findCodes(mail).slice(0, 3))}`,
      );
    const score = 1 - wrong.length / corpus.length;
    if (wrong.length > 0) console.log(`${(score * 100).toFixed(1)} %\n${wrong.join("\n")}`);
    expect(score).toBeGreaterThanOrEqual(WANTED_SCORE);
  });
});

const only = (text: string) => findCodes({ subject: "", text, html: "" }).map(({ code }) => code);

describe("codes", () => {
  test("come with the words around them and where they stand", () => {
    expect(findCodes({ subject: "Hello", text: "Your login code is 482913. Thanks.", html: "" })).toEqual([
      { code: "482913", context: "Your login code is 482913. Thanks.", where: "text" },
    ]);
  });

  test.each([
    ["Your code: 123 456", "123456"],
    ["Your code: ABC-123", "ABC123"],
    ["Your code: 1 2 3 4 5 6", "123456"],
    // Pieces of different lengths: one of them was taken for the code.
    ["Your code: 555 1234", "5551234"],
    ["Your code is 4455 22", "445522"],
    ["Your code is 44 5522", "445522"],
    ["Your code is 12 345 678 and expires in 10 minutes", "12345678"],
    ["PIN: 12 34", "1234"],
    // Taken for dates
    ["Your code is 12-34-56", "123456"],
    ["Your code: 77-88-99.", "778899"],
    ["Je code is 55-44-33", "554433"],
    ["認証コードは12-34-56です。", "123456"],
    ["Use code 12-34-56 to sign in", "123456"],
    ["Your verification code:\n\n12-34-56\n", "123456"],
    ["Your code for Acme Mail is **12-34-56**", "123456"],
    // Other gaps
    ["Your code is 1-2-3-4-5-6", "123456"],
    ["Your code: 445 - 522", "445522"],
    ["Your code: 123\u2009456", "123456"],
    ["Your code: 123\u202f456", "123456"],
    ["Your code is #445522", "445522"],
  ])("split in print are joined: %p", (text, code) => {
    expect(only(text)).toEqual([code]);
  });

  test.each([
    ["Your code is 445522 12 people used it", ["445522"]],
    ["Your code is 4455 10 minutes left", ["4455"]],
    ["Your code is 445522 (12-11-26)", ["445522"]],
    ["Your code: 4455 – 12 Example Street", ["4455"]],
    ["Your code is valid until 12-11-26", []],
    ["Your code was sent on 12-11-26 to 555-123-4567", []],
    ["Your code: 2026-11-15", []],
    ["Your code is 01-02-2026", []],
    ["Sort code: 12-34-56", []],
    ["Colour code: #445522. Farbcode #445522", []],
    ["Call us: 555 1234", []],
    ["Paid: 12 34 56 EUR", []],
    ["Ticket #445522", []],
  ])("are not joined with what stands beside, nor are dates and phone numbers: %p", (text, codes) => {
    expect(only(text)).toEqual(codes);
  });

  test("are not years, prices, phone numbers, order numbers or colours", () => {
    expect(only("Copyright 2026. Price $1,299.00. Call +1 555 010 4477. Order 77412093. #ff5733")).toEqual(
      [],
    );
  });

  test("that were replaced came first; they are the last guess", () => {
    expect(only("Your previous code 111222 has expired. Your new code is 333444.")).toEqual([
      "333444",
      "111222",
    ]);
  });

  test("for discounts, errors and postal addresses were taken for one-time codes", () => {
    expect(only("Promo code SAVE2030. Error code 50213. Postal code 75001. Area code 02204.")).toEqual([]);
  });

  test("in digits of other scripts are given as one types them", () => {
    expect(only("認証コード：５９０２７３")).toEqual(["590273"]);
    expect(only("رمز التحقق: ٨٣٦١٥٤")).toEqual(["836154"]);
  });
});
