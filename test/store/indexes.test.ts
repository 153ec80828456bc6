// Both indexes are derived: if their files are damaged or lost, they are rebuilt, and nothing else is lost.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { MessageFilter } from "../../src/model/index.ts";
import type { FileStoreOptions, IndexProgress, Store } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { codeOf, copyTo, mail, namesIn, put } from "./open.ts";
import { openQuick, searchInProcess } from "./search-in-process.ts";

const freshFolder = useFolders();

/** Makes a data folder with mail, some of which was changed or deleted. */
async function filledFolder(): Promise<string> {
  const dir = freshFolder();
  const store = await openQuick(dir);
  const stored = await Promise.all(
    Array.from({ length: 60 }, (_, n) => put(store, mail(`word${n % 3} m${n}`))),
  );
  const ids = stored.map(({ id }) => id);
  await store.update(ids.slice(0, 10), { is_read: true, tags: ["t"] });
  await store.delete(ids.slice(5, 15));
  await store.indexed();
  await store.close();
  return dir;
}

/** Returns the results of filters, searches and counts. */
async function seen(store: Store) {
  const { messages, total } = await store.list({ filter: {}, limit: 200 });
  const filters: MessageFilter[] = [{ q: "word1" }, { q: "m4" }, { tags: ["t"] }, { unread: true }];
  const counts = await Promise.all(filters.map((filter) => store.count(filter)));
  const { messages: stored, unread, message_bytes } = await store.stats();
  return { messages, total, counts, stats: { stored, unread, message_bytes } };
}

async function seenIn(dir: string, options: Partial<FileStoreOptions> = {}) {
  const store = await openQuick(dir, options);
  try {
    return await seen(store);
  } finally {
    await store.close();
  }
}

function run(path: string, ...statements: string[]): void {
  const db = new Database(path);
  for (const sql of statements) db.run(sql);
  db.close();
}

describe.each(["index.sqlite", "search.sqlite"])("%s", (name) => {
  const spoiled: [string, (path: string) => void][] = [
    ["is missing", (path) => rmSync(path)],
    ["is empty", (path) => truncateSync(path, 0)],
    ["is cut in half", (path) => truncateSync(path, statSync(path).size >> 1)],
    ["is no database", (path) => writeFileSync(path, "nonsense".repeat(2000))],
    ["has another version", (path) => run(path, "PRAGMA user_version = 7")],
    ["was made from another log", (path) => run(path, "UPDATE origin SET salt = salt + 1")],
    [
      "was in use when the machine stopped",
      (path) => run(path, "UPDATE origin SET clean = 0, boot = 'before'"),
    ],
  ];
  test.each(spoiled)("that %s is built again from the log", async (_, spoil) => {
    const dir = await filledFolder();
    const before = await seenIn(dir);
    spoil(join(dir, name));
    expect(await seenIn(dir)).toEqual(before);
    expect(await seenIn(dir)).toEqual(before);
  });

  test("that is older than the log catches up", async () => {
    const dir = await filledFolder();
    const old = copyTo(freshFolder(), dir);
    const store = await openQuick(dir);
    await put(store, mail("word1 later"));
    await store.delete((await store.walk({})).slice(0, 3));
    const before = await seen(store);
    await store.close();
    cpSync(join(old, name), join(dir, name));
    expect(await seenIn(dir)).toEqual(before);
  });

  test("that knows more than the log is built again, and the loss is logged", async () => {
    const dir = await filledFolder();
    const before = await seenIn(dir);
    const [segment = ""] = namesIn(dir, "log");
    const { size } = statSync(join(dir, "log", segment));
    const store = await openQuick(dir);
    await put(store, mail("word1 lost"));
    await store.indexed();
    await store.close();
    truncateSync(join(dir, "log", segment), size);
    const { logger, events } = collectingLogger("warn");
    expect(await seenIn(dir, { logger })).toEqual(before);
    expect(events).toContain("log shorter than index");
  });

  test("with any of its pages overwritten is built again, at once or after a restart", async () => {
    const dir = await filledFolder();
    const before = await seenIn(dir);
    for (let at = 0; at < statSync(join(dir, name)).size; at += 4096) {
      const copy = copyTo(freshFolder(), dir);
      const fd = openSync(join(copy, name), "r+");
      writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, at);
      closeSync(fd);
      const code = await codeOf(seenIn(copy));
      expect({ at, code }).toEqual({ at, code: expect.stringMatching(/^(none|index_damaged)$/) });
      expect({ at, ...(await seenIn(copy)) }).toEqual({ at, ...before });
    }
  });
});

