// The space of deleted mail is freed; other mail keeps its bytes, its state and its order.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../src/lib/logger.ts";
import type { MessageSummary } from "../../src/model/index.ts";
import type { FileStoreOptions, Store } from "../../src/store/index.ts";
import { Rows } from "../../src/store/rows/rows.ts";
import { ROWS_SCHEMA } from "../../src/store/rows/schema.ts";
import { openIndex } from "../../src/store/sqlite.ts";
import { messageRecord } from "../contract/log.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { bytesOf, compact, copyTo, mail, namesIn, put, rawOf, subjectsOf } from "./open.ts";
import { openQuick } from "./search-in-process.ts";

const freshFolder = useFolders();

const open = (dir: string, options: Partial<FileStoreOptions> = {}) =>
  openQuick(dir, { segmentBytes: 20_000, largeBytes: 5000, ...options });

async function fill(store: Store, count: number, bytes = 900, name = "m"): Promise<string[]> {
  const bodies = Array.from({ length: count }, (_, n) => mail(`${name}${n}`, "x".repeat(bytes)));
  return (await Promise.all(bodies.map((raw) => put(store, raw)))).map(({ id }) => id);
}

const bytesIn = (dir: string, folder: string) =>
  readdirSync(join(dir, folder)).reduce((sum, name) => sum + statSync(join(dir, folder, name)).size, 0);

/** Returns everything that a client can see of the messages, to the byte. */
async function contents(store: Store): Promise<[MessageSummary, Uint8Array | null][]> {
  const { messages } = await store.list({ filter: {}, limit: 1000 });
  return Promise.all(
    messages.map(async (one) => [one, await rawOf(store, one.id)] as [MessageSummary, Uint8Array]),
  );
}

test("deleting frees the space by itself, and other mail keeps its bytes, state and order", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  const ids = await fill(store, 100);
  const kept = ids.filter((_, n) => n % 10 === 0);
  await store.update(kept.slice(3), { is_starred: true, tags: ["kept"] });
  await store.update(kept.slice(5), { is_read: true });
  const before = (await contents(store)).filter(([{ id }]) => kept.includes(id));
  const full = bytesIn(dir, "log");
  await store.delete(ids.filter((id) => !kept.includes(id)));
  await until(() => bytesIn(dir, "log") < full / 3, "the space of deleted mail");
  expect(await contents(store)).toEqual(before);
  expect((await store.stats()).store_bytes).toBeGreaterThan(0);
  await store.close();
  rmSync(join(dir, "index.sqlite"));
  const again = await open(dir);
  expect(await contents(again)).toEqual(before);
  await again.close();
});

test("the file of a large message is removed with the message", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  const [id = "", other = ""] = await fill(store, 2, 6000);
  await store.delete([id]);
  expect(namesIn(dir, "large")).toEqual([`${other}.eml`]);
  await store.close();
});

describe("changes and deletions of messages in another segment survive a compaction", () => {
  /** Fills a store: messages in the first segments, their changes and deletions in later segments. */
  async function history(dir: string) {
    const store = await open(dir);
    const old = await fill(store, 30, 900, "old");
    await store.update(old.slice(0, 20), { is_read: true });
    const middle = await fill(store, 30, 900, "middle");
    await store.update(old.slice(5, 10), { is_starred: true, tags: ["a"] });
    await store.delete(old.slice(10, 15));
    const late = await fill(store, 30, 900, "late");
    await store.update([...old.slice(0, 3), ...middle.slice(0, 3)], { tags: ["b"] });
    return { store, old, middle, late };
  }

  test.each([
    ["the segments with the changes", ["middle", "late"]],
    ["the segments with the messages", ["old"]],
    ["all of them", ["old", "middle", "late"]],
  ])("when %s are compacted", async (_, emptied) => {
    const dir = freshFolder();
    const { store, old, middle, late } = await history(dir);
    const groups: Record<string, string[]> = { old, middle, late };
    for (const name of emptied) await store.delete((groups[name] ?? []).filter((_, n) => n % 10 !== 1));
    await compact(store);
    const before = await contents(store);
    expect(namesIn(dir, "log").filter((name) => !name.endsWith("-0.seg")).length).toBeGreaterThan(0);
    await store.close();
    rmSync(join(dir, "index.sqlite"));
    const again = await open(dir);
    expect(await contents(again)).toEqual(before);
    // Compacts again: the first run must have kept all records that the second one needs.
    await again.delete((await again.walk({})).slice(-3));
    await compact(again);
    const after = await contents(again);
    await again.close();
    rmSync(join(dir, "index.sqlite"));
    const last = await open(dir);
    expect(await contents(last)).toEqual(after);
    await last.close();
  });
});

