// Rows and their indexes that have changed by themselves: what filters and counts is looked at in the background.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageFilter } from "../../src/model/index.ts";
import type { Store } from "../../src/store/index.ts";
import { isAsWritten, sumOf } from "../../src/store/rows/row.ts";
import { Rows } from "../../src/store/rows/rows.ts";
import { useFolders } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { mail, openFiles, put } from "./open.ts";

const freshFolder = useFolders();
const MESSAGES = 450;

/** Every third has a star and a tag, the last one a name that is not of ASCII. */
async function filled(): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir);
  const subjects = Array.from({ length: MESSAGES }, (_, n) => (n === MESSAGES - 1 ? "ÄRGER" : `m${n}`));
  const ids = (await Promise.all(subjects.map((subject) => put(store, mail(subject))))).map(({ id }) => id);
  const third = ids.filter((_, n) => n % 3 === 0);
  await store.update(third, { is_starred: true, tags: ["third"] });
  await store.close();
  for (const name of readdirSync(dir)) if (name.endsWith(".seal")) rmSync(join(dir, name));
  return dir;
}

function change(dir: string, run: (db: Database) => void): void {
  const db = new Database(join(dir, "index.sqlite"));
  run(db);
  db.close();
}

const settlesAt = (store: Store, filter: MessageFilter, count: number) =>
  until(async () => (await store.count(filter)) === count, `a count of ${count}`);

describe("a count was wrong until the next clean start:", () => {
  test.each<[string, string, MessageFilter, number]>([
    ["a star", "UPDATE message SET is_starred = 1 WHERE seq = 2", { starred: true }, 150],
    ["a mail read", "UPDATE message SET is_read = 1 WHERE seq = 449", { starred: true, unread: true }, 150],
    ["a sender", "UPDATE message SET sender = 'x@x.org' WHERE seq = 300", { sender: "x@x.org" }, 0],
    ["a folded subject", "UPDATE message SET folded_subject = 'x' WHERE seq = 450", { subject: "ärger" }, 1],
    ["a tag that is gone", "DELETE FROM tag WHERE seq = 301", { tags: ["third"] }, 150],
    ["a tag of nobody", "INSERT INTO tag VALUES ('third', 2)", { tags: ["third"] }, 150],
    ["the number of all", "UPDATE state SET messages = 9", {}, MESSAGES],
    ["the number of unread ones", "UPDATE state SET unread = 9", { unread: true }, MESSAGES],
  ])("%s", async (_, sql, filter, count) => {
    const dir = await filled();
    change(dir, (db) => db.run(sql));
    const store = await openFiles(dir);
    await settlesAt(store, filter, count);
    await store.close();
  });
});

/** What lists and counts are made of. */
async function answersOf(rows: Rows): Promise<unknown> {
  const filters: MessageFilter[] = [
    { starred: true },
    { unread: true, starred: true },
    { tags: ["third"] },
    { subject: "m1" },
    { sender: "alice@example.com" },
    { recipient: "bob" },
  ];
  const { matching } = rows;
  const found: unknown[] = [];
  for (const filter of filters) found.push(await matching.count(filter), await matching.seqs(filter));
  for (const before of [100, 200, 300]) found.push(await matching.seqs({ starred: true }, { before }));
  const ids = rows.rowsOf(await matching.seqs({})).map(({ id, seq }) => [id, seq, rows.seqOf(id)]);
  return [found, ids, rows.tags()];
}

async function checkedAnswers(path: string): Promise<unknown> {
  using db = new Database(path);
  const rows = new Rows(db);
  try {
    const check = rows.startCheck();
    while (check.step());
    return rows.hasSoundState ? await answersOf(rows) : "not sound";
  } finally {
    rows.finish();
  }
}

test("what the check lets pass is true, whichever byte of the index has changed", async () => {
  const path = join(await filled(), "index.sqlite");
  const expected = await checkedAnswers(path);
  expect(expected).not.toBe("not sound");
  const bytes = readFileSync(path);
  let found = 0;
  for (let at = 5000; at < bytes.length; at += 997) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
    writeFileSync(path, changed);
    try {
      expect(await checkedAnswers(path)).toEqual(expected);
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_CORRUPT") throw error;
      found++;
    }
  }
  expect(found).toBeGreaterThan(30);
});

test("a value whose type has changed made reading fail", () => {
  const row = {
    ...{ seq: 1, id: "i", created: 1, size: 1, segment: 1, at: 1, body_at: 1 },
    ...{ is_read: 0, is_starred: 0, has_attachments: 0 },
    ...{ sender: "s", recipients: "[]", subject: "", tags: null, sum: 0 },
  };
  const written = { ...row, sum: sumOf(row) };
  expect(isAsWritten(written)).toBe(true);
  for (const wrong of [
    { id: 7 },
    { sender: null },
    { subject: 0 },
    { recipients: null },
    { tags: 5 },
    { is_read: "0" },
  ])
    expect(isAsWritten({ ...written, ...wrong } as never)).toBe(false);
});

test("a message that the index of ids had lost was taken for gone", async () => {
  const path = join(await filled(), "index.sqlite");
  const withRows = <Result>(run: (rows: Rows) => Result): Result => {
    using db = new Database(path);
    const rows = new Rows(db);
    try {
      return run(rows);
    } finally {
      rows.finish();
    }
  };
  const ids = withRows((rows) => rows.after(0, 1000)).map(({ id }) => id);
  for (const id of ids) expect(withRows((rows) => rows.byId(`${id}x`))).toBeNull();
  for (const id of [ids[0], ids[200], ids.at(-2)] as string[]) {
    const bytes = readFileSync(path);
    const changed = Buffer.from(bytes);
    const place = indexPlaceOf(bytes, id);
    changed.writeUInt8(changed.readUInt8(place + 25) ^ 64, place + 25);
    writeFileSync(path, changed);
    expect(() => withRows((rows) => rows.byId(id))).toThrow("wrong about");
    writeFileSync(path, bytes);
  }
});

/** Where the id stands without the rest of its row. */
function indexPlaceOf(bytes: Buffer, id: string): number {
  const places: number[] = [];
  for (let at = bytes.indexOf(id); at >= 0; at = bytes.indexOf(id, at + 1)) places.push(at);
  const isRow = (at: number) => bytes.subarray(at, at + 120).includes("alice@example.com");
  return places.find((at) => !isRow(at)) ?? -1;
}
