// `--durability disk`: what the disk does not confirm is refused, and then nothing of it is there, now or after a kill.
import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../src/store/index.ts";
import { realDisk } from "../../src/store/log/disk.ts";
import { useFolders } from "../support/folders.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { mail, openFiles, put, rawOf } from "./open.ts";

const freshFolder = useFolders();
const SYNCED = { durability: "disk", largeBytes: 1000 } as const;
const LARGE = mail("large", "x".repeat(3000));
const EIO = { at: "sync", code: "EIO" } as const;

async function openFaulty(segmentBytes = 1 << 20) {
  const dir = freshFolder();
  const faulty = faultyDisk();
  const store = await openFiles(dir, { ...SYNCED, segmentBytes, disk: faulty.disk });
  const small = await put(store, mail("small"));
  const large = await put(store, LARGE);
  return { dir, faulty, store, ids: [small.id, large.id] };
}

/** All that can be seen of a mailbox. */
async function seen(store: Store) {
  const { messages, total } = await store.list({ filter: {}, limit: 200 });
  const raws = await Promise.all(messages.map(async ({ id }) => String(await rawOf(store, id))));
  const { messages: count, unread, message_bytes } = await store.stats();
  const found = await Promise.all(["small", "large", "refused"].map((q) => store.count({ q })));
  return { messages, total, raws, count, unread, message_bytes, found, tags: await store.tags() };
}

async function seenAfterKill(dir: string) {
  const copy = freshFolder();
  cpSync(dir, copy, { recursive: true });
  const store = await openFiles(copy, SYNCED);
  try {
    return await seen(store);
  } finally {
    await store.close();
  }
}

const CHANGES: Record<string, (store: Store, ids: string[]) => Promise<unknown>> = {
  "a mail": (store) => put(store, mail("refused")),
  "a large mail": (store) => put(store, mail("refused", "x".repeat(3000))),
  "flags and tags": (store, ids) => store.update(ids, { is_read: true, is_starred: true, tags: ["t"] }),
  "a deletion": (store, ids) => store.delete(ids.slice(0, 1)),
  "the deletion of a large mail": (store, ids) => store.delete(ids.slice(1)),
  "a deletion by a search": (store) => store.deleteMatching({ q: "large" }),
  "a clear": (store) => store.clear(),
};

describe("a disk that does not confirm what was written", () => {
  test.each(Object.entries(CHANGES))("did all the same what it refused: %s", async (_, change) => {
    const { dir, faulty, store, ids } = await openFaulty();
    const before = await seen(store);
    for (const code of ["EIO", "ENOSPC"]) {
      faulty.fault = { at: "sync", code };
      expect(await change(store, ids).catch((error) => error.code)).toBe(
        code === "EIO" ? "disk_failing" : "disk_full",
      );
      expect(await seen(store)).toEqual(before);
      expect(await seenAfterKill(dir)).toEqual(before);
      expect(readdirSync(join(dir, "incoming"))).toEqual([]);
    }
    faulty.fault = null;
    await change(store, ids);
    const after = await seen(store);
    expect(after).not.toEqual(before);
    expect(await seenAfterKill(dir)).toEqual(after);
    await store.close();
    const again = await openFiles(dir, { ...SYNCED, reindex: true });
    expect(await seen(again)).toEqual(after);
    await again.close();
  });

  test("refuses every mail of the group, also where it was to begin a new segment", async () => {
    const { dir, faulty, store } = await openFaulty(300);
    const before = await seen(store);
    faulty.fault = EIO;
    const group = Array.from({ length: 20 }, (_, n) => put(store, mail(`refused ${n}`)));
    const outcomes = await Promise.allSettled(group);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill("rejected"));
    expect(await seen(store)).toEqual(before);
    faulty.fault = null;
    await put(store, mail("after"));
    expect(await store.count({})).toBe(3);
    await store.close();
    expect((await seenAfterKill(dir)).total).toBe(3);
  });

  test("fails the check of health until it confirms something, mail or what the check itself writes", async () => {
    const { faulty, store } = await openFaulty();
    await store.check();
    faulty.fault = EIO;
    await put(store, mail("refused")).catch(() => {});
    for (let i = 0; i < 2; i++) await expect(store.check()).rejects.toMatchObject({ code: "disk_failing" });
    faulty.fault = null;
    await store.check();
    faulty.fault = EIO;
    // Nothing has been refused since.
    await store.check();
    await store.close();
  });
});

test("nobody sees what the disk has not confirmed yet", async () => {
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>();
  let isSlow = false;
  const sync = async (fd: number) => {
    if (isSlow) await confirmed;
    await realDisk.sync(fd);
  };
  const store = await openFiles(freshFolder(), { ...SYNCED, disk: { ...realDisk, sync } });
  const { id } = await put(store, mail("small"));
  const before = await seen(store);
  isSlow = true;
  const changes = Promise.all([
    put(store, mail("refused")),
    store.update([id], { is_read: true }),
    store.clear(),
  ]);
  for (let i = 0; i < 20; i++) expect(await seen(store)).toEqual(before);
  confirm();
  const [{ id: added }, messages, cleared] = await changes;
  expect(added > id).toBe(true);
  expect(messages).toMatchObject([{ id, is_read: true }]);
  expect(cleared).toBe(2);
  expect(await store.count({})).toBe(0);
  await store.close();
});

test("changes that come together are done one after the other, each on what the one before has left", async () => {
  const store = await openFiles(freshFolder(), SYNCED);
  const { id } = await put(store, mail("small"));
  const [, read, starred, deleted, gone, cleared] = await Promise.all([
    put(store, mail("another")),
    store.update([id], { is_read: true }),
    store.update([id], { is_starred: true }),
    store.delete([id]),
    store.update([id], { is_read: false }),
    store.clear(),
  ]);
  expect(read).toMatchObject([{ is_read: true, is_starred: false }]);
  expect(starred).toMatchObject([{ is_read: true, is_starred: true }]);
  expect(deleted).toEqual([id]);
  expect(gone).toEqual([]);
  expect(cleared).toBe(1);
  await store.close();
});

test("changes of different messages that come together wait for the disk together", async () => {
  let syncs = 0;
  const sync = (fd: number) => {
    syncs++;
    return realDisk.sync(fd);
  };
  const dir = freshFolder();
  const store = await openFiles(dir, { ...SYNCED, disk: { ...realDisk, sync } });
  const summaries = await Promise.all(Array.from({ length: 30 }, (_, n) => put(store, mail(`m${n}`))));
  const ids = summaries.map(({ id }) => id);
  syncs = 0;
  const updated = ids.slice(0, 20).map((id) => store.update([id], { is_read: true }));
  const deleted = ids.slice(20).map((id) => store.delete([id]));
  await Promise.all([...updated, ...deleted, put(store, mail("last"))]);
  expect(syncs).toBe(1);
  expect(await store.stats()).toMatchObject({ messages: 21, unread: 1 });
  const after = await seen(store);
  await store.close();
  const again = await openFiles(dir, { ...SYNCED, reindex: true });
  expect(await seen(again)).toEqual(after);
  await again.close();
});
