// Folders and pipes where files belong in the data folder, and files where folders do.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
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

const MADE_ANEW = [
  "index.sqlite",
  "index.sqlite-wal",
  "index.sqlite.seal",
  "search.sqlite",
  "search.sqlite-wal",
  "search.sqlite.seal",
  "lock.sqlite.pid",
  "format.json",
  "reserve",
];

describe("a folder in place of what can be made anew kept Mailkeep from starting, or searches from working:", () => {
  test.each([...MADE_ANEW, "index.sqlite.new"])("%s", async (name) => {
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

describe.skipIf(process.platform === "win32")(
  "a pipe in place of what can be made anew held the start up:",
  () => {
    test.each(MADE_ANEW)("%s", async (name) => {
      const dir = await filled();
      replaceByPipe(join(dir, name));
      // SQLite itself removes one that is empty, as a pipe is.
      if (!name.endsWith("-wal")) await verifyStore({ dir, startScan });
      const store = await openFiles(dir);
      expect(await store.count({ q: "hello" })).toBe(1);
      await store.close();
      expect(readdirSync(join(dir, "damaged"))).toEqual([name]);
    });

    test("the file of a large mail, which cannot", async () => {
      const dir = await filled();
      const store = await openFiles(dir, { largeBytes: 100 });
      const { id } = await put(store, mail("large", "x".repeat(1000)));
      await store.close();
      replaceByPipe(join(dir, "large", `${id}.eml`));
      rmSync(join(dir, "index.sqlite"));
      const { problems } = await verifyStore({ dir, startScan });
      expect(problems.map(({ kind }) => kind)).toEqual(["damaged_body"]);
      const again = await openFiles(dir);
      expect(await again.count({})).toBe(1);
      await again.close();
    });
  },
);

describe("what a person must move away is named in one line:", () => {
  const open = (dir: string) => openFiles(dir);
  const verify = (dir: string) => verifyStore({ dir, startScan });
  const reindex = (dir: string) => reindexStore({ ...commonOptions, durability: "os", dir });

  test.each([
    ["log/0000000001-0.seg", replaceByFolder, "a folder, where a file"],
    ["lock.sqlite", replaceByFolder, "a folder, where a file"],
    ["log/0000000001-0.seg", replaceByPipe, "a pipe, where a file"],
    ["lock.sqlite", replaceByPipe, "a pipe, where a file"],
    ["log", replaceByFile, "a file, where a folder"],
    ["large", replaceByFile, "a file, where a folder"],
    ["incoming", replaceByFile, "a file, where a folder"],
    ["damaged", replaceByFile, "a file, where a folder"],
    [".", replaceByFile, "a file, where a folder"],
    ["large", replaceByLink, "a link to nothing, where a folder"],
    [".", replaceByLink, "a link to nothing, where a folder"],
  ])("%s", async (name, replace, what) => {
    if ((replace === replaceByPipe || replace === replaceByLink) && process.platform === "win32") return;
    const dir = await filled();
    const path = join(dir, name);
    replace(path);
    for (const use of [open, verify, reindex]) {
      const error = await use(dir).catch((cause) => cause);
      expect(error.message).toBe(`${path} is ${what} belongs: move it away and start again`);
    }
  });
});

function replaceByPipe(path: string): void {
  rmSync(path, { force: true });
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
}

function replaceByLink(path: string): void {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(join(freshFolder(), "not-there"), path);
}

function replaceByFile(path: string): void {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, "");
}