test("a text index that is older than a compaction after a kill finds no deleted mail", async () => {
  const dir = freshFolder();
  const filled = await open(dir);
  const old = await fill(filled, 36);
  await filled.close();
  const store = await open(dir);
  expect(await store.count({ q: "alice" })).toBe(36);
  await store.delete(old.slice(1));
  await store.delete(await fill(store, 14));
  await compact(store);
  const copy = copyTo(freshFolder(), dir);
  await store.close();
  const again = await open(copy);
  expect(await again.count({ q: "alice" })).toBe(1);
  await again.close();
});

test("clear frees all space at once, also that of the indexes", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  await fill(store, 200);
  await fill(store, 5, 6000);
  await store.indexed();
  const { store_bytes: full } = await store.stats();
  expect(await store.clear()).toBe(205);
  await store.indexed();
  expect([namesIn(dir, "log").length, namesIn(dir, "large")]).toEqual([1, []]);
  expect(bytesIn(dir, "log")).toBeLessThan(1000);
  expect((await store.stats()).store_bytes).toBeLessThan(full / 2);
  await store.close();
});

test("a compaction keeps the last value of a setting, and a removed one does not come back", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  for (let n = 0; n < 500; n++) {
    await store.set("counter", { n, text: "x".repeat(100) });
    await store.set(`inbox/${n % 50}`, { n });
    if (n % 10 === 9) await store.set(`inbox/${n % 50}`, null);
  }
  const before = await store.settings("");
  await compact(store);
  expect(bytesIn(dir, "log")).toBeLessThan(20_000);
  await store.close();
  rmSync(join(dir, "index.sqlite"));
  const again = await open(dir);
  expect(await again.settings("")).toEqual(before);
  expect(before).toHaveLength(46);
  await again.close();
});

test("a clear during a compaction also removes its segment", async () => {
  const dir = freshFolder();
  const store = await open(dir, { segmentBytes: 1 << 20 });
  const ids = await fill(store, 2500, 10);
  await store.delete(ids.slice(100));
  const compacting = compact(store);
  await Promise.resolve();
  await store.clear();
  await compacting;
  expect(namesIn(dir, "log")).toHaveLength(1);
  await fill(store, 3, 10, "after");
  await store.delete((await fill(store, 2500, 400)).slice(0));
  await compact(store);
  await store.close();
  rmSync(join(dir, "index.sqlite"));
  const again = await open(dir);
  expect(await subjectsOf(again)).toEqual(["after2", "after1", "after0"]);
  await again.close();
});

test("empty segments disappear when the log continues in a new one", async () => {
  const dir = freshFolder();
  let [oldest, newest]: string[][] = [[], []];
  for (let round = 0; round < 6; round++) {
    const store = await open(dir);
    await store.delete(oldest ?? []);
    await compact(store);
    oldest = newest;
    newest = await fill(store, 40);
    await store.close();
  }
  expect(namesIn(dir, "log")[0]).not.toStartWith("0000000001");
  expect(namesIn(dir, "log").length).toBeLessThan(9);
  rmSync(join(dir, "index.sqlite"));
  const again = await open(dir);
  expect(await again.walk({})).toEqual([...(oldest ?? []), ...(newest ?? [])]);
  await again.close();
});

