// What a search finds: each case is a text, with searches that find it and searches that do not.
import { describe, expect, test } from "bun:test";
import { searchText } from "../../src/mime/index.ts";
import { questionOf } from "../../src/store/question.ts";
import { TextIndex } from "../../src/store/search/text-index.ts";

const matchOf = (q: string) => questionOf({ q }, 0)?.match ?? null;
/** The terms that a message must contain; null if the search has none. */
const termsOf = (q: string) => matchOf(q)?.split(" AND ") ?? null;

function finds(q: string, subject: string, sender = "a@example.com"): boolean {
  const index = new TextIndex(":memory:", 0);
  index.add(
    { seq: 1, inbox: "default", subject, sender, recipients: ["to@example.com"] },
    searchText(new Uint8Array()),
  );
  const match = matchOf(q);
  const found = match !== null && index.all(match).total === 1;
  index.close();
  return found;
}

type Case = [text: string, found: string[], notFound: string[]];

function check(cases: Case[]): void {
  test.each(cases)("%s", (text, found, notFound) => {
    expect(found.filter((q) => !finds(q, text))).toEqual([]);
    expect(notFound.filter((q) => finds(q, text))).toEqual([]);
  });
}

describe("accents, case and width do not matter, in any script", () => {
  check([
    ["Αθήνα", ["αθηνα", "ΑΘΗΝΑ", "Αθήνα", "αθή", '"αθηνα"'], ["θηνα"]],
    ["ΟΔΟΣ", ["οδός", "οδος", "οδοσ"], []],
    ["ёлка", ["елка", "ЁЛКА", "ёл"], []],
    ["Łódź", ["lodz", "łódź", "LODZ", "lo"], ["odz"]],
    ["lodz", ["Łódź"], []],
    ["Ørsted", ["orsted", "ørsted"], []],
    ["Straße", ["strasse", "STRASSE", "straße"], []],
    ["ＦＵＬＬ width", ["full", '"full width"'], []],
    ["ﬁsh", ["fish", "fi"], []],
    ["Re\u0301sume\u0301", ["résumé", "resume"], []],
    ["it’s “quoted” – naïve", ["it's", "quoted", "naive"], []],
    ["Acme™ shop", ['"acme shop"', "acme™"], ["tm"]],
    ["שָׁלוֹם", ["שלום"], []],
    ["हिन्दी", ["हिन्दी", "हिन्"], ["हानदा"]],
  ]);
});

describe("an invisible character does not split a word", () => {
  const joined: Case[] = ["\u00ad", "\u200b", "\u2060", "\ufeff"].map((unseen) => [
    `say hello${unseen}world`,
    ["helloworld", `hello${unseen}world`, `hell\u00adow${unseen}orld`, '"say helloworld"', "hello"],
    ["world"],
  ]);
  check([...joined, ["helloworld", ["hello\u00adworld", "hello\u200bworld", "hello\ufeffworld"], []]]);
});

describe("a word is found next to characters that the tokenizer does not know:", () => {
  const around = {
    "direction marks": ["\u2068", "\u2069"],
    "the Arabic letter mark": ["\u061c", "\u061c"],
    "new punctuation": ["\u2e5d", "\u2e42"],
    "unassigned code points": ["\u2065", "\u0378"],
  };
  for (const [what, [before = "", after = ""]] of Object.entries(around)) {
    test(what, () => {
      const text = `Hello ${before}Anna${after}, your code is ${before}482913${after}.`;
      for (const q of ["anna", '"hello anna"', "482913", `${before}Anna${after}`]) {
        expect([q, finds(q, text)]).toEqual([q, true]);
      }
      expect(finds(`${before}Anna${after}`, "Dear Anna")).toBe(true);
    });
  }
});

test("an apostrophe that is a letter belongs to its word, also next to Japanese", () => {
  expect(finds("ŉ", "ŉ")).toBe(true);
  expect(finds("ŉ", "日本 ŉ")).toBe(true);
});

describe("text written without spaces is found by any part of it", () => {
  check([
    ["これは東京タワー", ["東京", "東", "京タワー", "タワ", "これは", '"東京タワー"'], ["京東", "大阪"]],
    ["한국어", ["국어", "한국", "어"], ["국한"]],
    ["한국어".normalize("NFD"), ["국어"], []],
    ["iPhone15の使い方", ["iphone15の", "使い方", "iph", "IPHONE15の使い", "の使"], ["使方"]],
    ["第3回ミーティング2024年", ["ミーティング", "2024年", "3回", "第3"], ["回3"]],
    ["ｶﾞｲﾄﾞ", ["ガイド"], ["カイト"]],
    ["สวัสดีครับ", ["สวัสดี", "ครับ", "ดี"], ["ดา"]],
    ["ສະບາຍດີ", ["ບາຍດີ"], []],
    ["ភាសាខ្មែរ", ["ខ្មែរ"], []],
    ["မြန်မာစာ", ["မာစာ"], []],
    ["𠮷野家", ["𠮷野", "野家"], []],
  ]);
});

describe("words are prefixes, quoted text is a phrase, an address is a phrase", () => {
  check([
    [
      "Monthly invoice 42",
      ["mon inv", "invoice 4", '"monthly invoice"', '"invoice 4'],
      ['"monthly inv"', "42x"],
    ],
    ["write to alice.smith@example.org", ["alice.smith@example.org", "alice.smith@exam"], ["smith.alice"]],
    ["C++ and AND", ["c++", "AND", "c AND"], ["OR", "NEAR(a b)"]],
  ]);
});

test("a sender beyond ASCII is found by its base letters", () => {
  expect(finds("jose@", "subject", "josé@example.com")).toBe(true);
});

test("a query of more than 50 different words matches nothing", () => {
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}x`).join(" ");
  expect(termsOf(words(50))).toHaveLength(50);
  expect(termsOf(words(51))).toBeNull();
  expect(termsOf("の".repeat(201))).toBeNull();
});

describe("a term that a query repeats is searched for once:", () => {
  const CASES: [what: string, q: string, terms: string[]][] = [
    ["a word", "word ".repeat(201), ['"word" *']],
    ["a word in other letters", "Łódź LODZ lodz, (lodz)", ['"lodz" *']],
    ["an address", "a@b.example ".repeat(100), ['"a b example" *']],
    ["a phrase", '"one two" "One  Two"', ['"one two"']],
  ];
  test.each(CASES)("%s", (_what, q, terms) => {
    expect(termsOf(q)).toEqual(terms);
  });

  check([
    [
      "Welcome home",
      ["wel welcome", "home we HOME wel", '"welcome" wel', "welcome ".repeat(300)],
      ['"wel" welcome', "wel welcomes", `${"welcome ".repeat(300)}away`],
    ],
  ]);
});

test("a full-width quote inside a word does not end the quoted word in the FTS5 expression", () => {
  expect(termsOf("a＂ OR b＂＂")).toEqual(['("a" * OR "b" *)']);
});

test.each(["🎉", "\u0301", "´", "＂", "™", "♥\ufe0f"])("%s alone matches nothing", (q) => {
  expect(termsOf(q)).toBeNull();
});
