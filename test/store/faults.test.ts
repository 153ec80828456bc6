// A disk that is full or fails, a search thread that dies, bodies larger than memory should hold.
import { describe, expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Disk, realDisk } from "../../src/store/log/disk.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";
import { faultyDisk } from "./faulty-disk.ts";
import {
  bytesOf,
  codeOf,
  mail,
  openFiles,
  openMemory,
  put,
  rawOf,
  startSearchWorker,
  subjectsOf,
} from "./open.ts";

const freshFolder = useFolders();

describe("a write that fails", () => {
  test.each([
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EROFS", "read_only"],
    ["EIO", "disk_failing"],
  ])("with %s is answered with %s, leaves nothing, and the next one works", async (code, expected) => {
    const dir = freshFolder();
    const faulty = faultyDisk();
    const store = await openFiles(dir, { disk: faulty.disk });
    const { id } = await put(store, mail("before"));
    faulty.fault = { at: "write", code };
    expect(await codeOf(put(store, mail("refused")))).toBe(expected);
    expect(await codeOf(store.update([id], { is_read: true }))).toBe(expected);
    expect(await codeOf(store.delete([id]))).toBe(expected);
    expect(await codeOf(store.clear())).toBe(expected);
    expect(await subjectsOf(store)).toEqual(["before"]);
    expect(await store.stats()).toMatchObject({ messages: 1, unread: 1 });
    await expect(store.check()).rejects.toMatchObject({ code: expected });
    faulty.fault = null;
    await put(store, mail("after"));
    expect(await subjectsOf(store)).toEqual(["after", "before"]);
    expect(await store.count({ q: "refused" })).toBe(0);
    await store.check();
    await store.close();
    const again = await openFiles(dir, { reindex: true });
    expect(await subjectsOf(again)).toEqual(["after", "before"]);
    await again.close();
  });

  test("takes the whole group with it, and only that group", async () => {
    const faulty = faultyDisk();
    const store = await openFiles(freshFolder(), { disk: faulty.disk });
    faulty.fault = { at: "write", code: "ENOSPC" };
    const group = [1, 2, 3].map((n) => codeOf(put(store, mail(`${n}`))));
    expect(await Promise.all(group)).toEqual(["disk_full", "disk_full", "disk_full"]);
    faulty.fault = null;
    await put(store, mail("next"));
    expect(await subjectsOf(store)).toEqual(["next"]);
    await store.close();
  });
});

test("a disk that takes what is written in parts has all of it", async () => {
  const dir = freshFolder();
  const write: Disk["write"] = (fd, bytes, position) =>
    realDisk.write(fd, bytes.subarray(0, Math.ceil(bytes.length / 2)), position);
  const store = await openFiles(dir, { disk: { ...realDisk, write } });
  const raws = ["one", "two", "three"].map((subject) => mail(subject, subject.repeat(1000)));
  const stored = await Promise.all(raws.map((raw) => put(store, raw)));
  await store.close();
  const again = await openFiles(dir, { reindex: true });
  for (const [n, { id }] of stored.entries()) {
    expect(await rawOf(again, id)).toEqual(bytesOf(raws[n] as string));
  }
  await again.close();
});

test("the room kept for deleting is for deleting: mail and flags of the same group are refused, and leave nothing", async () => {
  const dir = freshFolder();
  const reserve = join(dir, "reserve");
  const fault = { isFull: false };
  const write: typeof realDisk.write = (fd, bytes, position) => {
    if (fault.isFull && existsSync(reserve)) throw Object.assign(new Error("injected"), { code: "ENOSPC" });
    return realDisk.write(fd, bytes, position);
  };
  const store = await openFiles(dir, { disk: { ...realDisk, write }, largeBytes: 100 });
  const { id } = await put(store, mail("doomed"));
  const { id: kept } = await put(store, mail("kept"));
  const large = store.begin({ sender: "a@x.org", recipients: ["b@x.org"] });
  await large.append(bytesOf(mail("large", "x".repeat(1000))));
  await until(() => existsSync(reserve));
  fault.isFull = true;
  const group = [put(store, mail("small")), store.update([kept], { is_read: true })].map(codeOf);
  expect(await store.delete([id])).toEqual([id]);
  expect(await Promise.all(group)).toEqual(["disk_full", "disk_full"]);
  expect(await codeOf(large.commit())).toBe("disk_full");
  await until(() => readdirSync(join(dir, "incoming")).length === 0);
  expect(existsSync(reserve)).toBe(true);
  expect(await subjectsOf(store)).toEqual(["kept"]);
  expect((await store.stats()).unread).toBe(1);
  fault.isFull = false;
  await put(store, mail("after"));
  expect(await subjectsOf(store)).toEqual(["after", "kept"]);
  await store.close();
});

