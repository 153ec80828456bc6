// The space of what is dead is won back in steady use, in bytes and in files, whatever is killed on the way.
import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { type Store, verifyStore } from "../../src/store/index.ts";
import { type Disk, realDisk } from "../../src/store/log/disk.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { seeded } from "../support/random.ts";
import { mail, openFiles, put, rawOf } from "./open.ts";

const freshFolder = useFolders();
const SMALL = { segmentBytes: 64_000 };

function logOf(dir: string): { files: number; bytes: number } {
  const names = readdirSync(join(dir, "log"));
  return { files: names.length, bytes: names.reduce((sum, name) => sum + sizeOf(dir, name), 0) };
}
const sizeOf = (dir: string, name: string): number => statSync(join(dir, "log", name)).size;
const summaries = async (store: Store) => (await store.list({ filter: {}, limit: 200 })).messages;

describe("in steady use", () => {
  test("the log of a few mails grew with every one that had been there", async () => {
    const dir = freshFolder();
    const random = seeded(7);
    let store = await openFiles(dir, SMALL);
    const ids: string[] = [];
    const largest = { files: 0, bytes: 0 };
    for (let i = 0; i < 1500; i++) {
      ids.push((await put(store, mail(`m${i}`, "x".repeat(1000)))).id);
      if (ids.length > 12) await store.delete(ids.splice(random(ids.length), 1));
      if (i % 50 !== 49) continue;
      await store.compact();
      const { files, bytes } = logOf(dir);
      largest.files = Math.max(largest.files, files);
      largest.bytes = Math.max(largest.bytes, bytes);
      if (i % 500 !== 499) continue;
      await store.close();
      store = await openFiles(dir, SMALL);
    }
    expect(largest.files).toBeLessThan(10);
    expect(largest.bytes).toBeLessThan(60_000);
    expect(await store.walk({})).toEqual(ids);
    await store.close();
    const rebuilt = await openFiles(dir, { ...SMALL, reindex: true });
    expect(await rebuilt.walk({})).toEqual(ids);
    await rebuilt.close();
  });

  test("what a clear had removed was removed once more by the next compaction, and its name kept until then", async () => {
    const removed: string[] = [];
    const remove: Disk["remove"] = (path) => {
      removed.push(basename(path));
      return realDisk.remove(path);
    };
    const store = await openFiles(freshFolder(), { ...SMALL, disk: { ...realDisk, remove } });
    for (let clears = 0; clears < 3; clears++) {
      await put(store, mail("short-lived"));
      await store.clear();
    }
    await store.compact();
    expect(removed).toEqual(["0000000001-0.seg", "0000000002-0.seg", "0000000003-0.seg"]);
    await store.close();
  });

  test.each([
    ["is the newest thing that happened", false],
    ["is followed by other mail", true],
  ])(
    "a rewritten file that had just become full was said to have been cut short (it %s)",
    async (_, isFollowed) => {
      const dir = freshFolder();
      const store = await openFiles(dir, SMALL);
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) ids.push((await put(store, mail(`m${i}`, "x".repeat(7000)))).id);
      await store.delete(ids);
      const kept = [(await put(store, mail("fills it", "x".repeat(7000)))).id];
      await store.compact();
      expect(readdirSync(join(dir, "log")).sort()).toEqual(["0000000001-1.seg", "0000000002-0.seg"]);
      if (isFollowed) kept.push((await put(store, mail("other"))).id);
      await store.close();
      const rebuilt = await openFiles(dir, { ...SMALL, reindex: true });
      expect(await rebuilt.walk({})).toEqual(kept);
      await rebuilt.close();
    },
  );

  test("changes to a mail that stays grew without end", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir, SMALL);
    const kept = await put(store, mail("kept"));
    const other = await put(store, mail("other"));
    for (let i = 0; i < 3000; i++) {
      await store.update([kept.id], { is_read: i % 2 === 0 });
      if (i === 10) await store.update([other.id, kept.id], { tags: ["t"] });
      if (i % 100 === 99) await store.compact();
    }
    expect(logOf(dir).bytes).toBeLessThan(20_000);
    const before = await summaries(store);
    expect(before.map(({ is_read, tags }) => ({ is_read, tags }))).toEqual([
      { is_read: false, tags: ["t"] },
      { is_read: false, tags: ["t"] },
    ]);
    await store.close();
    const rebuilt = await openFiles(dir, { ...SMALL, reindex: true });
    expect(await summaries(rebuilt)).toEqual(before);
    await rebuilt.close();
  });

  test("one mail kept of many left a file each", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir, SMALL);
    const kept: string[] = [];
    for (let round = 0; round < 60; round++) {
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) ids.push((await put(store, mail(`${round} ${i}`, "x".repeat(1000)))).id);
      kept.push(ids.pop() ?? "");
      await store.delete(ids);
      if (round % 7 === 0) await store.update(kept.slice(-3), { tags: [`${round}`] });
      await store.compact();
    }
    expect(logOf(dir).files).toBeLessThan(20);
    expect(logOf(dir).bytes).toBeLessThan(140_000);
    const before = await summaries(store);
    expect(before.map(({ id }) => id)).toEqual(kept.toReversed());
    await store.close();
    const rebuilt = await openFiles(dir, { ...SMALL, reindex: true });
    expect(await summaries(rebuilt)).toEqual(before);
    expect((await rebuilt.count({ q: "xxx" })) + (await rebuilt.count({ tags: ["7"] }))).toBe(63);
    await rebuilt.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });
});

