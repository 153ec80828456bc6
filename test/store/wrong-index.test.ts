// An index whose bytes changed without SQLite noticing: the log is right, and no mail leaves it for that.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useFolders } from "../support/folders.ts";
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
  changeIndex(dir, change);
  return { dir, ids };
}

function changeIndex(dir: string, change: (db: Database) => void): void {
  using db = new Database(join(dir, "index.sqlite"));
  change(db);
  withoutSeals(dir);
}

/** As if Mailkeep had been killed: nothing tells that the files have changed. */
function withoutSeals(dir: string): void {
  for (const name of ["index.sqlite.seal", "search.sqlite.seal"]) rmSync(join(dir, name), { force: true });
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

describe("a row that had changed by itself was served as truth:", () => {
  test.each([
    ["another subject", "UPDATE message SET subject = 'never sent' WHERE seq = 1"],
    ["a negative size", "UPDATE message SET size = -48 WHERE seq = 1"],
    ["another time", "UPDATE message SET created = created + 1 WHERE seq = 1"],
    ["a time that is none", "UPDATE message SET created = 9007199254740991 WHERE seq = 1"],
    ["another sender", "UPDATE message SET sender = 'mallory@example.com' WHERE seq = 1"],
    ["recipients that are no list", "UPDATE message SET recipients = '[\"bob@' WHERE seq = 1"],
    ["tags", "UPDATE message SET tags = '[\"t\"]' WHERE seq = 1"],
    ["tags that are no list", "UPDATE message SET tags = '[' WHERE seq = 2"],
    ["a star", "UPDATE message SET is_starred = 1 WHERE seq = 2"],
    ["another id", "UPDATE message SET id = '01ARZ3NDEKTSV4RRFFQ69G5FAV' WHERE seq = 2"],
    ["nothing: it is gone", "DELETE FROM message WHERE seq = 2"],
  ])("%s", async (_, sql) => {
    const { dir, ids } = await folderWith(() => {});
    const before = await openFiles(dir, { largeBytes: 4000 });
    const expected = await before.list({ filter: {}, limit: 9 });
    await before.close();
    changeIndex(dir, (db) => db.run(sql));
    const store = await openFiles(dir, { largeBytes: 4000 });
    expect(await store.list({ filter: {}, limit: 9 })).toEqual(expected);
    for (const id of ids)
      expect(await store.get(id)).toEqual(expected.messages.find((one) => one.id === id) ?? null);
    expect(await store.walk({})).toEqual(ids);
    await store.close();
  });
});

test("what has changed in an index since it was closed is found, in what filters as well", async () => {
  const { dir } = await folderWith(() => {});
  await (await openFiles(dir, { largeBytes: 4000 })).close();
  const path = join(dir, "index.sqlite");
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf("small"); at >= 0; at = bytes.indexOf("small", at)) bytes.write("never", at);
  writeFileSync(path, bytes);
  const store = await openFiles(dir, { largeBytes: 4000 });
  expect(await store.count({ subject: "never" })).toBe(0);
  expect(await store.count({ subject: "small" })).toBe(2);
  await store.close();
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
    withoutSeals(dir);
    flipBitIn(join(dir, file), name);
    const store = await openFiles(dir);
    expect(await store.count({})).toBe(3);
    expect(await store.count({ q: "small" })).toBe(2);
    await store.close();
  });
});

test("an id that the index of ids does not have was listed and not found", async () => {
  const { dir, ids } = await folderWith(() => {});
  const path = join(dir, "index.sqlite");
  const bytes = readFileSync(path);
  const first = bytes.indexOf(ids[2] ?? "");
  expect(bytes.indexOf(ids[2] ?? "", first + 1)).toBeGreaterThan(0);
  bytes.writeUInt8(bytes.readUInt8(first + 25) ^ 1, first + 25);
  writeFileSync(path, bytes);
  const store = await openFiles(dir, { largeBytes: 4000 });
  const { messages } = await store.list({ filter: {}, limit: 5 });
  expect(messages.map(({ id }) => id)).toEqual(ids.toReversed());
  for (const id of ids) expect(await rawOf(store, id)).not.toBeNull();
  await store.close();
});

describe("bytes that slipped into the log", () => {
  test("cost one mail, not all that come after it, and a search counts what is there", async () => {
    const { dir } = await folderWith(() => {});
    const store = await openFiles(dir);
    for (let i = 0; i < 20; i++) await put(store, mail(`m${i}`, "hello"));
    expect(await store.count({ q: "hello" })).toBe(20);
    await store.close();
    const [segment = ""] = readdirSync(join(dir, "log"));
    const path = join(dir, "log", segment);
    const bytes = readFileSync(path);
    const inside = bytes.indexOf("Subject: m3");
    writeFileSync(path, Buffer.concat([bytes.subarray(0, inside), Buffer.from("?"), bytes.subarray(inside)]));
    const again = await openFiles(dir);
    const { messages } = await again.list({ filter: {}, limit: 30 });
    for (const { id } of messages) await rawOf(again, id);
    expect(await again.count({})).toBe(22);
    expect(await again.count({ q: "hello" })).toBe(19);
    await again.close();
  });
});

test("a segment that was lost took the intact bodies of its large mails with it", async () => {
  const { dir } = await folderWith(() => {});
  for (const segment of readdirSync(join(dir, "log"))) rmSync(join(dir, "log", segment));
  const store = await openFiles(dir, { largeBytes: 4000 });
  expect(await store.count({})).toBe(0);
  const kept = readdirSync(join(dir, "damaged")).map((name) =>
    readFileSync(join(dir, "damaged", name), "utf8"),
  );
  expect(kept).toContain(LARGE);
  await store.close();
});
