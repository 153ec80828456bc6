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

  test("split in print are joined", () => {
    expect(only("Your code: 123 456")).toEqual(["123456"]);
    expect(only("Your code: ABC-123")).toEqual(["ABC123"]);
    expect(only("Your code: 1 2 3 4 5 6")).toEqual(["123456"]);
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
