// A disk that Mailkeep's own mail has filled, and one that others have: mail is refused, all else goes on.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { type Store, verifyStore } from "../../src/store/index.ts";
import { Reserve } from "../../src/store/log/reserve.ts";
import { Room } from "../../src/store/log/room.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, fillDisk, mountSmallDisk, takeFiles } from "../support/small-disk.ts";
import { codeOf, mail, openFiles, put } from "./open.ts";
import { startSearchServer } from "./search-server.ts";

const freshFolder = useFolders();
const SIZES = [0, 3000, 30_000];

/** Sends until it was refused often, as a client does that tries again and again. */
async function fillWithMail(store: Store): Promise<string[]> {
  const ids: string[] = [];
  for (let refused = 0, i = 0; refused < 100; i++) {
    const sent = put(store, mail(`m${i}`, `hello ${"x".repeat(SIZES[i % SIZES.length] ?? 0)}`));
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

async function onSmallDisk(bytes: number, run: (folder: string) => Promise<void>): Promise<void> {
  using small = mountSmallDisk(freshFolder(), bytes);
  await run(small.path);
}

describe.skipIf(!canMount)("mail that was tried again and again took the room for deleting", () => {
  test.each([4, 16])("on a disk of %i MB one, many and all can be deleted", (megabytes) =>
    onSmallDisk(megabytes << 20, async (folder) => {
      const dir = join(folder, "data");
      const store = await openFiles(dir);
      const ids = await fillWithMail(store);
      const [first = "", ...others] = ids;
      expect(await store.delete([first])).toEqual([first]);
      const some = others.splice(0, ids.length / 2);
      for (const id of some.splice(0, 50)) expect(await store.delete([id])).toEqual([id]);
      expect(await store.delete(some)).toEqual(some);
      await store.compact();
      await put(store, mail("there is room again"));
      expect(await store.clear()).toBe(others.length + 1);
      await put(store, mail("after"));
      await store.close();
      const again = await openFiles(dir);
      expect(await again.count({})).toBe(1);
      await again.close();
    }),
  );

  test("and a large one leaves it as well", () =>
    onSmallDisk(4 << 20, async (folder) => {
      const store = await openFiles(join(folder, "data"));
      const { id } = await put(store, mail("kept"));
      const draft = store.begin({ sender: "a@x.org", recipients: ["b@x.org"] });
      const send = async () => {
        for (let i = 0; i < 100; i++) await draft.append(new Uint8Array(100_000));
      };
      expect(await codeOf(send())).toBe("disk_full");
      expect(await store.delete([id])).toEqual([id]);
      await put(store, mail("small"));
      await store.close();
    }));
});

describe.skipIf(!canMount)("a disk without a free byte", () => {
  test("kept Mailkeep from starting", () =>
    onSmallDisk(16 << 20, async (folder) => {
      const dir = join(folder, "data");
      const store = await openFiles(dir);
      const { id } = await put(store, mail("one", "hello"));
      await put(store, mail("two", "hello"));
      await store.close();
      rmSync(join(dir, "reserve"));
      fillDisk(join(folder, "other"));
      const again = await openFiles(dir);
      expect(await again.count({})).toBe(2);
      expect(await again.count({ q: "hello" })).toBe(2);
      expect(await codeOf(put(again, mail("three")))).toBe("disk_full");
      expect(await again.get(id)).toMatchObject({ subject: "one" });
      rmSync(join(folder, "other"));
      await put(again, mail("three"));
      expect(await again.delete([id])).toEqual([id]);
      await again.close();
      const last = await openFiles(dir);
      expect(await last.count({})).toBe(2);
      expect(await last.count({ q: "three" })).toBe(1);
      await last.close();
    }));

  test("made a search fail, also for what was indexed long ago", () =>
    onSmallDisk(16 << 20, async (folder) => {
      const store = await openFiles(join(folder, "data"));
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push((await put(store, mail(`m${i}`, "hello"))).id);
      expect(await store.count({ q: "hello" })).toBe(20);
      await store.compact();
      fillDisk(join(folder, "other"));
      expect(await store.delete(ids.slice(0, 5))).toHaveLength(5);
      expect(await store.count({ q: "hello" })).toBe(15);
      const { messages } = await store.list({ filter: { q: "hello" }, limit: 4, offset: 1 });
      expect(messages.map(({ id }) => id)).toEqual(ids.slice(15, 19).reverse());
      await store.close();
    }));
});

describe.skipIf(!canMount)("a disk that others have filled to the last byte", () => {
  test("kept the room of deleted mail, and refused mail for ever", () =>
    onSmallDisk(16 << 20, async (folder) => {
      const store = await openFiles(join(folder, "data"));
      const sent = Array.from({ length: 100 }, (_, i) => put(store, mail(`m${i}`, "x".repeat(50_000))));
      const ids = (await Promise.all(sent)).map(({ id }) => id);
      expect(await store.count({ q: "m99" })).toBe(1);
      fillDisk(join(folder, "other"));
      expect(await codeOf(put(store, mail("refused")))).toBe("disk_full");
      expect(await store.delete(ids.slice(0, 90))).toHaveLength(90);
      await store.compact();
      await put(store, mail("taken", "x".repeat(50_000)));
      expect(await store.count({})).toBe(11);
      await store.close();
      const again = await openFiles(join(folder, "data"));
      expect(await again.walk({})).toHaveLength(11);
      await again.close();
    }));
});

test.skipIf(!canMount)("a disk without the room that is kept for deleting let no mail be deleted", () =>
  onSmallDisk(16 << 20, async (folder) => {
    const dir = join(folder, "data");
    const before = await openFiles(dir);
    const ids: string[] = [];
    for (let i = 0; i < 400; i++) ids.push((await put(before, mail(`m${i}`))).id);
    await before.close();
    const store = await openFiles(dir);
    // The text index has what it needs.
    expect(await store.count({ q: "hello" })).toBe(400);
    rmSync(join(dir, "reserve"));
    fillDisk(join(folder, "other"));
    const kept = ids.splice(0, 10);
    for (const id of ids.splice(0, 200)) expect(await store.delete([id])).toEqual([id]);
    expect(await store.delete(ids)).toEqual(ids);
    expect(await store.count({})).toBe(kept.length);
    await store.close();
    rmSync(join(folder, "other"));
    const again = await openFiles(dir);
    expect(await again.walk({})).toEqual(kept);
    expect(await again.count({ q: "hello" })).toBe(kept.length);
    await again.close();
  }),
);

test.skipIf(!canMount).each([100, 150, 200])(
  "a deletion of all that left the index its room, for the disk had but %i KiB, was logged as a failure",
  (left) =>
    onSmallDisk(6 << 20, async (folder) => {
      const { events, logger } = collectingLogger("error");
      const store = await openFiles(join(folder, "data"), { logger });
      for (let i = 0; i < 60; i++) await put(store, mail("hello"));
      expect(await store.count({})).toBe(60);
      const others = join(folder, "others");
      fillDisk(others);
      truncateSync(others, statSync(others).size - (left << 10));
      expect(await store.clear()).toBe(60);
      expect(await store.count({})).toBe(0);
      await store.close();
      expect(events).toEqual([]);
    }),
);

test.skipIf(!canMount)(
  "mail took the room kept for deleting before it was whole again, where a quota leaves less than the disk says",
  () =>
    onSmallDisk(4 << 20, async (folder) => {
      const place = (name: string) => join(folder, name);
      const [path, others, more] = [place("reserve"), place("others"), place("more")];
      const reserve = new Reserve(path, new Room(folder));
      reserve.restore();
      fillDisk(others);
      expect(reserve.isThere()).toBe(true);
      reserve.release();
      fillDisk(more);
      truncateSync(more, statSync(more).size - (100 << 10));
      reserve.restore();
      expect(reserve.isThere()).toBe(false);
      expect(statSync(path).size).toBe(100 << 10);
      rmSync(more);
      expect(reserve.isThere()).toBe(true);
      expect(statSync(path).size).toBe(1 << 20);
      reserve.stop();
    }),
);

describe.skipIf(!canMount)("a disk that takes no more files, though it has room,", () => {
  test.each([
    ["kept Mailkeep from starting", true],
    ["so it did without the room that is kept for deleting", false],
  ])("%s", async (_, isRoomKept) => {
    using small = mountSmallDisk(freshFolder(), 16 << 20, 40);
    const dir = join(small.path, "data");
    const store = await openFiles(dir);
    const { id } = await put(store, mail("one"));
    expect(await store.count({ q: "one" })).toBe(1);
    await store.close();
    if (!isRoomKept) rmSync(join(dir, "reserve"));
    takeFiles(join(small.path, "other"));
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
    const again = await openFiles(dir);
    await put(again, mail("two"));
    expect(await again.count({ q: "two" })).toBe(1);
    expect(await again.delete([id])).toEqual([id]);
    expect(await again.clear()).toBe(1);
    await put(again, mail("three"));
    await again.close();
    const last = await openFiles(dir);
    expect(await last.count({ q: "three" })).toBe(1);
    await last.close();
  });

  test.each([
    [1, "index"],
    [4, "index"],
    [1, "search"],
    [2, "search"],
  ])("but for %i, did so without its %s", async (left, missing) => {
    using small = mountSmallDisk(freshFolder(), 16 << 20, 40);
    const dir = join(small.path, "data");
    const other = join(small.path, "other");
    const store = await openFiles(dir);
    await put(store, mail("one"));
    await store.close();
    for (const name of readdirSync(dir))
      if (name.startsWith(`${missing}.sqlite`) || name === "reserve") rmSync(join(dir, name));
    takeFiles(other);
    for (let name = 0; name < left; name++) rmSync(join(other, String(name)));
    const again = await openFiles(dir);
    const { id } = await put(again, mail("two"));
    expect([await again.count({ q: "one" }), await again.count({ q: "two" })]).toEqual([1, 1]);
    expect(await again.delete([id])).toEqual([id]);
    await again.close();
    const last = await openFiles(dir);
    expect([await last.count({}), await last.count({ q: "two" })]).toEqual([1, 0]);
    await last.close();
  });

  test("left a text index that held what was deleted meanwhile, and nobody knew of it", async () => {
    using small = mountSmallDisk(freshFolder(), 16 << 20, 40);
    const dir = join(small.path, "data");
    const other = join(small.path, "other");
    const options = { segmentBytes: 1000 };
    const store = await openFiles(dir, options);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await put(store, mail("hello", "x".repeat(400)))).id);
    expect(await store.count({ q: "hello" })).toBe(5);
    await store.close();
    for (const name of ["reserve", "search.sqlite.seal"]) rmSync(join(dir, name), { force: true });
    takeFiles(other);
    const again = await openFiles(dir, options);
    expect(await again.count({ q: "hello" })).toBe(5);
    await again.delete(ids.slice(0, 3));
    expect(await again.count({ q: "hello" })).toBe(2);
    rmSync(other, { recursive: true });
    await again.compact();
    await again.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
    const last = await openFiles(dir, options);
    expect(await last.count({ q: "hello" })).toBe(2);
    await last.close();
  });
});

