// `verify` finds what is wrong in a data folder, says what the next start repairs by itself, and
// changes nothing. `reindex` builds both indexes again.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reindexStore, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
import { codeOf, commonOptions, copyTo, mail, namesIn, put } from "./open.ts";
import { openQuick, searchInProcess } from "./search-in-process.ts";

const freshFolder = useFolders();

/** Makes a data folder with three segments, a large body, a change, a setting and a deletion. */
async function filledFolder(): Promise<string> {
  const dir = freshFolder();
  const store = await openQuick(dir, { largeBytes: 900, segmentBytes: 1500 });
  for (let n = 0; n < 6; n++) await put(store, mail(`m${n}`, "x".repeat(400)));
  await put(store, mail("large", "x".repeat(1000)));
  const [first = "", second = ""] = await store.walk({});
  await store.update([first], { tags: ["t"], is_read: true });
  await store.set("k", 1);
  await store.delete([second]);
  await store.indexed();
  await store.close();
  return dir;
}

const segment = (dir: string, at: number) => join(dir, "log", namesIn(dir, "log").at(at) ?? "");
const largeFile = (dir: string) => join(dir, "large", namesIn(dir, "large")[0] ?? "");
const inIndex = (name: string, sql: string) => (dir: string) => {
  const db = new Database(join(dir, name));
  db.run(sql);
  db.close();
};
function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

function fillPage(path: string, page: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xaa, (page - 1) * 4096, page * 4096));
}

test("a sound store has neither problems nor notes, and verifying changes none of its files", async () => {
  const dir = await filledFolder();
  const bytes = () => namesIn(dir, "log").map((name) => readFileSync(join(dir, "log", name)));
  const [before, index] = [bytes(), readFileSync(join(dir, "index.sqlite"))];
  const steps: [number, number][] = [];
  const report = await verifyStore({ dir, onProgress: (done, total) => steps.push([done, total]) });
  const segments = namesIn(dir, "log").length;
  expect(report).toEqual({
    segments,
    messages: 6,
    message_bytes: expect.any(Number),
    problems: [],
    notes: [],
  });
  expect(steps.at(-1)).toEqual([segments, segments]);
  expect([bytes(), readFileSync(join(dir, "index.sqlite"))]).toEqual([before, index]);
});

describe("a problem is", () => {
  const problems: [string, (dir: string) => void, RegExp][] = [
    [
      "a changed byte",
      (dir) => flipBit(segment(dir, 0), 300),
      /0000000001-0\.seg, bytes \d+ to \d+: .* checksum/,
    ],
    ["a missing segment", (dir) => rmSync(segment(dir, 1)), /0000000002-0\.seg is missing/],
    [
      "a missing log folder",
      (dir) => rmSync(join(dir, "log"), { recursive: true }),
      /0000000001-0\.seg is missing/,
    ],
    ["a missing oldest segment", (dir) => rmSync(segment(dir, 0)), /0000000001-0\.seg is missing/],
    ["a missing newest segment", (dir) => rmSync(segment(dir, -1)), /the log ends before the index does/],
    ["a damaged page of the text index", (dir) => fillPage(join(dir, "search.sqlite"), 3), /is damaged/],
    ["a missing large body", (dir) => rmSync(largeFile(dir)), /the body of .* is missing or does not match/],
    [
      "a changed large body",
      (dir) => flipBit(largeFile(dir), 99),
      /the body of .* is missing or does not match/,
    ],
    [
      "a missing row",
      inIndex("index.sqlite", "DELETE FROM message WHERE seq = 3"),
      /the index differs from the log/,
    ],
    [
      "a wrong row",
      inIndex("index.sqlite", "UPDATE message SET subject = 'no' WHERE seq = 3"),
      /the index differs from the log/,
    ],
    [
      "a wrong setting",
      inIndex("index.sqlite", "UPDATE setting SET value = '2'"),
      /the index differs from the log/,
    ],
    [
      "a text that is not indexed",
      inIndex("search.sqlite", "DELETE FROM mail WHERE rowid = 3"),
      /'mailkeep reindex'/,
    ],
  ];
  test.each(problems)("%s", async (_, spoil, text) => {
    const dir = await filledFolder();
    spoil(dir);
    const { problems } = await verifyStore({ dir });
    expect(problems.filter((problem) => text.test(problem)).length).toBeGreaterThan(0);
  });
});

