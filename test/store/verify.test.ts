import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, type Store, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, coverReadOnly } from "../support/small-disk.ts";
import { commonOptions, mail, openFiles, put } from "./open.ts";
import { flipBit, segmentOf } from "./spoil.ts";

const freshFolder = useFolders();
const verify = (dir: string) => verifyStore({ dir, startScan });

async function filledFolder(): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir, { largeBytes: 500 });
  for (let i = 0; i < 5; i++) await put(store, mail(`m${i}`));
  await put(store, mail("large", "x".repeat(600)));
  const [first, second] = await store.walk({});
  await store.update([first ?? ""], { tags: ["t"], is_read: true });
  await store.delete([second ?? ""]);
  await store.count({ q: "indexed" });
  await store.close();
  return dir;
}

const largeFile = (dir: string) => join(dir, "large", readdirSync(join(dir, "large"))[0] ?? "");
const inIndex = (dir: string, sql: string) => {
  const db = new Database(join(dir, "index.sqlite"));
  db.run(sql);
  db.close();
  // As if Mailkeep had been killed: nothing tells that the file has changed.
  rmSync(join(dir, "index.sqlite.seal"));
};

test("a sound store has no problems, and verifying changes none of its files", async () => {
  const dir = await filledFolder();
  const log = readFileSync(segmentOf(dir));
  const report = await verify(dir);
  expect(report).toMatchObject({ segments: 1, messages: 5, problems: [], notes: [] });
  expect(readFileSync(segmentOf(dir))).toEqual(log);
});

const damages: Record<string, [string, (dir: string) => void]> = {
  "a flipped bit in the log": ["damaged_record", (dir) => flipBit(segmentOf(dir), 300)],
  "a torn tail": ["torn_tail", (dir) => truncateSync(segmentOf(dir), statSync(segmentOf(dir)).size - 3)],
  "a missing large body": ["missing_body", (dir) => rmSync(largeFile(dir))],
  "a damaged large body": ["damaged_body", (dir) => flipBit(largeFile(dir), 100)],
  "bytes behind a large body": ["surplus_bytes", (dir) => appendFileSync(largeFile(dir), "more")],
  "a row that is missing": ["row_missing", (dir) => inIndex(dir, "DELETE FROM message WHERE seq = 3")],
  "a tag that filters no longer find": ["index_wrong", (dir) => inIndex(dir, "DELETE FROM tag")],
  "a tag that no message has": ["index_wrong", (dir) => inIndex(dir, "INSERT INTO tag VALUES ('other', 3)")],
  "a wrong total": ["index_wrong", (dir) => inIndex(dir, "UPDATE state SET unread = unread + 1")],
  "a row that is too much": [
    "row_superfluous",
    (dir) =>
      inIndex(
        dir,
        "INSERT INTO message SELECT 99, 'id99', created, size, segment, at, body_at, chars, is_read, is_starred, has_attachments, sender, recipients, subject, tags, null, null, null, sum FROM message LIMIT 1",
      ),
  ],
  "a row that says otherwise": [
    "row_differs",
    (dir) => inIndex(dir, "UPDATE message SET subject = 'no' WHERE seq = 3"),
  ],
  "a spoilt text index": [
    "search_unusable",
    (dir) => writeFileSync(join(dir, "search.sqlite"), "nonsense".repeat(1000)),
  ],
};
describe("verify names", () => {
  for (const [name, [kind, damage]] of Object.entries(damages)) {
    test(name, async () => {
      const dir = await filledFolder();
      damage(dir);
      const { problems } = await verify(dir);
      expect(problems.map((problem) => problem.kind)).toContain(kind as never);
      for (const { message } of problems) expect(message).not.toContain("\n");
    });
  }
});

test("an index that is missing, as after a stop on a full disk, was called unusable", async () => {
  const dir = await filledFolder();
  rmSync(join(dir, "index.sqlite"));
  const { problems, notes } = await verify(dir);
  expect(problems).toEqual([]);
  expect(notes).toEqual(["the index is missing; it is built at the next start"]);
});