describe.skipIf(!canMount)("a search missed mail that the disk had no room to index", () => {
  /** A sender whose mail cannot be indexed soon waits for that. */
  async function send(store: Store, raw: string): Promise<string> {
    const message = await put(store, raw);
    await store.searchable(message);
    return message.id;
  }

  /** Mail whose text is as large as it is, each with a word of its own. */
  async function fillWithWords(store: Store, upTo: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < upTo; i++) {
      const words = Array.from({ length: 400 }, (_, n) => `w${i}x${n}`).join(" ");
      const id = await send(store, mail(`m${i}`, `hello unique${i}y ${words}`)).catch(() => null);
      if (id === null) break;
      ids.push(id);
    }
    return ids;
  }

  test(
    "while mail filled it, after deleting, and after the next start",
    () =>
      onSmallDisk(6 << 20, async (folder) => {
        const dir = join(folder, "data");
        const store = await openFiles(dir);
        const ids = await fillWithWords(store, 3000);
        expect(await store.count({ q: "hello" })).toBe(ids.length);
        expect((await store.list({ filter: { q: `unique${ids.length - 1}y` }, limit: 2 })).total).toBe(1);
        const [first = "", ...others] = ids;
        await store.delete([first]);
        expect(await store.count({ q: "hello" })).toBe(others.length);
        expect(await store.count({ q: "unique0y" })).toBe(0);
        expect(await store.count({ q: "hello", unread: true })).toBe(others.length);
        await store.close();
        const again = await openFiles(dir);
        expect(await again.count({ q: "hello" })).toBe(others.length);
        await again.delete(others.splice(0, others.length / 2));
        await again.compact();
        expect(await again.count({ q: "hello" })).toBe(others.length);
        const last = await send(again, mail("last", "hello"));
        expect(await again.count({ q: "hello" })).toBe(others.length + 1);
        expect(await again.clear()).toBe(others.length + 1);
        expect(await again.count({ q: "hello" })).toBe(0);
        await send(again, mail("after", "hello"));
        const found = await again.list({ filter: { q: "hello" }, limit: 5 });
        expect(found.messages.map(({ subject }) => subject)).toEqual(["after"]);
        expect(last < (found.messages[0]?.id ?? "")).toBe(true);
        await again.close();
      }),
    30_000,
  );

  test("that others had filled", () =>
    onSmallDisk(16 << 20, async (folder) => {
      const store = await openFiles(join(folder, "data"));
      const ids = await fillWithWords(store, 200);
      fillDisk(join(folder, "other"));
      expect(await store.count({ q: "hello" })).toBe(ids.length);
      rmSync(join(folder, "other"));
      ids.push(await send(store, mail("new", "hello")));
      expect(await store.count({ q: "hello" })).toBe(ids.length);
      await store.close();
    }));
});