test.skipIf(!canMount)(
  "a disk that is really full refuses mail, serves what it has, and takes mail again when there is room",
  async () => {
    const small = mountSmallDisk(freshFolder(), 4 << 20);
    try {
      const store = await openFiles(join(small.path, "data"), { largeBytes: 200_000 });
      await until(() => existsSync(join(small.path, "data", "reserve")));
      const acknowledged: string[] = [];
      let refused = 0;
      for (let i = 0; i < 60; i++) {
        const size = i % 10 === 9 ? 300_000 : 60_000;
        await Promise.try(() => put(store, mail(`m${i}`, "x".repeat(size)))).then(
          ({ id }) => acknowledged.unshift(id),
          (error) => {
            expect(error.code).toBe("disk_full");
            refused++;
          },
        );
      }
      expect(refused).toBeGreaterThan(0);
      expect(await store.delete(acknowledged.splice(0, 1))).toHaveLength(1);
      const listed = (await store.list({ filter: {}, limit: 200 })).messages.map(({ id }) => id);
      expect(listed).toEqual(acknowledged);
      for (const id of acknowledged) expect((await rawOf(store, id))?.length).toBeGreaterThan(60_000);
      expect(readdirSync(join(small.path, "data", "incoming"))).toEqual([]);
      await store.clear();
      await put(store, mail("room again", "x".repeat(60_000)));
      expect(await subjectsOf(store)).toEqual(["room again"]);
      expect(await store.count({ q: "room" })).toBe(1);
      await store.close();
    } finally {
      small[Symbol.dispose]();
    }
  },
);

describe("a large body", () => {
  test("goes to a file as it arrives and comes back in pieces, byte for byte", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    const draft = store.begin({ sender: "a@x.org", recipients: ["b@x.org"] });
    const chunk = new Uint8Array(100_000).map((_, index) => index * 7);
    const pieces = [bytesOf(mail("large", "")), ...Array.from({ length: 50 }, () => chunk)];
    for (const piece of pieces) await draft.append(piece);
    expect(readdirSync(join(dir, "incoming"))).toHaveLength(1);
    const { id, size } = await draft.commit();
    const expected = Buffer.concat(pieces);
    expect(size).toBe(expected.length);
    expect(Buffer.compare((await rawOf(store, id)) ?? new Uint8Array(), expected)).toBe(0);
    const raw = await store.raw(id);
    expect(await raw?.bytes(1_000_000, 1_000_010)).toEqual(
      new Uint8Array(expected.subarray(1_000_000, 1_000_010)),
    );
    let largest = 0;
    for await (const piece of raw?.stream() ?? []) largest = Math.max(largest, piece.length);
    expect(largest).toBeLessThanOrEqual(256 << 10);
    await store.close();
    const again = await openFiles(dir, { reindex: true });
    expect(await subjectsOf(again)).toEqual(["large"]);
    expect(await again.delete([id])).toEqual([id]);
    expect(readdirSync(join(dir, "large"))).toEqual([]);
    await again.close();
  });

  test("that is aborted, or cut short by a crash, leaves no file", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir, { largeBytes: 10 });
    const draft = store.begin({ sender: "a", recipients: ["b"] });
    await draft.append(bytesOf("more than ten bytes"));
    draft.abort();
    await put(store, mail("kept"));
    expect(readdirSync(join(dir, "incoming"))).toEqual([]);
    await store.close();
    writeFileSync(join(dir, "incoming", "9.part"), "half");
    writeFileSync(join(dir, "large", "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC.eml"), "renamed, never logged");
    const again = await openFiles(dir);
    expect(readdirSync(join(dir, "incoming"))).toEqual([]);
    expect(readdirSync(join(dir, "large"))).toHaveLength(1);
    await again.close();
  });
});

describe("a search thread that dies", () => {
  test.each(["file", "memory"])("is started again and catches up (%s store)", async (kind) => {
    const workers: Worker[] = [];
    const start = () => {
      const worker = startSearchWorker();
      workers.push(worker);
      return worker;
    };
    const options = { startSearchWorker: start };
    const store = kind === "file" ? await openFiles(freshFolder(), options) : await openMemory(options);
    const { id } = await put(store, mail("first"));
    await put(store, mail("second"));
    expect(await store.count({ q: "first" })).toBe(1);
    workers[0]?.terminate();
    await put(store, mail("third"));
    await store.delete([id]);
    expect(await store.count({ q: "third" })).toBe(1);
    expect(await store.count({ q: "second" })).toBe(1);
    expect(await store.count({ q: "first" })).toBe(0);
    expect(workers.length).toBeGreaterThan(1);
    await store.close();
  });

  test("again and again is an error of the search, not of the store", async () => {
    const store = await openMemory({
      startSearchWorker: () => new Worker("data:text/javascript,throw new Error('no')"),
    });
    await put(store, mail("kept"));
    expect(await codeOf(store.count({ q: "kept" }))).toBe("io_error");
    expect(await subjectsOf(store)).toEqual(["kept"]);
    await store.close();
  });
});