/** A log of several small segments. */
async function mergedFolders() {
  const dir = freshFolder();
  const store = await openFiles(dir, { segmentBytes: 3000 });
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push((await put(store, mail(`m${i}`, "x".repeat(1200)))).id);
  const before = freshFolder();
  cpSync(dir, before, { recursive: true });
  await store.close();
  return { before, ids };
}

describe("a kill while segments are merged", () => {
  test.each([false, true])(
    "after the new file got its name changes nothing (index lost: %p)",
    async (isLost) => {
      const { before, ids } = await mergedFolders();
      const store = await openFiles(before, { segmentBytes: 200_000 });
      await store.update(ids.slice(3, 5), { is_starred: true });
      await store.delete(ids.slice(2, 3));
      const killed = freshFolder();
      cpSync(before, killed, { recursive: true });
      const expected = await summaries(store);
      await store.compact();
      const names = readdirSync(join(before, "log"));
      const merged = names.find((name) => name.endsWith("-1.seg")) ?? "none was merged";
      cpSync(join(before, "log", merged), join(killed, "log", merged));
      await store.close();
      expect((await verifyStore({ dir: killed, startScan })).problems).toEqual([]);
      const { events, logger } = collectingLogger("warn");
      const again = await openFiles(killed, { segmentBytes: 200_000, reindex: isLost, logger });
      expect(events).toEqual([]);
      expect(await summaries(again)).toEqual(expected);
      expect(readdirSync(join(killed, "log")).sort()).toEqual(names.sort());
      await again.delete(ids.slice(0, 6));
      await again.compact();
      await again.close();
      const rebuilt = await openFiles(killed, { segmentBytes: 200_000, reindex: true });
      expect(await rebuilt.walk({})).toEqual(ids.slice(6));
      await rebuilt.close();
    },
  );
});

test("an index made anew after a compaction read the segments out of order", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir, { segmentBytes: 20_000 });
  const ids: string[] = [];
  for (let i = 1; i <= 100; i++) ids.push((await put(store, mail(`m${i}`, "x".repeat(200)))).id);
  await store.delete(ids.splice(0, 35));
  await store.compact();
  const names = readdirSync(join(dir, "log")).sort();
  expect(names[0]).toBe("0000000001-1.seg");
  // The last record is not where its row says: the index is made anew when it is read.
  const path = join(dir, "log", names.at(-1) ?? "");
  const bytes = readFileSync(path);
  const at = bytes.indexOf('{"seq":100,') - 24;
  writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.alloc(8), bytes.subarray(at)]));
  expect(await rawOf(store, ids.at(-1) ?? "")).not.toBeNull();
  expect(await store.walk({})).toEqual(ids);
  await store.close();
});

test("a clear that meets a compaction was reported as its failure", async () => {
  const { events, logger } = collectingLogger("warn");
  const store = await openFiles(freshFolder(), { segmentBytes: 20_000, logger });
  for (let round = 0; round < 5; round++) {
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push((await put(store, mail(`m${i}`, "x".repeat(3000)))).id);
    await store.delete(ids.slice(1));
    const compacted = store.compact();
    await Promise.all([store.clear(), compacted]);
  }
  expect(events).toEqual([]);
  await store.close();
});
