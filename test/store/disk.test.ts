// A disk that fails, and a disk that is full: nothing acknowledged is lost, nothing refused appears, and the store
// recovers when the disk does.
import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FileStoreOptions, type Store, type StoreChange, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, fillDisk, mountSmallDisk, takeFiles } from "../support/small-disk.ts";
import { until } from "../support/until.ts";
import { type FaultyDisk, faultyDisk } from "./faulty-disk.ts";
import { bytesOf, codeOf, compact, copyTo, mail, namesIn, put, rawOf, subjectsOf } from "./open.ts";
import { openQuick } from "./search-in-process.ts";

const freshFolder = useFolders();

const changes = (store: Store, id: string) => [
  () => put(store, mail("refused")),
  () => put(store, mail("refused", "x".repeat(3000))),
  () => store.update([id], { is_starred: true }),
  () => store.delete([id]),
];

describe("a failing disk", () => {
  const faults: [string, FileStoreOptions["durability"], FaultyDisk["fails"]][] = [
    ["that fails in the middle of a write", "os", { at: "write", code: "EIO" }],
    ["that is full in the middle of a write", "os", { at: "write", code: "ENOSPC" }],
    ["that can neither write nor cut", "os", { at: ["write", "cut"], code: "EIO" }],
    ["that does not confirm a sync", "disk", { at: "sync", code: "EIO" }],
    ["that neither syncs nor cuts", "disk", { at: ["sync", "cut"], code: "EIO" }],
  ];
  test.each(faults)(
    "%s refuses every change, shows none of them, and goes on",
    async (_, durability, fails) => {
      const dir = freshFolder();
      const faulty = faultyDisk();
      const store = await openQuick(dir, { disk: faulty.disk, durability, largeBytes: 1000 });
      const { id } = await put(store, mail("before"));
      const heard: StoreChange["kind"][] = [];
      store.onChange(({ kind }) => heard.push(kind));

      faulty.fails = fails;
      const code = fails?.code === "EIO" ? "disk_failing" : "disk_full";
      for (const change of changes(store, id)) expect(await codeOf(change())).toBe(code);
      expect(heard).toEqual([]);
      expect(await store.list({ filter: {}, limit: 9 })).toMatchObject({
        total: 1,
        messages: [{ is_starred: false }],
      });
      expect(await store.count({ q: "refused" })).toBe(0);
      expect([namesIn(dir, "incoming"), namesIn(dir, "large")]).toEqual([[], []]);
      // After a kill at this moment, the next start shows a refused change completely or not at all.
      const copy = copyTo(freshFolder(), dir);

      faulty.fails = null;
      await store.check();
      await put(store, mail("after", "x".repeat(3000)));
      await store.update([id], { is_read: true });
      await store.close();
      const again = await openQuick(dir);
      expect(await subjectsOf(again)).toEqual(["after", "before"]);
      expect(await again.get(id)).toMatchObject({ is_read: true, is_starred: false });
      expect(await again.count({ q: "refused" })).toBe(0);
      await again.close();
      expect((await verifyStore({ dir })).problems).toEqual([]);

      const killed = await openQuick(copy);
      expect(await killed.get(id).then((found) => found === null || found.subject === "before")).toBe(true);
      for (const one of await killed.walk({})) expect(await rawOf(killed, one)).not.toBeNull();
      await killed.close();
    },
  );

  test("a clear that cannot be written leaves everything as it was", async () => {
    const faulty = faultyDisk();
    const dir = freshFolder();
    const store = await openQuick(dir, { disk: faulty.disk, largeBytes: 1000 });
    await put(store, mail("small"));
    const { id } = await put(store, mail("large", "x".repeat(2000)));
    faulty.fails = { at: "write", code: "EIO" };
    expect(await codeOf(store.clear())).toBe("disk_failing");
    faulty.fails = null;
    await put(store, mail("after"));
    expect(await rawOf(store, id)).toEqual(bytesOf(mail("large", "x".repeat(2000))));
    await store.close();
    const again = await openQuick(dir);
    expect(await subjectsOf(again)).toEqual(["after", "large", "small"]);
    await again.close();
  });

  test("a write that the disk makes only in part is completed", async () => {
    const faulty = faultyDisk();
    faulty.writesInPieces = true;
    const dir = freshFolder();
    const store = await openQuick(dir, { disk: faulty.disk });
    const { id } = await put(store, mail("pieces", "x".repeat(500)));
    await store.close();
    const again = await openQuick(dir);
    expect(await rawOf(again, id)).toEqual(bytesOf(mail("pieces", "x".repeat(500))));
    await again.close();
  });

  test("if no new segment can be made, the old one grows and nothing is refused", async () => {
    const dir = freshFolder();
    const store = await openQuick(dir, { segmentBytes: 1000 });
    await put(store, mail("first"));
    mkdirSync(join(dir, "log", "0000000002-0.seg.new"));
    for (let n = 0; n < 20; n++) await put(store, mail(`m${n}`, "x".repeat(200)));
    expect(await store.count({})).toBe(21);
    await store.close();
    rmSync(join(dir, "log", "0000000002-0.seg.new"), { recursive: true });
    const again = await openQuick(dir);
    expect(await again.count({})).toBe(21);
    await again.close();
  });
});

