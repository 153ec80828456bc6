// The query string: decoded strictly, read by kind, and never a surprise whatever comes.
import { describe, expect, test } from "bun:test";
import { readFilter } from "../../src/http/filters.ts";
import { readListQuery } from "../../src/http/listing.ts";
import { Problem } from "../../src/http/problem.ts";
import { QueryString } from "../../src/http/query-string.ts";
import { Random } from "../support/random.ts";

const query = (text: string) => new QueryString(`http://localhost/x${text}`);

describe("values", () => {
  const cases: [string, string | undefined][] = [
    ["", undefined],
    ["?", undefined],
    ["?a", ""],
    ["?a=", ""],
    ["?a=1", "1"],
    ["?a=1&a=2", "2"],
    ["?a=b=c", "b=c"],
    ["?a=x+y%20z%2B", "x y z+"],
    ["?%61=1", "1"],
    ["?&&a=1&&", "1"],
    ["?a=%E2%82%AC", "€"],
    ["?a=1?b=2", "1?b=2"],
    ["?A=1", undefined],
    ["?a=1#a=2", "1"],
  ];
  test.each(cases)("%s", (text, expected) => expect(query(text).text("a")).toBe(expected));
});

describe("no words of a search are an error", () => {
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
  test.each(cases)("%s", (text, expected) => expect(query(text).text("q")).toBe(expected));
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
  test.each(cases)("%s", (text, expected) => {
    expect(query(`?n=${encodeURIComponent(text)}`).integer("n")).toBe(expected);
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
  const texts = Array.from({ length: 5000 }, () => {
    const length = random.below(12);
    return `?${Array.from({ length }, () => random.pick(PIECES)).join("")}`;
  });

  test("every query is read, or refused with a 400 that says why", () => {
    for (const text of texts) {
      for (const read of [readListQuery, readFilter]) {
        try {
          read(query(text));
        } catch (error) {
          if (!(error instanceof Problem)) throw new Error(`${text}: ${error}`);
          expect(error.status).toBe(400);
          expect(error.message.length).toBeLessThan(400);
        }
      }
    }
  });

  test("what is well-formed is decoded as the platform does it", () => {
    for (const text of texts) {
      const withoutFragment = text.split("#")[0] ?? "";
      let ours: QueryString;
      try {
        ours = query(text);
      } catch {
        continue;
      }
      const theirs = new URLSearchParams(withoutFragment);
      for (const name of ours.names) expect([text, ours.all(name)]).toEqual([text, theirs.getAll(name)]);
      expect(new Set(ours.names)).toEqual(new Set(theirs.keys()));
    }
  });
});
