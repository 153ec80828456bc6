// An index that turns out to be damaged while it is used: it is made anew from the log, and nobody is refused for it.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../src/lib/logger.ts";
import { nextTurn } from "../../src/lib/next-turn.ts";
import { startScan } from "../../src/mime/index.ts";
import type { Store } from "../../src/store/index.ts";
import { dataDir } from "../../src/store/log/data-dir.ts";
import { Rows } from "../../src/store/rows/rows.ts";
import { makeRowsAnew } from "../../src/store/rows-anew.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, fillDisk, mountSmallDisk } from "../support/small-disk.ts";
import { mail, openFiles, put, rawOf, subjectsOf } from "./open.ts";

const freshFolder = useFolders();
const LARGE = mail("large", "x".repeat(5000));

/** Messages, oldest first; the row of the second one is wrong, which nobody has noticed yet. */
async function withWrongRow(more = 0, dir = freshFolder()) {
  const before = await openFiles(dir, { largeBytes: 4000 });
  const ids: string[] = [];
  for (const raw of [mail("one"), mail("two"), LARGE]) ids.push((await put(before, raw)).id);
  const others = Array.from({ length: more }, (_, n) => put(before, mail(`m${n}`)));
  for (const other of others) ids.push((await other).id);
  await before.close();
  const db = new Database(join(dir, "index.sqlite"));
  db.run("UPDATE message SET subject = 'never sent' WHERE seq = 2");
  db.close();
  for (const name of readdirSync(dir)) if (name.endsWith(".seal")) rmSync(join(dir, name));
  return { dir, store: await openFiles(dir, { largeBytes: 4000 }), ids };
}

const manyIds = (ids: readonly string[]) => [...ids, ...Array.from({ length: 600 }, (_, n) => `none${n}`)];

describe("a change that met a wrong row was refused once:", () => {
  const CHANGES: Record<string, (store: Store, ids: string[]) => Promise<void>> = {
    "an update": async (store, ids) => {
      expect(await store.update(ids.slice(1, 2), { is_read: true })).toMatchObject([
        { subject: "two", is_read: true },
      ]);
      expect(await subjectsOf(store)).toEqual(["large", "two", "one"]);
    },
    "a deletion": async (store, ids) => {
      expect(await store.delete(ids.slice(1, 2))).toEqual(ids.slice(1, 2));
      expect(await subjectsOf(store)).toEqual(["large", "one"]);
    },
    "a deletion of many": async (store, ids) => {
      expect(await store.delete(manyIds(ids))).toEqual(ids);
      expect(await subjectsOf(store)).toEqual([]);
    },
    "a deletion by a filter": async (store, ids) => {
      expect(await store.deleteMatching({ unread: true })).toEqual(ids);
      expect(await subjectsOf(store)).toEqual([]);
    },
    "a deletion by a search": async (store, ids) => {
      expect(await store.deleteMatching({ q: "two" })).toEqual(ids.slice(1, 2));
      expect(await subjectsOf(store)).toEqual(["large", "one"]);
    },
    "mail, small and large, that came in the same moment": async (store, ids) => {
      const draft = store.begin({ sender: "a@x.org", recipients: ["b@x.org"] });
      await draft.append(Buffer.from(LARGE));
      const changes = Promise.all([store.delete(ids.slice(1, 2)), put(store, mail("small")), draft.commit()]);
      const [, , { id }] = await changes;
      expect(String(Buffer.from((await rawOf(store, id)) ?? []))).toBe(LARGE);
      expect((await subjectsOf(store)).toSorted()).toEqual(["large", "large", "one", "small"]);
    },
  };

  test.each(Object.entries(CHANGES))("%s", async (_, change) => {
    const { dir, store, ids } = await withWrongRow();
    await change(store, ids);
    const shown = await subjectsOf(store);
    await store.close();
    const again = await openFiles(dir, { largeBytes: 4000, reindex: true });
    expect(await subjectsOf(again)).toEqual(shown);
    await again.close();
  });
});

describe("while the rows are made anew", () => {
  test("a message that was being read was gone for that time", async () => {
    const { store, ids } = await withWrongRow(3000);
    const raw = await store.raw(ids.at(-1) ?? "");
    const healed = store.get(ids[1] ?? "");
    let reads = 0;
    for (let done = false; !done; reads++) {
      expect((await raw?.bytes())?.length).toBe(raw?.size ?? 0);
      done = await Promise.race([healed.then(() => true), nextTurn().then(() => false)]);
    }
    expect(reads).toBeGreaterThan(1);
    expect(await healed).toMatchObject({ subject: "two" });
    await store.close();
  });

  test.skipIf(!canMount)("a disk that is full left half of them", async () => {
    using disk = mountSmallDisk(freshFolder(), 16 << 20);
    const { store, dir, ids } = await withWrongRow(3000, join(disk.path, "data"));
    fillDisk(join(disk.path, "other"));
    expect(await store.get(ids[1] ?? "")).toMatchObject({ subject: "two" });
    expect(await store.walk({}, { limit: 9000 })).toEqual(ids);
    expect(await store.count({ unread: true })).toBe(ids.length);
    await store.close();
    rmSync(join(disk.path, "other"));
    const again = await openFiles(dir, { largeBytes: 4000 });
    expect(await again.walk({}, { limit: 9000 })).toEqual(ids);
    await again.close();
  });
});

test("an index that could not even take the rows that waited was never made anew", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir);
  for (let n = 0; n < 60; n++) await put(store, mail(`m${n}`));
  expect(await store.count({ unread: true })).toBe(60);
  await store.update([(await put(store, mail("last"))).id], { is_read: true });
  const path = join(dir, "index.sqlite");
  await store.close();
  const again = await openFiles(dir);
  writeFileSync(path, Buffer.alloc(statSync(path).size, 0xff), { flag: "r+" });
  await put(again, mail("waits"));
  expect((await subjectsOf(again)).slice(0, 2)).toEqual(["waits", "last"]);
  expect(await again.count({ unread: true })).toBe(61);
  await again.close();
});

test("a kill right after the rows were made anew took along what they knew of files that are missing", async () => {
  const dir = dataDir(freshFolder());
  await (await openFiles(dir.root)).close();
  const { salt } = JSON.parse(readFileSync(dir.format, "utf8"));
  const lacking = { number: 7, newest: 7, left_bytes: 0, whole_bytes: 100 };
  const made = await makeRowsAnew(
    dir.rows,
    [],
    (rows) => {
      rows.begin();
      rows.segments.addLacking(lacking);
      rows.commit(rows.state);
    },
    { dir, salt, startScan, logger: silentLogger, anew: false, onProgress: () => {} },
  );
  const rows = new Rows(made.take().db);
  expect(rows.segments.lacking()).toEqual([lacking]);
  rows.finish();
});