describe("damaged rows with large bodies", () => {
  const idsIn = async (dir: string) => (await seenIn(dir)).messages.map(({ id }) => id);

  /** Stores enough mail for many pages of index.sqlite. Every 20th body has its own file. */
  async function folderWithLarge(): Promise<string> {
    const dir = freshFolder();
    const store = await openQuick(dir, { largeBytes: 1000 });
    for (let n = 0; n < 200; n++) await put(store, mail(`word1 m${n}`, "x".repeat(n % 20 === 7 ? 2000 : 10)));
    await store.set("key", { value: 1 });
    await store.indexed();
    await store.close();
    return dir;
  }

  test("any page overwritten: every start succeeds, no body is removed, the second start lists all mail", async () => {
    const dir = await folderWithLarge();
    const ids = await idsIn(dir);
    const bodies = namesIn(dir, "large");
    for (let at = 0; at < statSync(join(dir, "index.sqlite")).size; at += 4096) {
      const copy = copyTo(freshFolder(), dir);
      const fd = openSync(join(copy, "index.sqlite"), "r+");
      writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, at);
      closeSync(fd);
      const store = await openQuick(copy);
      expect({ at, settings: await store.settings("") }).toEqual({
        at,
        settings: [{ key: "key", value: { value: 1 } }],
      });
      const code = await codeOf(seen(store));
      expect({ at, code }).toEqual({ at, code: expect.stringMatching(/^(none|index_damaged)$/) });
      await store.close();
      expect({ at, ids: await idsIn(copy) }).toEqual({ at, ids });
      expect({ at, bodies: namesIn(copy, "large") }).toEqual({ at, bodies });
    }
  });
});

test.each([
  ["recipients that are cut off", `UPDATE message SET recipients = '["bob' WHERE seq = 3`],
  ["recipients that are empty", "UPDATE message SET recipients = '' WHERE seq = 3"],
  ["tags that are cut off", `UPDATE message SET tags = '["t' WHERE seq = 3`],
])("rows with %s are named once, health reports them, and a restart repairs them", async (_, sql) => {
  const dir = await filledFolder();
  const before = await seenIn(dir);
  run(join(dir, "index.sqlite"), sql);
  const { logger, events } = collectingLogger("warn");
  const store = await openQuick(dir, { logger });
  const codes = [await codeOf(seen(store)), await codeOf(seen(store)), await codeOf(store.check())];
  expect(codes).toEqual(["index_damaged", "index_damaged", "index_damaged"]);
  await store.close();
  expect(events).toEqual(["index damaged"]);
  expect(await seenIn(dir)).toEqual(before);
});

test("a setting that is cut off is built again from the log at the start", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir);
  await store.set("key", { value: 1 });
  await store.close();
  run(join(dir, "index.sqlite"), `UPDATE setting SET value = '{"value'`);
  const again = await openQuick(dir);
  expect(await again.settings("")).toEqual([{ key: "key", value: { value: 1 } }]);
  await again.close();
});

test("rows found damaged in use are named once, mail is accepted, and a restart repairs them", async () => {
  const dir = await filledFolder();
  const before = await seenIn(dir);
  const { logger, events } = collectingLogger("error");
  const store = await openQuick(dir, { logger });
  const { size } = statSync(join(dir, "index.sqlite"));
  writeFileSync(join(dir, "index.sqlite"), Buffer.alloc(size, 0xa5));
  rmSync(join(dir, "index.sqlite-wal"), { force: true });
  const codes = [await codeOf(seen(store)), await codeOf(store.count({ subject: "word" }))];
  expect(codes).toContain("index_damaged");
  await put(store, mail("word9 taken"));
  await store.close();
  expect(events.filter((event) => event === "index damaged")).toHaveLength(1);
  const after = await seenIn(dir);
  expect(after.messages.slice(1)).toEqual(before.messages);
  expect(after.messages[0]).toMatchObject({ subject: "word9 taken" });
});

test("a text index found damaged in use is built again for the next question", async () => {
  const dir = await filledFolder();
  const search = searchInProcess();
  const { logger, events } = collectingLogger("error");
  const store = await openQuick(dir, { startSearchWorker: search.start, logger });
  const before = await seen(store);
  search.fail("SQLITE_CORRUPT_VTAB");
  expect(await seen(store)).toEqual(before);
  expect([search.starts, events]).toEqual([2, ["search failed"]]);
  await store.close();
});

test("a rebuild reports its progress, to the end", async () => {
  const dir = await filledFolder();
  for (const name of readdirSync(dir).filter((name) => /^(index|search)\.sqlite/.test(name)))
    rmSync(join(dir, name));
  const progress: IndexProgress[] = [];
  await seenIn(dir, { onProgress: (step) => progress.push(step) });
  for (const index of ["rows", "search"] as const) {
    const last = progress.findLast((step) => step.index === index);
    expect(last?.total).toBeGreaterThan(0);
    expect(last?.done).toBe(last?.total);
  }
});

test("mail stored while the text index is built is found once, and deleted mail is not found", async () => {
  const dir = freshFolder();
  const filled = await openQuick(dir, { segmentBytes: 2000 });
  for (let n = 0; n < 100; n++) await put(filled, mail(`old ${n}`));
  await filled.close();
  rmSync(join(dir, "search.sqlite"));
  const search = searchInProcess();
  const store = await openQuick(dir, { segmentBytes: 2000, startSearchWorker: search.start });
  const counted = store.count({ q: "old" });
  const doomed: string[] = [];
  for (let n = 0; n < 30; n++) {
    const { id } = await put(store, mail(`new ${n}`));
    if (n % 3 === 0) doomed.push(id);
    if (n % 3 === 2) await store.delete(doomed.splice(0, 1));
  }
  await store.delete((await store.walk({})).slice(0, 5));
  expect(await counted).toBeGreaterThanOrEqual(95);
  expect([await store.count({ q: "old" }), await store.count({ q: "new" })]).toEqual([95, 20]);
  expect(search.starts).toBe(1);
  await store.close();
  const again = await openQuick(dir);
  expect([await again.count({ q: "old" }), await again.count({ q: "new" })]).toEqual([95, 20]);
  await again.close();
});