test.skipIf(!canMount)(
  "a mail with more attachments than there is room for moved the text index to memory and back all the time",
  () =>
    onSmallDisk(16 << 20, async (folder) => {
      writeFileSync(join(folder, "others"), Buffer.alloc(12 << 20));
      const server = startSearchServer({ slice: () => ["hello"].values() }, join(folder, "search.sqlite"));
      const bytes = new Uint8Array(3 << 20);
      const add = () => {
        server.addLarge(1, "", bytes);
        return server.settled();
      };
      await add();
      for (let attempt = 0; attempt < 3; attempt++) {
        server.tell({ kind: "resume" });
        await add();
        expect(await server.find("hello")).toEqual([1]);
      }
      expect(server.said.filter((kind) => kind === "full")).toHaveLength(1);
      rmSync(join(folder, "others"));
      server.tell({ kind: "resume" });
      await add();
      expect(await server.find("hello")).toEqual([1]);
      server.close();
      expect(server.said.filter((kind) => kind === "full")).toHaveLength(1);
      const again = startSearchServer({}, join(folder, "search.sqlite"));
      expect(again.said).toEqual(["opened 1"]);
      again.close();
    }),
);

test.skipIf(!canMount)(
  "a text index that a full disk did not let be emptied kept searches from working",
  () =>
    onSmallDisk(16 << 20, async (folder) => {
      const find = () => ({ subject: "", body: "hello" });
      const server = startSearchServer({ find }, join(folder, "search.sqlite"));
      for (let seq = 1; seq <= 50; seq++) server.add(seq);
      await server.settled();
      fillDisk(join(folder, "others"));
      server.tell({ kind: "clear", clearedSeq: 50 });
      expect(await server.find("hello")).toEqual([]);
      server.add(51);
      await server.settled();
      server.tell({ kind: "resume" });
      server.add(51);
      expect(await server.find("hello")).toEqual([51]);
      expect(server.said).not.toContain("failed");
      server.close();
      rmSync(join(folder, "others"));
    }),
);

