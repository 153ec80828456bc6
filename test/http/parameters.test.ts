// Query parameters are decoded strictly and read by their schemas; any input gets a clear answer.
import { describe, expect, test } from "bun:test";
import { FILTERS, filterOf } from "../../src/http/filters.ts";
import { integer, type Query, query, text, texts, withDefault } from "../../src/http/parameters.ts";
import { Problem } from "../../src/http/problem.ts";
import { Random } from "../support/random.ts";

const read = (known: Query, search: string) => known.read(`http://localhost/x${search}`);

function problemOf(known: Query, search: string): Problem | null {
  try {
    read(known, search);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

describe("values", () => {
  const known = query({ a: text("") });
  const cases: [string, string | undefined][] = [
    ["", undefined],
    ["?", undefined],
    ["?a", ""],
    ["?a=", ""],
    ["?a=1", "1"],
    ["?a=1&a=2", "2"],
    ["?a=%zz&a=2", "2"],
    ["?a=b=c", "b=c"],
    ["?a=1,2", "1,2"],
    ["?a=[1]", "[1]"],
    ["?a=x+y%20z%2B", "x y z+"],
    ["?%61=1", "1"],
    ["?&&a=1&&", "1"],
    ["?a=%E2%82%AC", "€"],
    ["?a=1?b=2", "1?b=2"],
    ["?a=1#a=2", "1"],
  ];
  test.each(cases)("%s", (search, a) => expect(read(known, search)).toEqual(a === undefined ? {} : { a }));
});

describe("every text is a valid search", () => {
  const cases: [string, string][] = [
    ["?q=%", "%"],
    ["?q=100%", "100%"],
    ["?q=%zz+b", "%zz b"],
    ["?q=%FF", "\ufffd"],
    ["?q=a%E2%82", "a\ufffd"],
    ["?q=x+y%20z%2B", "x y z+"],
    ["?q=a=b", "a=b"],
    ["?q=1&q=%", "%"],
    ["?q=a;b?c", "a;b?c"],
    ["?q", ""],
  ];
  test.each(cases)("%s", (search, q) => expect(read(query(FILTERS), search)).toEqual({ q }));
});

describe("integers of any length are exact or clamped", () => {
  const cases: [string, number][] = [
    ["0", 0],
    ["-0", 0],
    ["+5", 5],
    ["-5", -5],
    ["0000000000000000000000000000000000007", 7],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["9007199254740992", Number.MAX_SAFE_INTEGER],
    ["-9007199254740993", -Number.MAX_SAFE_INTEGER],
    [`1${"0".repeat(5000)}`, Number.MAX_SAFE_INTEGER],
    [`-1${"0".repeat(5000)}`, -Number.MAX_SAFE_INTEGER],
  ];
  test.each(cases)("%s", (given, n) => {
    expect(read(query({ n: integer("") }), `?n=${encodeURIComponent(given)}`)).toEqual({ n });
  });
});

test("a default counts only where nothing is given", () => {
  const known = query({ n: withDefault(50, integer("", { from: 1, to: 200 })) });
  expect([read(known, ""), read(known, "?n=0"), read(known, "?n=999")]).toEqual([
    { n: 50 },
    { n: 1 },
    { n: 200 },
  ]);
});

describe("an unknown parameter", () => {
  const cases: [Query, string, string][] = [
    [query(FILTERS), "?form=x", 'There is no parameter "form" here; did you mean from?'],
    [query(FILTERS), "?FROM=x", 'There is no parameter "FROM" here; did you mean from?'],
    [
      query(FILTERS),
      "?attachments=true",
      'There is no parameter "attachments" here; did you mean has_attachments?',
    ],
    [query(FILTERS), "?starred=1&tags=x", 'There is no parameter "tags" here; did you mean tag?'],
    [
      query(FILTERS),
      "?toString=x",
      `There is no parameter "toString" here; known: ${Object.keys(FILTERS).join(", ")}.`,
    ],
    [query({}), "?x", 'There is no parameter "x" here; none is allowed.'],
  ];
  test.each(cases)("%#", (known, search, message) => {
    expect(problemOf(known, search)).toMatchObject({ status: 400, code: "unknown_parameter", message });
  });
});

const PIECES = [
  ..."&=+%?#;0123456789aZ.-_~!*'() \t\u0000",
  ..."limit,offset,before,starred,unread,has_attachments,tag,q,subject,since,true,false,%zz,%E2%82,%00,ü,😀,2026-01-01T00:00:00Z".split(
    ",",
  ),
];

describe("fuzzed", () => {
  const random = new Random(20261114);
  const searches = Array.from({ length: 5000 }, () => {
    const length = random.below(12);
    return `?${Array.from({ length }, () => random.pick(PIECES)).join("")}`;
  });
  const list = query({ ...FILTERS, limit: integer(""), before: text("") });

  test("every query is read, or refused with a 400 that says why", () => {
    for (const search of searches) {
      const problem = problemOf(list, search);
      if (problem === null)
        expect(filterOf(read(list, search) as Parameters<typeof filterOf>[0], {})).toBeObject();
      else expect([problem.status, problem.message.length < 400]).toEqual([400, true]);
    }
  });

  test("well-formed values are decoded as URLSearchParams does", () => {
    for (const search of searches) {
      const theirs = new URLSearchParams(search.split("#")[0] ?? "");
      const known = query(Object.fromEntries([...theirs.keys()].map((name) => [name, texts("", 99)])));
      if (problemOf(known, search) !== null) continue;
      const expected = [...theirs.keys()].map((name) => [name, theirs.getAll(name)]);
      expect([search, read(known, search)]).toEqual([search, Object.fromEntries(expected)]);
    }
  });
});