describe("space", () => {
  test("of deleted messages is won back, a segment at a time, and what lives stays readable", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir, { segmentBytes: 100_000 });
    const bodies = new Map<string, Uint8Array>();
    for (let i = 0; i < 200; i++) {
      const raw = bytesOf(mail(`m${i}`, "x".repeat(5000)));
      bodies.set((await put(store, raw)).id, raw);
    }
    const kept = [...bodies.keys()].filter((_, index) => index % 10 === 0);
    await store.update(kept.slice(0, 5), { is_starred: true, tags: ["t"] });
    await store.delete([...bodies.keys()].filter((_, index) => index % 10 !== 0));
    const before = await store.walk({ starred: true });
    await store.compact();
    const { message_bytes } = await store.stats();
    const logBytes = readdirSync(join(dir, "log")).reduce(
      (sum, name) => sum + (Bun.file(join(dir, "log", name)).size ?? 0),
      0,
    );
    expect(logBytes).toBeLessThan(message_bytes * 2);
    for (const id of kept) expect(await rawOf(store, id)).toEqual(bodies.get(id) ?? null);
    expect(await store.walk({ tags: ["t"] })).toEqual(before);
    await store.close();
    const again = await openFiles(dir, { reindex: true });
    expect(await again.walk({})).toEqual(kept);
    expect(await again.walk({ tags: ["t"], starred: true })).toEqual(before);
    expect(await again.count({ q: "m10" })).toBe(2);
    await again.close();
  });

  test("of deleted messages stayed in the text index for good", async () => {
    const dir = freshFolder();
    const filled = await openFiles(dir);
    const words = (n: number) => Array.from({ length: 400 }, (_, k) => `w${n * 400 + k}`).join(" ");
    const ids: string[] = [];
    for (let n = 0; n < 300; n++) ids.push((await put(filled, mail(`m${n}`, words(n)))).id);
    expect(await filled.count({ q: '"w4001"' })).toBe(1);
    await filled.close();
    const searchBytes = () =>
      ["search.sqlite", "search.sqlite-wal"].reduce((sum, name) => sum + Bun.file(join(dir, name)).size, 0);
    const before = searchBytes();
    const store = await openFiles(dir);
    for (const id of ids.slice(5)) await store.delete([id]);
    await until(() => searchBytes() < before / 5);
    expect(await store.count({ q: "m" })).toBe(5);
    expect(await store.count({ q: '"w4001"' })).toBe(0);
    await put(store, mail("after"));
    expect(await store.count({ q: "after" })).toBe(1);
    await store.close();
  });

  test("of everything is free at once after a clear", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    for (let i = 0; i < 50; i++) await put(store, mail(`m${i}`, "x".repeat(20_000)));
    await store.clear();
    const { store_bytes } = await store.stats();
    expect(readdirSync(join(dir, "log"))).toHaveLength(1);
    expect(store_bytes).toBeLessThan(400_000);
    await store.close();
  });
});

test("an index that is spoilt while it is in use is rebuilt, and every question answered", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir);
  const ids: string[] = [];
  for (let i = 0; i < 300; i++) ids.unshift((await put(store, mail(`m${i}`))).id);
  await store.update(ids.slice(0, 3), { tags: ["t"] });
  await store.close();
  const again = await openFiles(dir);
  const index = join(dir, "index.sqlite");
  const fd = openSync(index, "r+");
  writeSync(fd, Buffer.alloc(statSync(index).size - 16_384, 0xcd), 0, undefined, 16_384);
  closeSync(fd);
  const page = await again.list({ filter: {}, limit: 200 });
  expect(page.messages.map(({ id }) => id)).toEqual(ids.slice(0, 200));
  expect(page.total).toBe(300);
  expect(await again.walk({ tags: ["t"] })).toEqual(ids.slice(0, 3).reverse());
  await put(again, mail("after"));
  expect(await again.count({ q: "after" })).toBe(1);
  expect(await again.deleteMatching({ subject: "m" })).toEqual(ids.toReversed());
  await again.close();
});

test("many are deleted in turns, and mail gets in between", async () => {
  const store = await openMemory();
  const ids = await Promise.all(
    Array.from({ length: 1700 }, (_, i) => put(store, mail(`m${i}`)).then(({ id }) => id)),
  );
  const deleted = store.delete(ids);
  const { id } = await put(store, mail("between"));
  expect(await deleted).toEqual(ids);
  expect((await store.list({ filter: {}, limit: 9 })).messages.map((message) => message.id)).toEqual([id]);
  await store.close();
});

test("a damaged large body is not served", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir, { largeBytes: 100 });
  const { id } = await put(store, mail("large", "x".repeat(1000)));
  const path = join(dir, "large", `${id}.eml`);
  const fd = openSync(path, "r+");
  writeSync(fd, "y", 500);
  closeSync(fd);
  expect(await rawOf(store, id)).toBeNull();
  await store.close();
});
