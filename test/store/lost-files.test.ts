// Files of the log that are gone: the mail is lost, and the start says so.
import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { createLogger } from "../../src/lib/logger.ts";
import { useFolders } from "./folders.ts";
import { mail, openFiles, put } from "./open.ts";

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