test("of a file that was cut short nothing was said once a start had named it", async () => {
  const dir = await filledFolder();
  const path = segmentOf(dir);
  const whole = readFileSync(path);
  truncateSync(path, whole.length - 3);
  expect((await verify(dir)).problems.map(({ kind }) => kind)).toContain("shortened_segment");
  await (await openFiles(dir)).close();
  const { problems, notes } = await verify(dir);
  expect(problems).toEqual([]);
  expect(notes).toContainEqual(
    expect.stringContaining("0000000001-*.seg was found shorter than it had been"),
  );
  writeFileSync(path, whole);
  expect((await verify(dir)).notes).toEqual([
    "files were put back that the index does without; the next start builds it anew",
  ]);
  await (await openFiles(dir)).close();
  expect(await verify(dir)).toMatchObject({ messages: 5, problems: [] });
});

describe("what a kill left of a write that nobody was told of counted as damage:", () => {
  test.each([1, 19, 20, 40, -1])("%d bytes of it", async (bytes) => {
    const dir = await filledFolder();
    const { size } = statSync(segmentOf(dir));
    const written = freshFolder();
    cpSync(dir, written, { recursive: true });
    const store = await openFiles(written);
    await put(store, mail("unfinished"));
    await store.close();
    const end = bytes < 0 ? bytes : size + bytes;
    writeFileSync(segmentOf(dir), readFileSync(segmentOf(written)).subarray(0, end));
    const { problems, notes, messages } = await verify(dir);
    expect({ problems, messages }).toEqual({ problems: [], messages: 5 });
    expect(notes).toEqual([
      expect.stringContaining("an unfinished write, of which nothing was acknowledged"),
    ]);
  });
});

test("damage that a start had set aside was a problem for ever, and hid what was damaged since", async () => {
  const dir = await filledFolder();
  flipBit(segmentOf(dir), 300);
  expect((await verify(dir)).problems.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("the next start sets it aside"),
  );
  await (await openFiles(dir)).close();
  const [copy = ""] = readdirSync(join(dir, "damaged"));
  const { problems, notes } = await verify(dir);
  expect(problems).toEqual([]);
  expect(notes).toEqual([expect.stringContaining(`set aside in ${join(dir, "damaged", copy)};`)]);
  flipBit(segmentOf(dir), 301);
  expect((await verify(dir)).problems.map(({ kind }) => kind)).toEqual(["damaged_record"]);
});

test("reindex makes a damaged index whole again", async () => {
  const dir = await filledFolder();
  inIndex(dir, "DELETE FROM message WHERE seq = 3");
  expect(await reindexStore({ ...commonOptions, durability: "os", dir })).toBe(5);
  expect((await verify(dir)).problems).toEqual([]);
});

test("a text index that had yet to catch up after kill -9 counted as damage", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir);
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push((await put(store, mail(`m${i}`))).id);
  await store.count({ q: "indexed" });
  await store.close();
  const before = readFileSync(join(dir, "search.sqlite"));
  const lag = async (change: (store: Store) => Promise<unknown>) => {
    const again = await openFiles(dir);
    await change(again);
    await again.close();
    for (const suffix of ["-wal", ".seal"]) rmSync(join(dir, `search.sqlite${suffix}`), { force: true });
    writeFileSync(join(dir, "search.sqlite"), before);
    return verify(dir);
  };
  expect((await lag((again) => again.delete(ids.slice(0, 2)))).problems).toEqual([]);
  expect((await lag((again) => put(again, mail("new")))).notes).toHaveLength(1);
  const cleared = await lag((again) => again.clear());
  expect(cleared.problems).toEqual([]);
  expect(cleared.notes).toEqual(["the text index is behind the log; it catches up by itself"]);
});