describe.skipIf(!canMount)("a full disk (needs root on Linux, to mount one)", () => {
  /** Stores mails until 20 of them were refused. Returns the ids of the acknowledged mails. */
  async function fillWithMail(store: Store, text: (n: number) => string): Promise<string[]> {
    const ids: string[] = [];
    for (let refused = 0; refused < 20; ) {
      const sent = put(store, mail(`m${ids.length}`, text(ids.length)));
      await sent.then(
        ({ id }) => ids.push(id),
        (error) => {
          expect(error.code).toBe("disk_full");
          refused++;
        },
      );
    }
    return ids;
  }

  test.each([2000, 400_000])(
    "refuses mail of %d bytes, serves the rest, lets it be deleted and takes mail again",
    async (bytes) => {
      using disk = mountSmallDisk(freshFolder(), 5 << 20);
      const dir = join(disk.path, "data");
      const store = await openQuick(dir);
      const ids = [
        ...(await fillWithMail(store, () => "x".repeat(bytes))),
        ...(await fillWithMail(store, () => "x".repeat(1000))),
      ];
      expect(await store.walk({}, { limit: 100_000 })).toEqual(ids);
      expect(await codeOf(store.check())).toBe("disk_full");
      expect((await rawOf(store, ids[3] ?? ""))?.length).toBeGreaterThan(bytes);
      const doomed = ids.splice(0, Math.ceil(ids.length * 0.7));
      for (const id of doomed.splice(0, 5)) expect(await store.delete([id])).toEqual([id]);
      expect(await store.delete(doomed)).toEqual(doomed);
      await compact(store);
      const taken: string[] = [];
      const putOne = () => put(store, mail("room again", "x".repeat(bytes)));
      // The text index gives its space back later than the log.
      await until(
        () =>
          putOne().then(
            ({ id }) => taken.push(id) > 0,
            () => false,
          ),
        "room for a mail",
      );
      await store.check();
      await store.close();
      const again = await openQuick(dir);
      expect(await again.walk({}, { limit: 100_000 })).toEqual([...ids, ...taken]);
      expect(await again.clear()).toBe(ids.length + 1);
      await put(again, mail("after", "x".repeat(bytes)));
      await again.close();
      expect((await verifyStore({ dir })).problems).toEqual([]);
    },
  );

  test("filled with mail lets all of it be deleted, one by one and in any order", async () => {
    using disk = mountSmallDisk(freshFolder(), 24 << 20);
    const store = await openQuick(join(disk.path, "data"));
    const words = (n: number) => Array.from({ length: 100 }, (_, word) => Bun.hash(`${n} ${word}`)).join(" ");
    const ids = await fillWithMail(store, words);
    // Each file of the log keeps most of its mail for long.
    const order = [0, 1, 2].flatMap((rest) => ids.filter((_, n) => n % 3 === rest));
    for (const id of order) expect(await store.delete([id])).toEqual([id]);
    await compact(store);
    await put(store, mail("room again"));
    await store.close();
  });

  test("without a free byte and without the reserve lets all mail be deleted at once", async () => {
    using disk = mountSmallDisk(freshFolder(), 16 << 20);
    const store = await openQuick(join(disk.path, "data"));
    const sent = Array.from({ length: 200 }, (_, n) => put(store, mail(`m${n}`, "x".repeat(1000))));
    const ids = (await Promise.all(sent)).map(({ id }) => id);
    await store.indexed();
    fillDisk(join(disk.path, "others"));
    expect(await store.delete(ids.slice(0, 1))).toHaveLength(1);
    fillDisk(join(disk.path, "more"));
    expect(await store.clear()).toBe(199);
    expect(await store.count({ q: "m1" })).toBe(0);
    await store.close();
  });

  test("without a free byte refuses changes, but deletes and compacts", async () => {
    using disk = mountSmallDisk(freshFolder(), 16 << 20);
    const dir = join(disk.path, "data");
    const store = await openQuick(dir);
    const sent = Array.from({ length: 100 }, (_, n) => put(store, mail(`m${n}`, "x".repeat(50_000))));
    const ids = (await Promise.all(sent)).map(({ id }) => id);
    await store.indexed();
    fillDisk(join(disk.path, "others"));
    expect(await codeOf(put(store, mail("refused")))).toBe("disk_full");
    expect(await codeOf(store.update(ids, { is_read: true }))).toBe("disk_full");
    expect(await store.delete(ids.slice(0, 90))).toHaveLength(90);
    await compact(store);
    await put(store, mail("taken", "x".repeat(50_000)));
    await store.close();
    const again = await openQuick(dir);
    expect(await again.walk({}, { limit: 1000 })).toHaveLength(11);
    await again.close();
  });

  test("without a free byte does not keep the store from starting, serving and deleting", async () => {
    using disk = mountSmallDisk(freshFolder(), 16 << 20);
    const dir = join(disk.path, "data");
    const store = await openQuick(dir);
    const { id } = await put(store, mail("one", "hello"));
    await put(store, mail("two", "hello"));
    await store.close();
    fillDisk(join(disk.path, "others"));
    const again = await openQuick(dir);
    expect(await subjectsOf(again)).toEqual(["two", "one"]);
    expect(await again.delete([id])).toEqual([id]);
    await again.close();
    rmSync(join(disk.path, "others"));
    const last = await openQuick(dir);
    await put(last, mail("three"));
    expect(await subjectsOf(last)).toEqual(["three", "two"]);
    await last.close();
  });

  test("answers searches with disk_full until the text index can be written, and then finds all mail", async () => {
    using disk = mountSmallDisk(freshFolder(), 12 << 20);
    const dir = join(disk.path, "data");
    const filled = await openQuick(dir);
    const words = (n: number) => Array.from({ length: 300 }, (_, word) => `w${n}x${word}`).join(" ");
    for (let n = 0; n < 500; n++) await put(filled, mail(`hello ${n}`, words(n)));
    await filled.close();
    for (const name of namesIn(dir, "").filter((name) => name.startsWith("search."))) rmSync(join(dir, name));
    const store = await openQuick(dir);
    fillDisk(join(disk.path, "others"));
    expect(await codeOf(store.count({ q: "hello" }))).toBe("disk_full");
    expect(await store.count({ subject: "hello" })).toBe(500);
    rmSync(join(disk.path, "others"));
    expect(await store.count({ q: "hello" })).toBe(500);
    await store.close();
  });

  test("without inodes refuses mail that needs a file, and recovers", async () => {
    using disk = mountSmallDisk(freshFolder(), 16 << 20, 200);
    const dir = join(disk.path, "data");
    const store = await openQuick(dir, { largeBytes: 1000 });
    await store.indexed();
    takeFiles(join(disk.path, "others"));
    expect(await codeOf(put(store, mail("large", "x".repeat(5000))))).toBe("disk_full");
    rmSync(join(disk.path, "others"), { recursive: true });
    await put(store, mail("large", "x".repeat(5000)));
    expect(await subjectsOf(store)).toEqual(["large"]);
    await store.close();
  });
});