describe("the next start repairs", () => {
  const notes: [string, (dir: string) => void, RegExp][] = [
    [
      "a torn tail",
      (dir) => truncateSync(segment(dir, -1), statSync(segment(dir, -1)).size - 3),
      /unfinished record/,
    ],
    ["missing rows", (dir) => rmSync(join(dir, "index.sqlite")), /the index is missing/],
    ["a missing text index", (dir) => rmSync(join(dir, "search.sqlite")), /the text index is missing/],
    [
      "rows of another version",
      inIndex("index.sqlite", "PRAGMA user_version = 1"),
      /the index is not used \(.*version 1/,
    ],
    [
      "rows behind the log",
      inIndex("index.sqlite", "UPDATE state SET applied = 2; DELETE FROM message WHERE seq > 2"),
      /the index is behind the log/,
    ],
  ];
  test.each(notes)("%s, which is a note", async (name, spoil, text) => {
    const dir = await filledFolder();
    // The last segment may hold only its head, so a record is added that can be torn.
    const store = await openQuick(dir);
    await put(store, mail("last"));
    await store.indexed();
    await store.close();
    spoil(dir);
    const report = await verifyStore({ dir });
    expect(report.notes.filter((note) => text.test(note)).length).toBeGreaterThan(0);
    if (name !== "a torn tail") expect(report.problems).toEqual([]);
  });
});

test("a store that was killed has no problems", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir, { largeBytes: 900 });
  for (let n = 0; n < 6; n++) await put(store, mail(`m${n}`, "x".repeat(n * 300)));
  await store.delete((await store.walk({})).slice(0, 2));
  const copy = copyTo(freshFolder(), dir);
  await store.close();
  expect(await verifyStore({ dir: copy })).toMatchObject({ messages: 4, problems: [] });
});

test("a segment that a killed clear has already removed is not called missing", async () => {
  const dir = await filledFolder();
  const killed = copyTo(freshFolder(), dir);
  const store = await openQuick(dir);
  await store.clear();
  await store.close();
  const [cleared = ""] = namesIn(dir, "log");
  copyFileSync(join(dir, "log", cleared), join(killed, "log", cleared));
  rmSync(segment(killed, 1));
  expect(await verifyStore({ dir: killed })).toMatchObject({ segments: 1, messages: 0, problems: [] });
});

test("a folder without a store is refused, and none is made in it", async () => {
  const dir = freshFolder();
  expect(await codeOf(verifyStore({ dir }))).toBe("data_dir_unusable");
  expect(await codeOf(reindexStore({ ...commonOptions, dir, durability: "os" }))).toBe("data_dir_unusable");
  expect(namesIn(dir, "")).toEqual([]);
});

test("reindex builds both indexes from the log and returns the number of messages", async () => {
  const dir = await filledFolder();
  inIndex("index.sqlite", "UPDATE message SET subject = 'no'")(dir);
  inIndex("search.sqlite", "INSERT INTO mail (mail) VALUES ('delete-all')")(dir);
  expect(
    await reindexStore({
      ...commonOptions,
      startSearchWorker: searchInProcess().start,
      dir,
      durability: "os",
    }),
  ).toBe(6);
  expect(await verifyStore({ dir })).toMatchObject({ problems: [], notes: [] });
});

test("reindex refuses a log whose newest segment is missing, and leaves the indexes as they are", async () => {
  const dir = await filledFolder();
  rmSync(segment(dir, -1));
  const [rows, texts] = ["index.sqlite", "search.sqlite"].map((name) => statSync(join(dir, name)).size);
  expect(await codeOf(reindexStore({ ...commonOptions, dir, durability: "os" }))).toBe("log_incomplete");
  expect(statSync(join(dir, "index.sqlite")).size).toBe(rows ?? 0);
  expect(statSync(join(dir, "search.sqlite")).size).toBe(texts ?? 0);
});
