// An index whose bytes changed without SQLite noticing: the log is right, and no mail leaves it for that.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useFolders } from "./folders.ts";
import { mail, openFiles, put, rawOf } from "./open.ts";

const freshFolder = useFolders();
const SMALL = mail("small", "the small body");
const LARGE = mail("large", "x".repeat(5000));

/** Two small messages and one with a file of its own, in a folder whose index was then changed. */
async function folderWith(change: (db: Database) => void) {
  const dir = freshFolder();
  const store = await openFiles(dir, { largeBytes: 4000 });
  const ids: string[] = [];
  for (const raw of [SMALL, LARGE, SMALL]) ids.push((await put(store, raw)).id);
  await store.close();
  using db = new Database(join(dir, "index.sqlite"));
  change(db);
  return { dir, ids };
}

describe("a row that is wrong about its record made the mail leave the log", () => {
  test.each([
    ["at another place", "UPDATE message SET at = at + 64 WHERE seq = 1"],
    ["of another size", "UPDATE message SET size = size + 1 WHERE seq = 1"],
    ["with another beginning of the body", "UPDATE message SET body_at = body_at - 2 WHERE seq = 1"],
    ["in a segment that is not there", "UPDATE message SET segment = 9 WHERE seq = 1"],
    ["in a file of its own", "UPDATE message SET body_at = 0 WHERE seq = 1"],
    ["not in a file of its own", "UPDATE message SET body_at = 100 WHERE seq = 2"],
    ["whose large record lies elsewhere", "UPDATE message SET at = at - 8 WHERE seq = 2"],
  ])("%s", async (_, sql) => {
    const { dir, ids } = await folderWith((db) => db.run(sql));
    for (let start = 0; start < 2; start++) {
      const store = await openFiles(dir, { largeBytes: 4000 });
      const raws = await Promise.all(
        ids.map(async (id) => String(Buffer.from((await rawOf(store, id)) ?? []))),
      );
      expect(raws).toEqual([SMALL, LARGE, SMALL]);
      expect(await store.count({})).toBe(3);
      await store.close();
    }
  });
});

/** The first place of this text in the file. */
function flipBitIn(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

describe("a flipped bit in the names of tables and columns", () => {
  test.each([
    ["index.sqlite", "cleared_seq", "kept Mailkeep from starting"],
    ["index.sqlite", "has_attachments", "kept Mailkeep from starting"],
    ["search.sqlite", "recipients", "made every search fail"],
    ["search.sqlite", "indexed_seq", "made every search fail"],
  ])("of %s (%s) %s", async (file, name) => {
    const { dir } = await folderWith(() => {});
    const before = await openFiles(dir);
    expect(await before.count({ q: "small" })).toBe(2);
    await before.close();
    flipBitIn(join(dir, file), name);
    const store = await openFiles(dir);
    expect(await store.count({})).toBe(3);
    expect(await store.count({ q: "small" })).toBe(2);
    await store.close();
  });
});
