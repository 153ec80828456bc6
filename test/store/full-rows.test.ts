// Rows that the disk does not take: those of messages that were acknowledged wait, those of the refused are forgotten.
import type { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { openDerived } from "../../src/store/derived-db.ts";
import type { MessageRow } from "../../src/store/rows/row.ts";
import { Rows } from "../../src/store/rows/rows.ts";
import { ROWS_SCHEMA } from "../../src/store/rows/schema.ts";

/** More than wait for a commit. */
const MANY = 600;
const NOWHERE = { segment: 0, at: 0 };

function rowAfter({ state }: Rows): MessageRow {
  const seq = state.last_seq + 1;
  const facts = { is_read: 0, is_starred: 0, has_attachments: 0, tags: null };
  const id = `id${String(seq).padStart(8, "0")}`;
  const texts = { sender: "a@example.com", recipients: '["b@example.com"]', subject: "s".repeat(100) };
  return { seq, id, created: seq, size: 1, segment: 0, at: 0, body_at: 0, ...facts, ...texts };
}

/** One group with one message, as the store does it; false when it is refused. */
function insert(rows: Rows): boolean {
  try {
    rows.begin();
    rows.insert(rowAfter(rows));
    rows.commit(NOWHERE, "soon");
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "SQLITE_FULL" });
    rows.rollback();
    return false;
  }
}

const pagesOf = (db: Database): number =>
  (db.query("PRAGMA page_count").get() as { page_count: number }).page_count;

test.each([
  ["nobody reads meanwhile", 0],
  ["somebody reads meanwhile", 7],
])("a disk without room for them wedged the rows for good, when %s", (_, readEvery) => {
  const { db } = openDerived(":memory:", ROWS_SCHEMA, 0);
  const rows = new Rows(db);
  const ids = () => rows.after(0, 10 * MANY).map(({ id }) => id);
  db.run(`PRAGMA max_page_count = ${pagesOf(db) + 10}`);
  const acknowledged: string[] = [];
  const takeIn = () => {
    const { id } = rowAfter(rows);
    if (insert(rows)) acknowledged.push(id);
  };
  for (let i = 0; i < MANY; i++) {
    takeIn();
    if (readEvery > 0 && i % readEvery === 0) expectTruth(ids, acknowledged);
  }
  expect(acknowledged.length).toBeWithin(1, MANY);
  expect(rows.state).toMatchObject({ messages: acknowledged.length, last_id: acknowledged.at(-1) });
  db.run("PRAGMA max_page_count = 100000");
  expect(ids()).toEqual(acknowledged);
  for (let i = 0; i < MANY; i++) takeIn();
  expect(acknowledged.length).toBeGreaterThan(MANY);
  expect(ids()).toEqual(acknowledged);
  rows.finish();
  expect(new Rows(db).state.messages).toBe(acknowledged.length);
});

/** All of them, or a clear failure. */
function expectTruth(ids: () => string[], acknowledged: readonly string[]): void {
  try {
    expect(ids()).toEqual([...acknowledged]);
  } catch (error) {
    expect(error).toMatchObject({ code: "SQLITE_FULL" });
  }
}
