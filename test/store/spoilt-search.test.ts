// A text index whose bytes changed: searches missed mail without a word, or failed for ever, though the log has all.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { verifyStore } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { seeded } from "../support/random.ts";
import { mail, openFiles, put, startSearchWorker } from "./open.ts";

const freshFolder = useFolders();
const MAILS = 120;

async function filledFolder(): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir);
  for (let i = 0; i < MAILS; i++) await put(store, mail(`m${i}`, `hello body w${i}`));
  await put(store, mail("long", "hello again\r\n".repeat(100_000)));
  expect(await store.count({ q: "hello" })).toBe(MAILS + 1);
  await store.close();
  return dir;
}

function inSearch(dir: string, change: (db: Database) => void): void {
  const db = new Database(join(dir, "search.sqlite"));
  change(db);
  db.close();
  rmSync(join(dir, "search.sqlite.seal"));
}

test("a sound index is opened as it is, also after verify", async () => {
  const dir = await filledFolder();
  expect(await verifyStore({ dir, startScan })).toMatchObject({ problems: [], notes: [] });
  const { events, logger } = collectingLogger("warn");
  const store = await openFiles(dir, { logger });
  expect(await store.count({ q: "hello" })).toBe(MAILS + 1);
  await store.close();
  expect(events).toEqual([]);
});

test("any changed byte of an index that was closed is found, and the index built anew", async () => {
  const dir = await filledFolder();
  const path = join(dir, "search.sqlite");
  const whole = readFileSync(path);
  const seal = readFileSync(`${path}.seal`);
  const random = seeded(3);
  for (let times = 0; times < 12; times++) {
    const bytes = Buffer.from(whole);
    const at = random(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
    writeFileSync(path, bytes);
    writeFileSync(`${path}.seal`, seal);
    const { problems } = await verifyStore({ dir, startScan });
    expect(problems.map(({ kind }) => kind)).toEqual(["search_unusable"]);
    const store = await openFiles(dir);
    const found = [await store.count({ q: "hello" }), await store.count({ q: "m*" })];
    expect({ at, found }).toEqual({ at, found: [MAILS + 1, MAILS] });
    await store.close();
  }
}, 20_000);

test.each(["index.sqlite", "search.sqlite"])(
  "a kill while %s was sealed had it built anew, and verify call it changed",
  async (name) => {
    const dir = await filledFolder();
    truncateSync(join(dir, `${name}.seal`), 3);
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
    const { events, logger } = collectingLogger("warn");
    const store = await openFiles(dir, { logger });
    expect(await store.count({ q: "hello" })).toBe(MAILS + 1);
    await store.close();
    expect(events).toEqual([]);
  },
);

describe("after a kill, without a seal,", () => {
  test.each([5, 6, 7, 8, 9, 20, 40])("a changed byte in the postings of a word (the %ith)", async (byte) => {
    const dir = await filledFolder();
    inSearch(dir, () => {});
    const path = join(dir, "search.sqlite");
    const bytes = readFileSync(path);
    const at = bytes.indexOf("hello") + byte;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
    writeFileSync(path, bytes);
    const store = await openFiles(dir);
    expect(await store.count({ q: "hello" })).toBe(MAILS + 1);
    expect(await store.count({ q: "h" })).toBe(MAILS + 1);
    await store.close();
  });

  test.each<[string, (db: Database) => void]>([
    ["a text that is not there", (db) => db.run("DELETE FROM mail WHERE rowid = 7")],
    ["a long text that is not there", (db) => db.run("DELETE FROM long")],
    [
      "texts that are passed over",
      (db) => db.run("UPDATE state SET indexed_seq = 121; DELETE FROM mail WHERE rowid = 120"),
    ],
    ["texts that come again", (db) => db.run("UPDATE state SET indexed_seq = 50")],
  ])("%s: the index is built anew", async (_, change) => {
    const dir = await filledFolder();
    inSearch(dir, change);
    expect((await verifyStore({ dir, startScan })).problems).not.toEqual([]);
    const store = await openFiles(dir);
    expect(await store.count({ q: "hello" })).toBe(MAILS + 1);
    expect(await store.count({ q: "m*" })).toBe(MAILS);
    await store.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });
});

test("an index that is spoilt while it is in use failed every search; now the next one waits for a new index", async () => {
  const dir = await filledFolder();
  const { events, logger } = collectingLogger("warn");
  const fail = Promise.withResolvers<void>();
  let starts = 0;
  const store = await openFiles(dir, {
    logger,
    startSearchWorker: () => {
      const worker = startSearchWorker();
      if (starts++ > 0) return worker;
      // The first worker answers as one that SQLite has told of damage.
      return new Proxy(worker, {
        get: (target, key) => {
          if (key === "postMessage")
            return (message: { kind: string }) => {
              if (message.kind !== "ask") target.postMessage(message);
              else
                target.onmessage?.(
                  new MessageEvent("message", {
                    data: { kind: "failed", code: "SQLITE_CORRUPT_VTAB", message: "fts5: corruption" },
                  }),
                );
              fail.resolve();
            };
          const value = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
        set: (target, key, value) => Reflect.set(target, key, value, target),
      });
    },
  });
  expect(await store.count({ q: "hello" })).toBe(MAILS + 1);
  await fail.promise;
  expect(events).toEqual(["search_worker_died", "search_index_rebuilt"]);
  expect(starts).toBe(2);
  await store.close();
});
