// How search queries are parsed: each case is a query and its meaning, written with AND, OR and NOT.
import { describe, expect, test } from "bun:test";
import { findsTooMuch, parseSearch, type SearchNode, searchHint } from "../../src/query/index.ts";

const NOW = Date.parse("2026-11-14T10:00:00Z");

/** A parsed query as text, in which words in quotes match as a whole, others as prefixes. */
function meaning(node: SearchNode | null): string {
  if (node === null) return "nothing";
  if (node.kind === "fact") {
    const { fact, ...value } = node.fact;
    return `${node.isNegated ? "NOT " : ""}${fact} ${Object.values(value)[0]}`;
  }
  if (node.kind !== "text") return `(${node.of.map(meaning).join(node.kind === "all" ? " AND " : " OR ")})`;
  const { field, phrase, isNegated } = node;
  const name = typeof field === "object" ? `header ${field.header}=` : field ? `${field}:` : "";
  const words = phrase.words.join(" ");
  return `${isNegated ? "NOT " : ""}${name}${phrase.isWhole ? `"${words}"` : words}`;
}

describe("is read as", () => {
  test.each([
    ["Invoice 4711", "(invoice AND 4711)"],
    ["a-b", "a b"],
    ["-a", "NOT a"],
    ["- a", "a"],
    ["--a", "a"],
    ['-"a b"', 'NOT "a b"'],
    ['"a b', "a b"],
    ['a"b c"d', '(a AND "b c" AND d)'],
    ["a OR b c", "(a OR (b AND c))"],
    ["(a OR b) c", "((a OR b) AND c)"],
    ["(a OR (b OR c))", "(a OR b OR c)"],
    ["-(a OR b)", "(NOT a AND NOT b)"],
    ["-(a -(b c))", "(NOT a OR (b AND c))"],
    ["a or b", "(a AND or AND b)"],
    ['a "OR" b', '(a AND "or" AND b)'],
    ["OR", "or"],
    ["OR OR", "or"],
    ["(OR)", "or"],
    ["OR a", "a"],
    ["OR OR a b", "(a AND b)"],
    ['(OR a) OR"b"', '(a OR "b")'],
    ["subject:(OR a)", "subject:a"],
    ["a OR", "a"],
    ["(a OR) b", "(a AND b)"],
    ["a OR OR b", "(a OR b)"],
    ["a OR !?", "a"],
    ["!? OR a", "a"],
    ['a OR ""', "a"],
    ["a OR ()", "a"],
    ['from:ann OR from:""', "from:ann"],
    ["-(a OR !?)", "NOT a"],
    ["a OR ORB", "(a OR orb)"],
    ["((a", "a"],
    ["a))", "a"],
    ["()", "nothing"],
    ["-()", "nothing"],
    ["f(x) (g(y))", "(f x AND g y)"],
    ["from:Ann@x.org", "from:ann x org"],
    ["FROM:ann", "from:ann"],
    ['subject:"your order"', 'subject:"your order"'],
    ["from:(ann OR -bob) x", "((from:ann OR NOT from:bob) AND x)"],
    ["header:X-Run=42", "header x-run=42"],
    ['header:x-run="a b"', 'header x-run="a b"'],
    ['header:"x-run=a b"', 'header x-run="a b"'],
    ["header:x-run", "header x-run="],
    ["header:X_Run.a+b=42", "header x_run.a+b=42"],
    ["header:subject=a", "subject:a"],
    ['tag:"Two words"', "tag Two words"],
    ["tag:(a OR B)", "(tag a OR tag B)"],
    ['-tag:("Two words" OR "")', "NOT tag Two words"],
    ["is:unread", "read false"],
    ["-is:starred", "NOT starred true"],
    ["has:attachments", "attachment true"],
    ["before:2d", `before ${NOW - 2 * 86_400_000}`],
    ["before:9999w", "before 0"],
    ["after:2026-11-14T10:00:00Z", `after ${NOW}`],
    ["after:2026-11-14", `after ${Date.parse("2026-11-14T00:00:00Z")}`],
    ["larger:1.5MB", "larger 1500000"],
    ["smaller:10", "smaller 10"],
    ["https://example.com/a:b", "https example com a b"],
    ["10:30", "10 30"],
  ])("%s", (q, expected) => {
    const { root, hint } = parseSearch(q, NOW);
    expect([meaning(root), hint]).toEqual([expected, null]);
  });
});

test("parentheses may be 8 deep; a search with more of them finds nothing, and the hint says so", () => {
  const deep = (levels: number) => parseSearch(`${"(".repeat(levels)}a${")".repeat(levels)}`, NOW);
  expect([meaning(deep(8).root), deep(8).hint]).toEqual(["a", null]);
  expect([deep(9).root, deep(9).hint]).toEqual([null, expect.stringContaining("8 deep")]);
  expect(deep(100_000).root).toBeNull();
});

test("a search may have 50 different words; one with more of them finds nothing, and the hint says so", () => {
  const long = (words: number) => Array.from({ length: words }, (_, n) => `"w${n}"`).join(" ");
  expect(searchHint(`${long(50)} ${long(50)}`)).toBeNull();
  expect(parseSearch(long(51), NOW)).toEqual({
    root: null,
    hint: expect.stringContaining("50 different words and conditions"),
  });
});

test("a repeated word counts once, up to 200 words", () => {
  const repeated = (times: number) => searchHint(`"${"la ".repeat(times)}"`);
  expect(searchHint("你好世界".repeat(20))).toBeNull();
  expect(repeated(200)).toBeNull();
  expect(repeated(201)).toContain("200 including repeated ones");
});

describe("stays text, and the hint names", () => {
  test.each([
    ["form:ann", "form ann", "did you mean from:?"],
    ["form:(a OR b)", "form a OR b", "did you mean from:?"],
    ["attachment:pdf", "attachment pdf", "is not a search operator"],
    ["sender:ann", "sender ann", "did you mean from:?"],
    ["header_to:ann", "header to ann", "did you mean to:?"],
    ["since:2d", "since 2d", "did you mean after:?"],
    ["date:14", "date 14", "searched for as text."],
    ["subjct:a", "subjct a", "did you mean subject:?"],
    ["from: ann", "from AND ann", "from: takes text, such as"],
    ["before:yesterday", "before yesterday", "before: takes a date, a time or a span"],
    ["before:01JCMZ5T0GQ3V4W5X6Y7Z8A9BC", "before 01jcmz5t0gq3v4w5x6y7z8a9bc", "before: takes a date"],
    ["after:2026-02-30", "after 2026 02 30", "after: takes a date"],
    ["larger:big", "larger big", "larger: takes a size"],
    ["is:new", "is new", "is: takes unread, read, starred or tagged"],
    ["has:link", "has link", "has: takes attachment"],
    ["header:=1", "header 1", "header: takes a field"],
    ["header:date=14", "header date 14", "not the date"],
  ])("%s", (q, text, hint) => {
    expect(meaning(parseSearch(q, NOW).root).replace(/[()]/g, "")).toBe(text);
    expect(searchHint(q)).toContain(hint);
    expect(searchHint(q)).toMatch(/^[ -~]+$/);
  });
});

test.each([
  ["-form:ann", true],
  ["welcome -is:unred", true],
  ["form:ann -is:unred", true],
  ["-(a form:ann)", true],
  ["form:ann", false],
  ["-(a -form:ann)", false],
  ['-"form:ann"', false],
  ["-from:ann", false],
])("%p may find mail that was to be left out: %p", (q, tooMuch) => {
  expect(findsTooMuch(searchHint(q))).toBe(tooMuch);
});