test("a lost large body was called a matter for reindex, which does not help", async () => {
  const dir = await filledFolder();
  const path = largeFile(dir);
  rmSync(path);
  const { problems } = await verify(dir);
  expect(problems.map(({ kind }) => kind)).toEqual(["missing_body"]);
  expect(problems[0]?.message).toContain(`put ${path} back from a backup`);
  const store = await openFiles(dir, { largeBytes: 500 });
  expect((await store.stats()).messages).toBe(4);
  await store.close();
  expect((await verify(dir)).problems).toEqual([]);
});

test("bytes behind a large body were named, but not how to be rid of them", async () => {
  const dir = await filledFolder();
  const { size } = statSync(largeFile(dir));
  appendFileSync(largeFile(dir), "more");
  const { problems } = await verify(dir);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining(`cut the file to ${size} bytes`),
  ]);
  truncateSync(largeFile(dir), size);
  expect((await verify(dir)).problems).toEqual([]);
});

describe.skipIf(!canMount)("a folder that cannot be written (needs root on Linux, to mount one)", () => {
  const verifyReadOnly = async (dir: string) => {
    using _cover = coverReadOnly(dir);
    return await verify(dir);
  };

  test("was refused, though nothing is written to it", async () => {
    const dir = await filledFolder();
    expect(await verifyReadOnly(dir)).toEqual(await verify(dir));
    for (const name of readdirSync(dir)) if (name.startsWith("lock")) rmSync(join(dir, name));
    expect(await verifyReadOnly(dir)).toMatchObject({ messages: 5, problems: [], notes: [] });
    expect(readdirSync(dir).filter((name) => /^lock|-wal$|-shm$/.test(name))).toEqual([]);
  });

  test.each(Object.entries(damages))("%s is found there as well", async (_, [kind, spoil]) => {
    const dir = await filledFolder();
    spoil(dir);
    const { problems } = await verifyReadOnly(dir);
    expect(problems.map((problem) => problem.kind as string)).toContain(kind);
  });

  test("what a kill has left beside the index is read, too", async () => {
    const dir = await filledFolder();
    const store = await openFiles(dir);
    await put(store, mail("last"));
    const copy = freshFolder();
    cpSync(dir, copy, { recursive: true });
    await store.close();
    expect(statSync(join(copy, "index.sqlite-wal")).size).toBeGreaterThan(0);
    expect(await verifyReadOnly(copy)).toMatchObject({ messages: 6, problems: [] });
  });

  test("is refused while a Mailkeep that can write to it has it in use", async () => {
    const dir = await filledFolder();
    const store = await openFiles(dir);
    const error = await verifyReadOnly(dir).catch((cause) => cause);
    await store.close();
    expect(error.code).toBe("data_dir_locked");
  });
});

test("a folder without a store, or one in use, is refused", async () => {
  expect((await verify(freshFolder()).catch((error) => error)).code).toBe("data_dir_unusable");
  const dir = freshFolder();
  const store = await openFiles(dir);
  expect((await verify(dir).catch((error) => error)).code).toBe("data_dir_locked");
  await store.close();
});

test("a text index that was not yet built by this version counted as damage", async () => {
  const dir = await filledFolder();
  const db = new Database(join(dir, "search.sqlite"));
  db.run("PRAGMA user_version = 0");
  db.close();
  const { problems, notes } = await verify(dir);
  expect(problems).toEqual([]);
  expect(notes).toEqual(["the text index is not yet built by this version; it is built by itself"]);
});

test("a text index was said to be behind for good when the newest mail had been deleted before it was built", async () => {
  const dir = await filledFolder();
  const store = await openFiles(dir);
  await store.delete((await store.walk({})).slice(-1));
  await store.close();
  await reindexStore({ ...commonOptions, durability: "os", dir });
  expect(await verify(dir)).toMatchObject({ messages: 4, problems: [], notes: [] });
});

test("an index was said to be behind a log in which there was nothing yet", async () => {
  const dir = freshFolder();
  await (await openFiles(dir)).close();
  expect(await verify(dir)).toMatchObject({ messages: 0, problems: [], notes: [] });
});
