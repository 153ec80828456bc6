// Files of the log that are gone: the mail is lost, and the start says so.
import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { basename, join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, type Store, verifyStore } from "../../src/store/index.ts";
import { collectingLogger, type LogLine } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, fillDisk, mountSmallDisk } from "../support/small-disk.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { commonOptions, mail, openFiles, put } from "./open.ts";

const freshFolder = useFolders();

/** What the start says in errors. */
async function errorsAtStart(dir: string): Promise<LogLine[]> {
  const { lines, logger } = collectingLogger("error");
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
    expect(await errorsAtStart(dir)).toMatchObject([
      { event: "segment_shortened", segment: 3 },
      { event: "mail_missing", messages: 1 },
    ]);
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
    expect(await errorsAtStart(dir)).toMatchObject([
      { event: "segment_shortened", segment: 1 },
      { event: "mail_missing", messages: 2 },
    ]);
    expect(await errorsAtStart(dir)).toEqual([]);
  });

  test("or of deleted mail that was back, for its deletion was cut out", async () => {
    const dir = freshFolder();
    const segment = join(dir, "log", "0000000001-0.seg");
    const store = await openFiles(dir);
    const { id } = await put(store, mail("deleted"));
    await put(store, mail("second"));
    const { size } = statSync(segment);
    await store.delete([id]);
    await store.close();
    truncateSync(segment, size);
    expect(await errorsAtStart(dir)).toMatchObject([{ event: "segment_shortened", segment: 1 }]);
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

  test("where only the end of it was gone", async () => {
    const dir = freshFolder();
    const options = { segmentBytes: 2000 };
    const store = await openFiles(dir, options);
    for (let i = 0; i < 5; i++) await put(store, mail(`m${i}`, "x".repeat(600)));
    await store.close();
    const path = join(dir, "log", "0000000001-0.seg");
    const bytes = readFileSync(path);
    truncateSync(path, bytes.length - 20);
    const shortened = await openFiles(dir, options);
    expect(await shortened.count({})).toBe(4);
    await shortened.compact();
    await shortened.close();
    await Bun.write(path, bytes);
    const again = await openFiles(dir, options);
    expect(await again.count({})).toBe(5);
    expect(await again.count({ q: "m2" })).toBe(1);
    await again.close();
  });

  test.each([
    [0, -20],
    [1, -20],
    [2, -20],
    [1, 100],
    [1, 16],
    [1, 5],
  ])("and took along the mail of %d starts that had come in meanwhile, cut at %d", async (starts, end) => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    for (let i = 0; i < 5; i++) await put(store, mail(`m${i}`));
    await store.close();
    const path = join(dir, "log", "0000000001-0.seg");
    const bytes = readFileSync(path);
    truncateSync(path, bytes.subarray(0, end).length);
    await (await openFiles(dir)).close();
    for (let i = 0; i < starts; i++) {
      const shortened = await openFiles(dir);
      await put(shortened, mail(`meanwhile${i}`));
      await shortened.close();
    }
    await Bun.write(path, bytes);
    const { problems, notes } = await verifyStore({ dir, startScan });
    expect({ problems, notes: notes[0] }).toMatchObject({
      problems: [],
      notes: expect.stringContaining("files were put back"),
    });
    const again = await openFiles(dir);
    const { messages } = await again.list({ filter: {}, limit: 10 });
    const expected = ["meanwhile1", "meanwhile0"].slice(2 - starts).concat("m4", "m3", "m2", "m1", "m0");
    expect(messages.map(({ subject }) => subject)).toEqual(expected);
    expect(await again.count({ q: "m4" })).toBe(1);
    await again.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test.each([1, 2])(
    "where what was left of it, or what follows it, was rewritten by start %d",
    async (start) => {
      const dir = freshFolder();
      const options = { segmentBytes: 5500 };
      const store = await openFiles(dir, options);
      const ids: string[] = [];
      for (let i = 0; i < 12; i++) ids.push((await put(store, mail(`m${i}`, "x".repeat(600)))).id);
      await store.update(ids.slice(7, 8), { tags: ["kept"] });
      await store.close();
      const path = join(dir, "log", "0000000001-0.seg");
      const bytes = readFileSync(path);
      truncateSync(path, bytes.length - 20);
      for (let before = 1; before < start; before++) await (await openFiles(dir, options)).close();
      const shortened = await openFiles(dir, options);
      expect(await shortened.count({})).toBe(11);
      await shortened.delete([...ids.slice(0, 6), ...ids.slice(8, 11)]);
      await shortened.compact();
      await shortened.close();
      await Bun.write(path, bytes);
      const again = await openFiles(dir, options);
      const { messages } = await again.list({ filter: {}, limit: 10 });
      expect(messages.map(({ subject, tags }) => [subject, tags])).toEqual([
        ["m11", []],
        ["m7", ["kept"]],
        ["m6", []],
      ]);
      await again.close();
    },
  );

  test.each([20, 250])("where it came back in two steps, after it had been cut to %d bytes", async (left) => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    for (let i = 0; i < 4; i++) await put(store, mail(`m${i}`));
    await store.close();
    const path = join(dir, "log", "0000000001-0.seg");
    const bytes = readFileSync(path);
    truncateSync(path, left);
    for (const part of [400, 500]) {
      await errorsAtStart(dir);
      await Bun.write(path, bytes.subarray(0, part));
      expect(await errorsAtStart(dir)).toContainEqual(
        expect.objectContaining({ event: "segment_shortened", segment: 1 }),
      );
    }
    await Bun.write(path, bytes);
    const again = await openFiles(dir);
    const { messages } = await again.list({ filter: {}, limit: 10 });
    const meanwhile = Array(4).fill("next");
    expect(messages.map(({ subject }) => subject)).toEqual([...meanwhile, "m3", "m2", "m1", "m0"]);
    await again.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test.skipIf(!canMount).each(["cut short", "missing"])(
    "where the disk was full when it was found %s",
    async (how) => {
      using disk = mountSmallDisk(freshFolder(), 4 << 20);
      const dir = join(disk.path, "data");
      const store = await openFiles(dir, { segmentBytes: 500 });
      for (let i = 0; i < 4; i++) await put(store, mail(`m${i}`, "x".repeat(i === 3 ? 100 : 600)));
      expect(await store.count({ q: "m3" })).toBe(1);
      await store.close();
      const path = join(dir, "log", "0000000004-0.seg");
      const bytes = readFileSync(path);
      if (how === "missing") rmSync(path);
      else truncateSync(path, bytes.length - 20);
      rmSync(join(dir, "reserve"), { force: true });
      fillDisk(join(disk.path, "other"));
      const full = await openFiles(dir, { segmentBytes: 500 });
      expect(await full.count({ q: "m3" })).toBe(0);
      expect(await full.count({})).toBe(3);
      await full.close();
      rmSync(join(disk.path, "other"));
      const later = await openFiles(dir, { segmentBytes: 500 });
      await put(later, mail("meanwhile"));
      await later.close();
      await Bun.write(path, bytes);
      const again = await openFiles(dir, { segmentBytes: 500 });
      const { messages } = await again.list({ filter: {}, limit: 10 });
      expect(messages.map(({ subject }) => subject)).toEqual(["meanwhile", "m3", "m2", "m1", "m0"]);
      await again.close();
    },
  );

  test("where the start that found it cut short was ended in the middle", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    for (let i = 0; i < 3; i++) await put(store, mail(`m${i}`));
    await store.close();
    const path = join(dir, "log", "0000000001-0.seg");
    const bytes = readFileSync(path);
    truncateSync(path, bytes.length - 20);
    const faulty = faultyDisk();
    faulty.fault = { at: "write", code: "EIO" };
    expect(await openFiles(dir, { disk: faulty.disk }).catch(() => "ended")).toBe("ended");
    const left = freshFolder();
    cpSync(dir, left, { recursive: true });
    await Bun.write(join(left, "log", basename(path)), bytes);
    const again = await openFiles(left);
    expect(await again.count({})).toBe(3);
    await again.close();
  });

  test.each(["cut short", "missing"])(
    "where the start that found it %s was killed, and so was not the first",
    async (how) => {
      const dir = await filled();
      const path = join(dir, "log", "0000000005-0.seg");
      const bytes = readFileSync(path);
      if (how === "missing") rmSync(path);
      else truncateSync(path, bytes.length - 20);
      rmSync(join(dir, "log", "0000000006-0.seg"));
      const left = freshFolder();
      const onProgress = () => {
        if (readdirSync(left).length === 0) cpSync(dir, left, { recursive: true });
      };
      await (await openFiles(dir, { segmentBytes: 500, onProgress })).close();
      const second = await openFiles(left, { segmentBytes: 500 });
      await put(second, mail("meanwhile"));
      await second.close();
      await Bun.write(join(left, "log", basename(path)), bytes);
      const again = await openFiles(left, { segmentBytes: 500 });
      const { messages } = await again.list({ filter: {}, limit: 10 });
      expect(messages.map(({ subject }) => subject)).toEqual(["meanwhile", "m4", "m3", "m2", "m1", "m0"]);
      await again.close();
      expect((await verifyStore({ dir: left, startScan })).problems).toEqual([]);
    },
  );

  test("and took along the mail that had come in meanwhile, for all before it had been deleted at once", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    for (let i = 0; i < 3; i++) await put(store, mail(`m${i}`));
    await store.clear();
    await store.close();
    const [log, away] = [join(dir, "log"), join(freshFolder(), "away")];
    renameSync(log, away);
    const without = await openFiles(dir);
    await put(without, mail("meanwhile"));
    await without.close();
    cpSync(away, log, { recursive: true });
    const again = await openFiles(dir);
    const { messages } = await again.list({ filter: {}, limit: 10 });
    expect(messages.map(({ subject }) => subject)).toEqual(["meanwhile"]);
    await again.close();
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
    await without(pathIn(dir), async () => {
      expect((await subjects(dir)).length).toBeLessThan(6);
      const { problems, notes } = await verifyStore({ dir, startScan });
      expect(problems).toEqual([]);
      expect(notes.join()).toContain("start Mailkeep to have the mail again");
    });
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

  test("one file, whose segment was rewritten meanwhile", async () => {
    const dir = freshFolder();
    const options = { largeBytes: 1000, segmentBytes: 20_000 };
    const store = await openFiles(dir, options);
    for (let i = 0; i < 9; i++) await put(store, mail(`m${i}`, "x".repeat(900)));
    await put(store, mail("large", "x".repeat(2000)));
    await store.close();
    const path = join(dir, "large", readdirSync(join(dir, "large"))[0] ?? "");
    await without(path, async () => {
      const other = await openFiles(dir, options);
      const { messages } = await other.list({ filter: {}, limit: 9 });
      await other.delete(messages.slice(0, 8).map(({ id }) => id));
      await other.compact();
      await other.close();
      expect(readdirSync(join(dir, "log"))).toContain("0000000001-1.seg");
      expect(await subjects(dir)).toEqual(["m0"]);
    });
    expect(await subjects(dir)).toEqual(["large", "m0"]);
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test.each(["its own segment", "a later one"])(
    "without what was changed in it, for %s was rewritten",
    async (which) => {
      const dir = freshFolder();
      const options = { largeBytes: 1000, segmentBytes: 5000 };
      const store = await openFiles(dir, options);
      const fill = async () => {
        const filling = [];
        for (let i = 0; i < 5; i++) filling.push((await put(store, mail(`m${i}`, "x".repeat(900)))).id);
        return filling;
      };
      const { id } = await put(store, mail("large", "x".repeat(2000)));
      const filling = which === "a later one" ? await fill() : [];
      await store.update([id], { is_read: true, tags: ["kept"] });
      const doomed = await fill();
      await put(store, mail("last"));
      await store.close();
      await without(join(dir, "large", `${id}.eml`), async () => {
        const other = await openFiles(dir, options);
        await other.delete(doomed);
        await other.compact();
        expect(await other.count({})).toBe(filling.length + 1);
        await other.close();
        expect(readdirSync(join(dir, "log")).some((name) => name.endsWith("-1.seg"))).toBe(true);
      });
      const again = await openFiles(dir, options);
      expect(await again.get(id)).toMatchObject({ is_read: true, tags: ["kept"] });
      await again.close();
    },
  );

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

describe("while a file of the log was missing", () => {
  const shown = async (store: Store) =>
    (await store.list({ filter: {}, limit: 20 })).messages.map(({ subject, is_starred }) => [
      subject,
      is_starred,
    ]);

  test("what the others say of its mail was compacted away: deleted mail was back with it", async () => {
    const dir = await filled();
    const small = { segmentBytes: 500 };
    const before = await openFiles(dir, small);
    const { messages } = await before.list({ filter: {}, limit: 9 });
    const id = (subject: string) => messages.find((one) => one.subject === subject)?.id ?? "";
    await put(before, mail("doomed", "x".repeat(100)));
    await before.delete([id("m1")]);
    await before.update([id("m2")], { is_starred: true });
    await before.close();
    const [path, away] = [join(dir, "log"), join(freshFolder(), "away")];
    cpSync(path, away, { recursive: true });
    remove(path, /^0+[23]-/);
    const without = await openFiles(dir, small);
    const doomed = (await without.list({ filter: {}, limit: 9 })).messages.filter(
      (one) => one.subject !== "m0",
    );
    await without.delete(doomed.map((one) => one.id));
    await without.compact();
    await put(without, mail("new"));
    await without.close();
    for (const name of readdirSync(away))
      if (/^0+[23]-/.test(name)) renameSync(join(away, name), join(path, name));
    const again = await openFiles(dir, small);
    expect(await shown(again)).toEqual([
      ["new", false],
      ["m2", true],
      ["m0", false],
    ]);
    await again.close();
  });

  test("one that was missing with it, and was back before it, was compacted away: deleted mail was back", async () => {
    const dir = freshFolder();
    const small = { segmentBytes: 500 };
    const store = await openFiles(dir, small);
    const { id } = await put(store, mail("deleted", "x".repeat(600)));
    await store.delete([id]);
    await put(store, mail("kept", "x".repeat(600)));
    await store.close();
    const [path, away] = [join(dir, "log"), freshFolder()];
    const [first = "", ...others] = readdirSync(path).sort();
    for (const name of [first, ...others]) renameSync(join(path, name), join(away, name));
    await (await openFiles(dir, small)).close();
    for (const name of others) renameSync(join(away, name), join(path, name));
    const without = await openFiles(dir, small);
    const [kept] = (await without.list({ filter: {}, limit: 9 })).messages;
    await without.delete([kept?.id ?? ""]);
    await without.compact();
    await without.close();
    renameSync(join(away, first), join(path, first));
    const again = await openFiles(dir, small);
    expect(await shown(again)).toEqual([]);
    await again.close();
  });

  test("one with a clear in it, what came after it was forgotten once they changed places: nothing started", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    await put(store, mail("cleared"));
    await store.clear();
    await put(store, mail("first"));
    await store.close();
    const [path, away] = [join(dir, "log"), freshFolder()];
    const exchange = (from: string, to: string) => {
      const names = readdirSync(from);
      return () => {
        for (const name of names) renameSync(join(from, name), join(to, name));
      };
    };
    exchange(path, away)();
    const without = await openFiles(dir);
    await put(without, mail("second"));
    await without.close();
    const [back, out] = [exchange(away, path), exchange(path, away)];
    back();
    out();
    const others = await openFiles(dir);
    await put(others, mail("third"));
    await others.close();
    exchange(away, path)();
    const again = await openFiles(dir);
    expect((await shown(again)).map(([subject]) => subject)).toEqual(["third", "second", "first"]);
    await again.close();
  });

  test.each(["the newest", "all of them"])("new mail took its name: %s", async (which) => {
    const dir = await filled();
    const small = { segmentBytes: 500 };
    const [path, away] = [join(dir, "log"), freshFolder()];
    const names = readdirSync(path)
      .sort()
      .slice(which === "the newest" ? -2 : 0);
    for (const name of names) renameSync(join(path, name), join(away, name));
    const without = await openFiles(dir, small);
    await put(without, mail("new"));
    await without.close();
    for (const name of names) {
      expect(readdirSync(path)).not.toContain(name);
      renameSync(join(away, name), join(path, name));
    }
    const again = await openFiles(dir, small);
    expect((await shown(again)).map(([subject]) => subject)).toEqual(["new", "m4", "m3", "m2", "m1", "m0"]);
    await again.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  test("new mail took the place of mail that its index had not seen before a kill: with the file back nothing started", async () => {
    const dir = freshFolder();
    const [path, away] = [join(dir, "log", "0000000001-0.seg"), join(freshFolder(), "away")];
    const before = await openFiles(dir);
    await put(before, mail("seen"));
    await before.close();
    const seen = ["index.sqlite", "index.sqlite.seal"].map((name) => join(dir, name));
    const bytes = seen.map((file) => readFileSync(file));
    const next = await openFiles(dir);
    for (let i = 0; i < 3; i++) {
      const { id } = await put(next, mail(`unseen ${i}`));
      await next.update([id], { is_starred: true });
    }
    await next.close();
    for (const [index, file] of seen.entries()) await Bun.write(file, bytes[index] ?? "");
    renameSync(path, away);
    const without = await openFiles(dir);
    const { id } = await put(without, mail("new"));
    await without.update([id], { is_starred: true });
    await without.close();
    renameSync(away, path);
    const again = await openFiles(dir);
    expect(await shown(again)).toEqual([
      ["new", true],
      ["unseen 2", true],
      ["unseen 1", true],
      ["unseen 0", true],
      ["seen", false],
    ]);
    await again.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });

  const ORDERS = [
    "S- I- start S+",
    "F- S- start F+ start S+",
    "F- start S- start F+ start S+",
    "F- start S- F+ start S+",
  ];
  test.each(ORDERS)("large mail of it was lost: %s", async (order) => {
    const dir = await filledWithLarge();
    const before = await subjects(dir);
    const away = freshFolder();
    const paths: Record<string, string> = {
      S: "log/0000000002-0.seg",
      F: `large/${readdirSync(join(dir, "large")).sort()[1]}`,
      I: "index.sqlite",
    };
    for (const step of order.split(" ")) {
      const path = paths[step[0] ?? ""];
      if (path === undefined) await subjects(dir);
      else if (step.endsWith("-")) renameSync(join(dir, path), join(away, basename(path)));
      else renameSync(join(away, basename(path)), join(dir, path));
    }
    expect(await subjects(dir)).toEqual(before);
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  });
});

test("mail that is nowhere else left the log behind a new segment", async () => {
  const dir = await filled();
  remove(join(dir, "log"), /^0+[12456]-/);
  remove(dir, /^index/);
  renameSync(join(dir, "log", "0000000003-0.seg"), join(dir, "third"));
  await errorsAtStart(dir);
  renameSync(join(dir, "third"), join(dir, "log", "0000000003-0.seg"));
  const error = await openFiles(dir).catch((cause) => cause);
  expect(error.message).toContain("what it holds is nowhere else");
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
    for (let start = 0; start < 2; start++) {
      const error = await reindex(dir).catch((cause) => cause);
      expect(error.message).toContain("0000000002-*.seg is missing: put it back from a backup");
      const { problems } = await verifyStore({ dir, startScan });
      expect(problems.map(({ kind }) => kind)).toEqual(["missing_segment"]);
      await subjects(dir);
    }
    renameSync(away, path);
    expect(await verifyStore({ dir, startScan })).toMatchObject({ problems: [], messages: 6 });
    expect(await reindex(dir)).toBe(6);
  });

  test("the end of a segment that was yet to be put back", async () => {
    const dir = await filledWithLarge();
    const path = join(dir, "log", "0000000002-0.seg");
    const bytes = readFileSync(path);
    truncateSync(path, bytes.length - 20);
    const error = await reindex(dir).catch((cause) => cause);
    expect(error.message).toContain("0000000002-*.seg is shorter than it was: put it back from a backup");
    const { problems } = await verifyStore({ dir, startScan });
    expect(problems.map(({ kind }) => kind)).toEqual(["torn_tail", "shortened_segment"]);
    await Bun.write(path, bytes);
    expect(await verifyStore({ dir, startScan })).toMatchObject({ problems: [], messages: 6 });
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
