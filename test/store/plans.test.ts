// No page query may scan a table or sort, because that takes longer the more mail there is.
import { describe, expect, test } from "bun:test";
import type { MessageFilter } from "../../src/model/index.ts";
import { questionOf } from "../../src/store/question.ts";
import { pageSql } from "../../src/store/rows/filter-sql.ts";
import { ROWS_SCHEMA } from "../../src/store/rows/schema.ts";
import { PAGE, SEARCH_SCHEMA } from "../../src/store/search/text-index.ts";
import { openIndex } from "../../src/store/sqlite.ts";

const FLAGS: MessageFilter[] = [
  {},
  { starred: true },
  { unread: true },
  { has_attachments: true },
  { starred: true, unread: true },
  { starred: true, has_attachments: true },
  { unread: true, has_attachments: true },
  { starred: true, unread: true, has_attachments: true },
];
const TAGS: (string[] | undefined)[] = [
  undefined,
  ["a"],
  ["a", "b", "c"],
  Array.from({ length: 20 }, (_, i) => `t${i}`),
];

describe("the plan of a page", () => {
  const { db } = openIndex(":memory:", ROWS_SCHEMA, 0);
  for (const flags of FLAGS) {
    for (const tags of TAGS) {
      for (const range of [{}, { before: 5 }]) {
        const filter = tags === undefined ? flags : { ...flags, tags };
        test(`of ${JSON.stringify({ ...filter, ...range, ...(tags && { tags: tags.length }) })} only searches`, () => {
          const { sql, params } = pageSql(filter, range);
          const plan = db.query(`EXPLAIN QUERY PLAN ${sql}`).all(...params, 50, 0) as { detail: string }[];
          const bad = plan.map(({ detail }) => detail).filter((detail) => /SCAN|TEMP B-TREE/.test(detail));
          expect(bad).toEqual([]);
        });
      }
    }
  }
});

describe("the plan of a page of one inbox", () => {
  const { db } = openIndex(":memory:", ROWS_SCHEMA, 0);
  test.each([...FLAGS, { tags: ["a", "b"] }].map((filter) => [JSON.stringify(filter), filter] as const))(
    "%s walks the inbox and sorts nothing",
    (_, filter) => {
      const { sql, params } = pageSql({ ...filter, inboxes: ["shop"] }, { before: 5 });
      const plan = db.query(`EXPLAIN QUERY PLAN ${sql}`).all(...params, 50, 0) as { detail: string }[];
      expect(plan[0]?.detail).toContain("USING COVERING INDEX message_inbox (inbox=? AND seq<?)");
      expect(plan.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
    },
  );
});

describe("a page of a search by facts walks one index and sorts nothing", () => {
  const { db } = openIndex(":memory:", ROWS_SCHEMA, 0);
  test.each([
    ["larger:1MB", "USING COVERING INDEX message_facts"],
    ["is:read -before:2d (tag:a OR has:attachment)", "USING COVERING INDEX message_facts"],
    ["is:unread larger:1MB", "USING INDEX message_unread"],
    ["tag:a", "USING PRIMARY KEY (tag=? AND seq<?)"],
  ])("%s", (q, index) => {
    const question = questionOf({ q }, 0);
    const { sql, params } = pageSql(question?.filter ?? {}, {});
    const plan = db.query(`EXPLAIN QUERY PLAN ${sql}`).all(...params, 50, 0) as { detail: string }[];
    expect(plan[0]?.detail).toContain(index);
    expect(plan.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
  });
});

test("a tree of texts is one question to the text index, without the rows", () => {
  const question = questionOf({ q: "-a OR (from:b -(c OR header:x-run=1))" }, 0);
  expect(question).toMatchObject({ match: expect.any(String), filter: {}, mixed: [] });
});

test("the plan of a page of a text search does not sort", () => {
  const { db } = openIndex(":memory:", SEARCH_SCHEMA, 0);
  const plan = db.query(`EXPLAIN QUERY PLAN ${PAGE}`).all('"a" *', 5, 50, 0) as {
    detail: string;
  }[];
  expect(plan.map(({ detail }) => detail).filter((detail) => /TEMP B-TREE/.test(detail))).toEqual([]);
  expect(plan.map(({ detail }) => detail).join()).toContain("VIRTUAL TABLE INDEX");
});