test("changes and deletions during the compaction of their segment are kept", async () => {
  const dir = freshFolder();
  const store = await open(dir, { segmentBytes: 1 << 20 });
  const ids = await fill(store, 2500, 10);
  await store.delete(ids.slice(0, 2000));
  const compacting = compact(store);
  await store.delete(ids.slice(2000, 2100));
  await store.update(ids.slice(2100, 2200), { tags: ["seen"] });
  await compacting;
  const before = await contents(store);
  expect(before).toHaveLength(400);
  await store.close();
  rmSync(join(dir, "index.sqlite"));
  const again = await open(dir);
  expect(await contents(again)).toEqual(before);
  expect(await again.count({ tags: ["seen"] })).toBe(100);
  await again.close();
});

test("mail that is deleted after a compaction has copied it does not keep its space", async () => {
  const dir = freshFolder();
  const store = await open(dir, { segmentBytes: 1 << 20 });
  const ids = await fill(store, 2500, 10);
  await store.delete(ids.slice(900));
  const compacting = compact(store);
  await store.delete(ids.slice(0, 890));
  await compacting;
  await compact(store);
  expect(bytesIn(dir, "log")).toBeLessThan(20_000);
  await store.close();
});

test("a segment with damaged bytes is not compacted; they are set aside and named, and the rest is kept", async () => {
  const dir = freshFolder();
  const { logger, lines } = collectingLogger("warn");
  const store = await open(dir, { logger });
  const [first = "", second = "", ...others] = await fill(store, 15);
  const [name = ""] = namesIn(dir, "log");
  const bytes = readFileSync(join(dir, "log", name));
  bytes[bytes.indexOf("Subject: m0") + 40] = 0;
  writeFileSync(join(dir, "log", name), bytes);
  await store.delete(others);
  await compact(store);
  expect(namesIn(dir, "log")).toContain(name);
  expect(await rawOf(store, second)).toEqual(bytesOf(mail("m1", "x".repeat(900))));
  const damaged = lines.find(({ event }) => event === "log damaged");
  expect(readFileSync(String(damaged?.copy)).includes("Subject: m0")).toBe(true);
  expect(await rawOf(store, first)).toBeNull();
  expect(await subjectsOf(store)).toEqual(["m1"]);
  await store.close();
});

test("if the rows cannot be updated after a compaction, all of them still point to the old file", () => {
  const { db } = openIndex(":memory:", ROWS_SCHEMA, 0);
  const rows = new Rows(db, silentLogger);
  const place = { segment: 1, at: 10, body_at: 5, length: 9 };
  rows.apply([1, 2].map((seq) => ({ record: messageRecord(seq, 4), place, body: null })));
  rows.commit();
  db.run("CREATE TRIGGER full BEFORE INSERT ON segment BEGIN SELECT RAISE(FAIL, 'no room'); END");
  const moved = new Map([1, 2].map((seq) => [seq, { ...place, at: 99 }]));
  expect(() => rows.relocate(1, moved)).toThrow();
  rows.commit();
  expect([rows.bySeq(1)?.at, rows.bySeq(2)?.at]).toEqual([10, 10]);
  rows.close();
});

test("the rows and the text index free the space of deleted mail when the store is closed, if not before", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  const words = (n: number) =>
    Array.from({ length: 400 }, (_, word) => `w${n}x${word}y${n * word}`).join(" ");
  const recipients = Array.from({ length: 100 }, (_, n) => `a-rather-long-name-${n}@x.test`);
  const sizes = () => ["index.sqlite", "search.sqlite"].map((name) => statSync(join(dir, name)).size);
  const ids: string[] = [];
  for (let n = 0; n < 700; n++) ids.push((await put(store, mail(`m${n}`, words(n)), { recipients })).id);
  await store.close();
  const full = sizes();
  const again = await open(dir);
  await again.delete(ids.slice(1));
  await again.close();
  for (const [n, size] of sizes().entries()) expect(size).toBeLessThan((full[n] ?? 0) / 2);
});
