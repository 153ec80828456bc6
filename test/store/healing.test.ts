// An index that turns out to be damaged while it is used: it is made anew from the log, and nobody is refused for it.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../src/store/index.ts";
import { useFolders } from "./folders.ts";
import { mail, openFiles, put, rawOf } from "./open.ts";

const freshFolder = useFolders();
const LARGE = mail("large", "x".repeat(5000));
const subjects = async (store: Store) =>
  (await store.list({ filter: {}, limit: 200 })).messages.map(({ subject }) => subject);

/** Three messages, oldest first; the row of the second one is wrong, which nobody has noticed yet. */
async function withWrongRow(): Promise<{ dir: string; store: Store; ids: string[] }> {
  const dir = freshFolder();
  const before = await openFiles(dir, { largeBytes: 4000 });
  const ids: string[] = [];
  for (const raw of [mail("one"), mail("two"), LARGE]) ids.push((await put(before, raw)).id);
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
      expect(await subjects(store)).toEqual(["large", "two", "one"]);
    },
    "a deletion": async (store, ids) => {
      expect(await store.delete(ids.slice(1, 2))).toEqual(ids.slice(1, 2));
      expect(await subjects(store)).toEqual(["large", "one"]);
    },
    "a deletion of many": async (store, ids) => {
      expect(await store.delete(manyIds(ids))).toEqual(ids);
      expect(await subjects(store)).toEqual([]);
    },
    "a deletion by a filter": async (store, ids) => {
      expect(await store.deleteMatching({ unread: true })).toEqual(ids);
      expect(await subjects(store)).toEqual([]);
    },
    "a deletion by a search": async (store, ids) => {
      expect(await store.deleteMatching({ q: "two" })).toEqual(ids.slice(1, 2));
      expect(await subjects(store)).toEqual(["large", "one"]);
    },
    "mail, small and large, that came in the same moment": async (store, ids) => {
      const draft = store.begin({ sender: "a@x.org", recipients: ["b@x.org"] });
      await draft.append(Buffer.from(LARGE));
      const changes = Promise.all([store.delete(ids.slice(1, 2)), put(store, mail("small")), draft.commit()]);
      const [, , { id }] = await changes;
      expect(String(Buffer.from((await rawOf(store, id)) ?? []))).toBe(LARGE);
      expect((await subjects(store)).toSorted()).toEqual(["large", "large", "one", "small"]);
    },
  };

  test.each(Object.entries(CHANGES))("%s", async (_, change) => {
    const { dir, store, ids } = await withWrongRow();
    await change(store, ids);
    const shown = await subjects(store);
    await store.close();
    const again = await openFiles(dir, { largeBytes: 4000, reindex: true });
    expect(await subjects(again)).toEqual(shown);
    await again.close();
  });
});