describe("after a kill on a full disk, which had both indexes in memory", () => {
  const SMALL = { segmentBytes: 1000 };
  const [LONG, SHORT] = [mail("hello", "x ".repeat(10_000)), mail("hello")];

  /** Puts the text index back as it stood when the disk was full, and has the rows be made anew. */
  function leaveSearch(dir: string, bytes: Uint8Array): void {
    const [index, search] = [join(dir, "index.sqlite"), join(dir, "search.sqlite")];
    for (const path of [index, `${index}.seal`, `${search}.seal`]) rmSync(path, { force: true });
    writeFileSync(search, bytes);
  }

  /** What was sent and found, and of which all but the first is deleted while the text index stands still. */
  async function folderWith(raws: readonly string[], isUnfinished: boolean): Promise<string> {
    const dir = freshFolder();
    const search = join(dir, "search.sqlite");
    const store = await openFiles(dir, SMALL);
    const sent = await Promise.all(raws.map((raw) => put(store, raw)));
    expect(await store.count({ q: "hello" })).toBe(raws.length);
    await store.close();
    if (isUnfinished) {
      using db = new Database(search);
      db.run("INSERT INTO unfinished VALUES (2)");
    }
    const asItStood = readFileSync(search);
    const full = await openFiles(dir, SMALL);
    await full.delete(sent.slice(1).map(({ id }) => id));
    await full.compact();
    const after = await Promise.all(raws.map((raw) => put(full, raw)));
    await full.delete(after.map(({ id }) => id));
    await full.close();
    leaveSearch(dir, asItStood);
    return dir;
  }

  test.each([
    ["mail that had left the log was counted by searches", [SHORT, SHORT, SHORT, SHORT], false],
    ["so was a long one that was not all indexed", [SHORT, LONG], true],
  ])("%s", async (_, raws, isUnfinished) => {
    const dir = await folderWith(raws, isUnfinished);
    const store = await openFiles(dir, SMALL);
    expect(await store.count({ q: "hello" })).toBe(1);
    expect(await store.count({})).toBe(1);
    await store.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test("verify called the text index wrong, which the next start makes anew by itself", async () => {
    const dir = await folderWith([SHORT, SHORT, SHORT, SHORT], false);
    const { problems, notes } = await verifyStore({ dir, startScan });
    expect(problems).toEqual([]);
    expect(notes).toContain("the text index holds mail that was deleted; it is built anew by itself");
  });
});
