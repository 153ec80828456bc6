// The format file beside the log: what the segments say together counts, and files of two logs are for a person.
import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../src/lib/logger.ts";
import { startScan } from "../../src/mime/index.ts";
import { verifyStore } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { mail, openFiles, put, rawOf } from "./open.ts";

const freshFolder = useFolders();
const OPTIONS = { segmentBytes: 1500, largeBytes: 1000 };
const LARGE = mail("large", "x".repeat(2000));
const SUBJECTS = ["m0", "m1", "m2", "m3", "large"];
const formatPath = (dir: string) => join(dir, "format.json");
const segmentPath = (dir: string, number: number) => join(dir, "log", `000000000${number}-0.seg`);

/** Small mails in two segments, the last one behind them a large one; `subjects` are those of the small ones. */
async function filledFolder(subjects = SUBJECTS.slice(0, -1)): Promise<string> {
  const dir = freshFolder();
  const store = await openFiles(dir, OPTIONS);
  for (const subject of subjects) await put(store, mail(subject, "hello ".repeat(80)));
  await put(store, LARGE);
  expect(await store.count({ q: "hello" })).toBe(subjects.length);
  await store.close();
  expect(readdirSync(join(dir, "log")).length).toBe(2);
  return dir;
}

/** Every file but those of the lock, with what is in it. */
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith("lock") && statSync(join(dir, name)).isFile())
    .toSorted()
    .map((name) => [name, Bun.hash(readFileSync(join(dir, name)))]);

/** That all of it is there, and searched, and stays so. */
async function expectWhole(dir: string, subjects = SUBJECTS, logger = silentLogger): Promise<void> {
  for (const one of [logger, silentLogger]) {
    const store = await openFiles(dir, { ...OPTIONS, logger: one });
    const { messages, total } = await store.list({ filter: {}, limit: 50 });
    expect(messages.map(({ subject }) => subject).toReversed()).toEqual(subjects);
    expect(total).toBe(subjects.length);
    expect(await store.count({ q: "hello" })).toBe(subjects.length - 1);
    expect(String(Buffer.from((await rawOf(store, messages[0]?.id ?? "")) ?? []))).toBe(LARGE);
    await store.close();
  }
  expect(await verifyStore({ dir, startScan })).toMatchObject({ problems: [], notes: [] });
  expect(readdirSync(dir)).not.toContain("damaged");
}

describe("a format file that is wrong made every mail vanish:", () => {
  const FAULTS: Record<string, [string, (text: string) => string]> = {
    "another salt": ["it does not fit the log", (text) => text.replace(/\d+\}/, "7}")],
    "a salt of more than 32 bits": ["it is damaged", (text) => text.replace("}", "00000000000}")],
    "a salt below zero": ["it is damaged", (text) => text.replace('"salt":', '"salt":-')],
    "a salt that is no number": ["it is damaged", (text) => text.replace("salt", "sald")],
    "a version of nothing": ["it is damaged", (text) => text.replace('"format":1', '"format":0')],
    "no text at all": ["it is damaged", () => "\0\0\0\0"],
  };

  test.each(Object.entries(FAULTS))("%s", async (_, [reason, spoil]) => {
    const dir = await filledFolder();
    const right = readFileSync(formatPath(dir), "utf8");
    writeFileSync(formatPath(dir), spoil(right));
    expect(await verifyStore({ dir, startScan })).toMatchObject({
      messages: SUBJECTS.length,
      problems: [],
      notes: [expect.stringContaining(reason)],
    });
    const { lines, logger } = collectingLogger("warn");
    await expectWhole(dir, SUBJECTS, logger);
    expect(lines).toMatchObject([{ event: "format_from_log", reason }]);
    expect(readFileSync(formatPath(dir), "utf8")).toBe(right);
  });

  test("every bit of it flipped, one at a time, is a sound store or a refusal that changes nothing", async () => {
    const dir = await filledFolder();
    const right = readFileSync(formatPath(dir));
    for (let bit = 0; bit < right.length * 8; bit++) {
      const wrong = Buffer.from(right);
      wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(formatPath(dir), wrong);
      const found = await verifyStore({ dir, startScan }).catch(({ code }) => code);
      if (found !== "format_too_new") expect(found).toMatchObject({ messages: 5, problems: [] });
    }
  });
});

