// Files of the log that are gone: the mail is lost, and the start says so.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { basename, join } from "node:path";
import { createLogger } from "../../src/lib/logger.ts";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, verifyStore } from "../../src/store/index.ts";
import { useFolders } from "./folders.ts";
import { commonOptions, mail, openFiles, put } from "./open.ts";

const freshFolder = useFolders();

/** What the start says in errors. */
async function errorsAtStart(dir: string): Promise<{ event: string; segment?: number }[]> {
  const lines: { event: string; segment?: number }[] = [];
  const write = (line: string) => lines.push(JSON.parse(line));
  const logger = createLogger({ level: "error", format: "json", write, now: () => new Date(0) });
  const store = await openFiles(dir, { segmentBytes: 500, logger });
  await put(store, mail("next"));
  await store.close();
  return lines;
}

/** Five mails in a segment each. */
async function filled(): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir, { segmentBytes: 500 });
  for (let i = 0; i < 5; i++) await put(store, mail(`m${i}`, "x".repeat(600)));
  expect(await store.count({ q: "m4" })).toBe(1);
  await store.close();
  return dir;
}

const remove = (dir: string, pattern: RegExp) => {
  for (const name of readdirSync(dir)) if (pattern.test(name)) rmSync(join(dir, name));
};

describe("the start said nothing of mail that was gone:", () => {
  test.each([
    ["the log", /^$/],
    ["the log and the index", /^index/],
    ["the log and both indexes", /^(index|search)/],
  ])("%s", async (_, pattern) => {
    const dir = await filled();
    remove(join(dir, "log"), /./);
    remove(dir, pattern);
    expect((await errorsAtStart(dir)).map(({ event }) => event)).toContain("log_missing");
    expect(await errorsAtStart(dir)).toEqual([]);
  });

  test("one segment of many", async () => {
    const dir = await filled();
    remove(join(dir, "log"), /^0+3-/);
    expect(await errorsAtStart(dir)).toMatchObject([
      { event: "segment_missing", segment: 3 },
      { event: "mail_missing", messages: 1 },
    ]);
    expect(await errorsAtStart(dir)).toEqual([]);
  });

  test("all of one segment but its first bytes", async () => {
    const dir = await filled();
    truncateSync(join(dir, "log", "0000000003-0.seg"), 16);
    expect(await errorsAtStart(dir)).toMatchObject([{ event: "mail_missing", messages: 1 }]);
    expect(await errorsAtStart(dir)).toEqual([]);
  });

  test("the last mails of the log, cut off where another one ends", async () => {
    const dir = freshFolder();
    const segment = join(dir, "log", "0000000001-0.seg");
    const store = await openFiles(dir);
    await put(store, mail("first"));
    const { size } = statSync(segment);
    for (const subject of ["second", "third"]) await put(store, mail(subject));
    await store.close();
    truncateSync(segment, size);
    expect(await errorsAtStart(dir)).toMatchObject([{ event: "mail_missing", messages: 2 }]);
    expect(await errorsAtStart(dir)).toEqual([]);
  });
});

test("a folder that is new, or has never had mail, is no reason to say anything", async () => {
  const dir = freshFolder();
  await (await openFiles(dir)).close();
  expect(await errorsAtStart(dir)).toEqual([]);
  expect(await errorsAtStart(freshFolder())).toEqual([]);
});

const SMALL_AND_LARGE = { segmentBytes: 500, largeBytes: 1000 };

/** Small mails with a segment each, and a large one before each of them. */
async function filledWithLarge(): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir, SMALL_AND_LARGE);
  for (let i = 0; i < 3; i++)
    for (const bytes of [1200, 600]) await put(store, mail(`m${i}-${bytes}`, "x".repeat(bytes)));
  await store.close();
  return dir;
}

async function subjects(dir: string): Promise<string[]> {
  const store = await openFiles(dir, SMALL_AND_LARGE);
  const { messages } = await store.list({ filter: {}, limit: 10 });
  for (const { id } of messages) expect(await (await store.raw(id))?.bytes()).not.toBeEmpty();
  await store.close();
  return messages.map(({ subject }) => subject);
}

