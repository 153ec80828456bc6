// Folders where files belong in the data folder, and files where folders do.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "./folders.ts";
import { commonOptions, mail, openFiles, put } from "./open.ts";

const freshFolder = useFolders();

async function filled(): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir);
  await put(store, mail("kept", "hello"));
  expect(await store.count({ q: "hello" })).toBe(1);
  await store.close();
  return dir;
}

/** A folder with something in it. */
function replaceByFolder(path: string): void {
  rmSync(path, { force: true });
  mkdirSync(path);
  writeFileSync(join(path, "mine"), "not Mailkeep's");
}

describe("a folder in place of what can be made anew kept Mailkeep from starting, or searches from working:", () => {
  test.each([
    "index.sqlite",
    "index.sqlite-wal",
    "index.sqlite.seal",
    "index.sqlite.new",
    "search.sqlite",
    "search.sqlite-wal",
    "search.sqlite.seal",
    "lock.sqlite.pid",
    "format.json",
    "reserve",
  ])("%s", async (name) => {
    const dir = await filled();
    for (let start = 0; start < 2; start++) {
      replaceByFolder(join(dir, name));
      const store = await openFiles(dir);
      expect(await store.count({ q: "hello" })).toBe(1);
      expect(await store.count({})).toBe(1);
      await store.close();
    }
    const kept = readdirSync(join(dir, "damaged"));
    expect(kept.toSorted()).toEqual([name, `${name}.2`]);
    for (const one of kept) expect(readdirSync(join(dir, "damaged", one))).toEqual(["mine"]);
  });
});

describe("what a person must move away is named in one line:", () => {
  const open = (dir: string) => openFiles(dir);
  const verify = (dir: string) => verifyStore({ dir, startScan });
  const reindex = (dir: string) => reindexStore({ ...commonOptions, durability: "os", dir });

  test.each([
    ["log/0000000001-0.seg", replaceByFolder, "a folder, where a file"],
    ["lock.sqlite", replaceByFolder, "a folder, where a file"],
    ["log", replaceByFile, "a file, where a folder"],
    ["large", replaceByFile, "a file, where a folder"],
    ["incoming", replaceByFile, "a file, where a folder"],
    ["damaged", replaceByFile, "a file, where a folder"],
    [".", replaceByFile, "a file, where a folder"],
  ])("%s", async (name, replace, what) => {
    const dir = await filled();
    const path = join(dir, name);
    replace(path);
    for (const use of [open, verify, reindex]) {
      const error = await use(dir).catch((cause) => cause);
      expect(error.message).toBe(`${path} is ${what} belongs: move it away and start again`);
    }
  });
});

function replaceByFile(path: string): void {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, "");
}