describe("the salt is found where segments are damaged as well:", () => {
  const spoil = (dir: string, number: number, at: number) => {
    const bytes = readFileSync(segmentPath(dir, number));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(segmentPath(dir, number), bytes);
  };
  const DAMAGES: Record<string, (dir: string) => void> = {
    "the salt that a segment repeats": (dir) => spoil(dir, 1, 12),
    "the salts that all segments repeat": (dir) => {
      for (const number of [1, 2]) spoil(dir, number, 12);
    },
    "the head of a segment, and another salt in the file": (dir) => {
      spoil(dir, 1, 40);
      writeFileSync(formatPath(dir), '{"format":1,"salt":7}');
    },
    "the heads of all segments, and another salt in the file": (dir) => {
      for (const number of [1, 2]) spoil(dir, number, 40);
      writeFileSync(formatPath(dir), '{"format":1,"salt":7}');
    },
  };

  test.each(Object.entries(DAMAGES))("%s", async (_, damage) => {
    const dir = await filledFolder();
    damage(dir);
    expect((await verifyStore({ dir, startScan })).messages).toBe(SUBJECTS.length);
    for (let start = 0; start < 2; start++) {
      const store = await openFiles(dir, OPTIONS);
      expect(await store.count({})).toBe(SUBJECTS.length);
      await store.close();
    }
  });
});

describe("a backup of log and large bodies", () => {
  const restore = (from: string, to: string) => {
    for (const folder of ["log", "large"]) {
      rmSync(join(to, folder), { recursive: true, force: true });
      cpSync(join(from, folder), join(to, folder), { recursive: true });
    }
  };

  test("was dropped by a folder that had been started before", async () => {
    const dir = freshFolder();
    await (await openFiles(dir, OPTIONS)).close();
    restore(await filledFolder(), dir);
    const { messages, notes } = await verifyStore({ dir, startScan });
    expect(messages).toBe(SUBJECTS.length);
    expect(notes.join()).toContain("it does not fit the log");
    expect(notes.join()).not.toContain("unfinished write");
    await expectWhole(dir);
  });

  test.each([
    ["both indexes", /^$/],
    ["the text index", /^index/],
    ["the rows", /^search/],
  ])("is not read by %s of another log of the same shape", async (_, removed) => {
    const dir = await filledFolder(["a0", "a1", "a2", "a3"]);
    for (const name of readdirSync(dir)) if (removed.test(name)) rmSync(join(dir, name));
    restore(await filledFolder(), dir);
    await expectWhole(dir);
    const store = await openFiles(dir, OPTIONS);
    expect(await store.count({ q: "a1" })).toBe(0);
    expect(await store.count({ q: "m1" })).toBe(1);
    await store.close();
  });

  test("leaves large bodies of the log before it for a person to look at", async () => {
    const dir = await filledFolder();
    const [body = ""] = readdirSync(join(dir, "large"));
    const other = await filledFolder();
    rmSync(join(dir, "log"), { recursive: true });
    cpSync(join(other, "log"), join(dir, "log"), { recursive: true });
    cpSync(join(other, "large"), join(dir, "large"), { recursive: true });
    await (await openFiles(dir, OPTIONS)).close();
    expect(readdirSync(join(dir, "damaged"))).toEqual([body]);
  });
});

describe("files of two logs in one folder", () => {
  /** The second segment is of another log. */
  async function mixedFolder(): Promise<string> {
    const dir = await filledFolder();
    cpSync(segmentPath(await filledFolder(), 2), segmentPath(dir, 2));
    return dir;
  }

  test.each([
    ["as they are", () => {}],
    ["without a format file", (dir: string) => rmSync(formatPath(dir))],
    [
      "with the format file of a third",
      (dir: string) => writeFileSync(formatPath(dir), '{"format":1,"salt":7}'),
    ],
  ])("are refused by the start and by verify, and nothing is touched: %s", async (_, change) => {
    const dir = await mixedFolder();
    change(dir);
    const before = filesIn(dir);
    const errors = [
      await openFiles(dir, OPTIONS).catch((error) => error),
      await verifyStore({ dir, startScan }).catch((error) => error),
    ];
    for (const { code, message } of errors) {
      expect(code).toBe("data_dir_unusable");
      expect(message).toContain(
        "two logs: 0000000001-0.seg of one, 0000000002-0.seg of another; nothing was changed",
      );
    }
    expect(filesIn(dir)).toEqual(before);
  });

  test("are one log each again once they are apart", async () => {
    const dir = await mixedFolder();
    expect((await openFiles(dir, OPTIONS).catch((error) => error)).code).toBe("data_dir_unusable");
    const apart = join(freshFolder(), "0000000002-0.seg");
    renameSync(segmentPath(dir, 2), apart);
    const store = await openFiles(dir, OPTIONS);
    expect(await store.count({})).toBeGreaterThan(0);
    await store.close();
  });
});