describe("a file of the log that was put back, as the start advises, was removed, or large mails of it were:", () => {
  test.each(["0000000001-0.seg", "0000000002-0.seg", "0000000003-0.seg", ""])("log/%s", async (name) => {
    const dir = await filledWithLarge();
    const before = await subjects(dir);
    expect(before).toHaveLength(6);
    const [path, away] = [join(dir, "log", name), join(freshFolder(), "away")];
    renameSync(path, away);
    expect((await subjects(dir)).length).toBeLessThan(6);
    rmSync(path, { recursive: true, force: true });
    renameSync(away, path);
    expect((await verifyStore({ dir, startScan })).notes.join()).toContain("takes its file back from");
    expect(await subjects(dir)).toEqual(before);
    expect(readdirSync(join(dir, "damaged"))).toEqual([]);
  });

  test("but a file that a clear has made void does not come back", async () => {
    const dir = await filledWithLarge();
    const path = join(dir, "log", "0000000001-0.seg");
    const bytes = readFileSync(path);
    const store = await openFiles(dir, SMALL_AND_LARGE);
    await store.clear();
    await put(store, mail("later"));
    await store.close();
    await Bun.write(path, bytes);
    expect(await subjects(dir)).toEqual(["later"]);
    expect(readdirSync(join(dir, "log"))).not.toContain("0000000001-0.seg");
  });
});

describe("the file of a large mail that was away for a moment took the mail along, and was removed when it was back:", () => {
  /** Moves all of it away and back, with something done in between. */
  async function without(path: string, during: () => Promise<unknown>): Promise<void> {
    const away = join(freshFolder(), "away");
    renameSync(path, away);
    await during();
    rmSync(path, { recursive: true, force: true });
    renameSync(away, path);
  }
  const oneLarge = (dir: string) => join(dir, "large", readdirSync(join(dir, "large")).sort()[1] ?? "");

  test.each([
    ["one file, during a start", oneLarge],
    ["all files, during a start", (dir: string) => join(dir, "large")],
  ])("%s", async (_, pathIn) => {
    const dir = await filledWithLarge();
    const before = await subjects(dir);
    await without(pathIn(dir), async () => expect((await subjects(dir)).length).toBeLessThan(6));
    expect(await subjects(dir)).toEqual(before);
    expect(await subjects(dir)).toEqual(before);
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test("one file, when the mail was read", async () => {
    const dir = await filledWithLarge();
    const path = oneLarge(dir);
    const store = await openFiles(dir, SMALL_AND_LARGE);
    await without(path, async () => {
      expect(await store.raw(basename(path, ".eml"))).toBeNull();
      // Whatever comes next is stored after the mail was taken out.
      await put(store, mail("next"));
    });
    await store.close();
    expect(await subjects(dir)).toHaveLength(7);
  });

  test("but one that is put back damaged is kept aside", async () => {
    const dir = await filledWithLarge();
    const path = oneLarge(dir);
    await without(path, () => subjects(dir));
    await Bun.write(path, "x".repeat(2000));
    for (let start = 0; start < 2; start++) expect(await subjects(dir)).toHaveLength(5);
    expect(readdirSync(join(dir, "damaged"))).toEqual([basename(path)]);
  });

  test("but one whose mail was deleted does not come back", async () => {
    const dir = await filledWithLarge();
    const path = oneLarge(dir);
    const bytes = readFileSync(path);
    const store = await openFiles(dir, SMALL_AND_LARGE);
    await store.delete([basename(path, ".eml")]);
    await store.close();
    await Bun.write(path, bytes);
    expect(await subjects(dir)).toHaveLength(5);
    expect(readdirSync(join(dir, "large"))).toHaveLength(2);
  });
});

describe("reindex took mail out of the log:", () => {
  const reindex = (dir: string) =>
    reindexStore({ ...commonOptions, ...SMALL_AND_LARGE, durability: "os", dir });

  test("a large mail whose file was yet to be put back", async () => {
    const dir = await filledWithLarge();
    const path = join(dir, "large", readdirSync(join(dir, "large"))[0] ?? "");
    const away = join(freshFolder(), "away");
    renameSync(path, away);
    const error = await reindex(dir).catch((cause) => cause);
    expect(error.message).toContain(`${path} is missing: put it back from a backup`);
    renameSync(away, path);
    expect(await reindex(dir)).toBe(6);
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test("large mails of a segment that was yet to be put back", async () => {
    const dir = await filledWithLarge();
    const [path, away] = [join(dir, "log", "0000000002-0.seg"), join(freshFolder(), "away")];
    renameSync(path, away);
    expect(await reindex(dir)).toBeLessThan(6);
    renameSync(away, path);
    expect(await reindex(dir)).toBe(6);
  });

  test.each(["no file in it", "no folder"])("all of it, where the log is %s", async (what) => {
    const dir = await filledWithLarge();
    if (what === "no file in it") remove(join(dir, "log"), /./);
    else rmSync(join(dir, "log"), { recursive: true });
    for (const run of [reindex, (dir: string) => verifyStore({ dir, startScan })]) {
      const error = await run(dir).catch((cause) => cause);
      expect(error.message).toBe(`${join(dir, "log")} holds no mail: put it back from a backup`);
    }
    expect(readdirSync(join(dir, "large"))).toHaveLength(3);
  });
});
