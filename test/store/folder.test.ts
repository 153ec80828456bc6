// The data folder: one owner, one format, no gaps in the log, closed to others.
import { describe, expect, spyOn, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileStoreOptions, reindexStore, type Store, verifyStore } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { canMount, coverReadOnly } from "../support/small-disk.ts";
import { codeOf, commonOptions, copyTo, mail, namesIn, put, rawOf, subjectsOf } from "./open.ts";
import { openQuick } from "./search-in-process.ts";

const freshFolder = useFolders();
const open = (dir: string, options: Partial<FileStoreOptions> = {}) =>
  openQuick(dir, { segmentBytes: 500, ...options });

async function filledFolder(count = 3): Promise<string> {
  const dir = freshFolder();
  const store = await open(dir);
  for (let n = 0; n < count; n++) await put(store, mail(`m${n}`, "x".repeat(400)));
  await store.close();
  return dir;
}

/** Every file with its bytes. */
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name)).toString("base64"),
    ])
    .sort();

const failureOf = (promise: Promise<Store>) =>
  promise.then(
    async (store) => {
      await store.close();
      return { code: "none", message: "" };
    },
    ({ code, message }) => ({ code, message: String(message) }),
  );

test("a data folder has one owner at a time, and the next is refused", async () => {
  const dir = freshFolder();
  const store = await open(dir);
  expect(await failureOf(open(dir))).toEqual({
    code: "data_dir_locked",
    message: `${dir} is in use by another Mailkeep`,
  });
  expect(await codeOf(verifyStore({ dir }))).toBe("data_dir_locked");
  expect(await codeOf(reindexStore({ ...commonOptions, dir, durability: "os" }))).toBe("data_dir_locked");
  await put(store, mail("still taken"));
  await store.close();
  const again = await open(dir);
  expect(await subjectsOf(again)).toEqual(["still taken"]);
  await again.close();
});

test.each([
  ["of a newer format", '{"format":3,"salt":1,"new":true}', "format_too_new", "written by a newer Mailkeep"],
  ["of an older format", '{"format":1,"salt":1}', "data_dir_unusable", "is damaged or of an old version"],
  ["whose format cannot be read", "{", "data_dir_unusable", "is damaged or of an old version"],
])(
  "a folder %s is refused with a clear line, and nothing in it is touched",
  async (_, format, code, text) => {
    const dir = await filledFolder();
    writeFileSync(join(dir, "format.json"), format);
    const before = filesIn(dir);
    const failure = await failureOf(open(dir));
    expect(failure).toEqual({ code, message: expect.stringContaining(text) });
    expect(failure.message).toContain(dir);
    expect(await codeOf(verifyStore({ dir }))).toBe(code);
    expect(filesIn(dir)).toEqual(before);
  },
);

test("a log without its format file is refused, and keeps its files", async () => {
  const dir = await filledFolder();
  rmSync(join(dir, "format.json"));
  expect(await failureOf(open(dir))).toMatchObject({ code: "data_dir_unusable" });
  expect(namesIn(dir, "log").length).toBeGreaterThan(2);
});

test.skipIf(!canMount)(
  "a read-only folder is refused with a clear line (needs root on Linux, to mount)",
  async () => {
    const dir = await filledFolder();
    {
      using _cover = coverReadOnly(dir);
      expect(await failureOf(open(dir))).toEqual({
        code: "data_dir_unusable",
        message: `${dir} cannot be used: the disk is read-only`,
      });
    }
    const store = await open(dir);
    expect(await subjectsOf(store)).toEqual(["m2", "m1", "m0"]);
    await store.close();
  },
);

describe("a segment that is missing", () => {
  test.each([
    ["in the middle", 2, ["m0", "m1", "m3", "m4"]],
    ["at the beginning", 0, ["m1", "m2", "m3", "m4"]],
    ["at the end", 4, ["m0", "m1", "m2", "m3"]],
  ])(
    "%s ends the start with its name; with acceptLoss the rest is served and new mail taken",
    async (_, gone, left) => {
      const dir = await filledFolder(5);
      // The log ends with an empty segment. "At the end" removes it with the segment before it.
      const names = namesIn(dir, "log");
      const removed = names.slice(gone, gone === 4 ? undefined : gone + 1);
      for (const name of removed) rmSync(join(dir, "log", name));
      const withoutIndex = copyTo(freshFolder(), dir);
      rmSync(join(withoutIndex, "index.sqlite"));
      // A refused start leaves files open, because its process is about to end. So each attempt gets a copy.
      const refused = (folder: string) => failureOf(open(copyTo(freshFolder(), folder)));
      expect(await refused(dir)).toEqual({
        code: "log_incomplete",
        message: expect.stringMatching(new RegExp(`is missing .*${removed[0]}.*--accept-loss`)),
      });
      // Only index.sqlite shows that segments at the end are missing.
      if (gone !== 4) expect(await refused(withoutIndex)).toMatchObject({ code: "log_incomplete" });

      for (const folder of [dir, withoutIndex]) {
        const { logger, events } = collectingLogger("error");
        const store = await open(folder, { acceptLoss: true, logger });
        expect((await subjectsOf(store)).toReversed()).toEqual(left);
        for (const id of await store.walk({})) expect(await rawOf(store, id)).not.toBeNull();
        expect(await store.count({ q: "alice" })).toBe(4);
        await put(store, mail("next"));
        await store.close();
        if (folder === dir || gone !== 4) expect(events).toEqual(["log incomplete"]);
        // After a gap was accepted, the store opens without acceptLoss.
        const again = await open(folder);
        expect((await subjectsOf(again)).toReversed()).toEqual([...left, "next"]);
        await again.close();
      }
    },
  );

  test("with all others ends the start; with acceptLoss the mailbox is empty and takes mail", async () => {
    const dir = await filledFolder();
    for (const name of namesIn(dir, "log")) rmSync(join(dir, "log", name));
    expect(await failureOf(open(copyTo(freshFolder(), dir)))).toMatchObject({ code: "log_incomplete" });
    const store = await open(dir, { acceptLoss: true });
    expect(await store.count({})).toBe(0);
    await put(store, mail("next"));
    expect(await store.count({ q: "next" })).toBe(1);
    await store.close();
    const again = await open(dir);
    expect(await subjectsOf(again)).toEqual(["next"]);
    await again.close();
  });
});

describe.skipIf(process.platform === "win32")("permissions (not on Windows)", () => {
  const modesOf = (dir: string) =>
    [dir, ...readdirSync(dir, { recursive: true }).map((name) => join(dir, String(name)))].map((path) => {
      const stats = lstatSync(path);
      return { path, mode: stats.mode & 0o777, expected: stats.isDirectory() ? 0o700 : 0o600 };
    });

  test("every file and folder is for its owner only, from the beginning", async () => {
    const dir = join(freshFolder(), "data");
    const store = await open(dir, { largeBytes: 100 });
    await put(store, mail("large", "x".repeat(500)));
    await store.count({ q: "large" });
    for (const { path, mode, expected } of modesOf(dir))
      expect({ path, mode }).toEqual({ path, mode: expected });
    await store.close();
  });

  test("a folder that also holds files of others keeps its mode", async () => {
    const dir = freshFolder();
    writeFileSync(join(dir, "notes.txt"), "mine", { mode: 0o644 });
    chmodSync(dir, 0o755);
    await (await open(dir)).close();
    expect([lstatSync(dir).mode & 0o777, lstatSync(join(dir, "notes.txt")).mode & 0o777]).toEqual([
      0o755, 0o644,
    ]);
  });
});

describe.skipIf(process.platform === "win32")(
  "a folder that is removed under the store (not on Windows)",
  () => {
    test.each(["os", "disk"] as const)(
      "takes no mail, because it would be lost, durability %s",
      async (durability) => {
        for (const replace of [false, true]) {
          const dir = join(freshFolder(), "data");
          const store = await open(dir, { durability, largeBytes: 1000, segmentBytes: 1 << 20 });
          const { id } = await put(store, mail("before"));
          const heard: unknown[] = [];
          store.onChange((change) => heard.push(change));
          rmSync(dir, { recursive: true });
          if (replace)
            for (const name of ["log", "large", "incoming"]) mkdirSync(join(dir, name), { recursive: true });
          const refused = [
            () => put(store, mail("small")),
            () => put(store, mail("large", "x".repeat(2000))),
            () => store.update([id], { is_read: true }),
            () => store.delete([id]),
            () => store.clear(),
            () => store.check(),
          ];
          // The free disk space is cached for a moment, so the clock is set to a later time.
          const clock = spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
          for (const change of refused)
            expect(await codeOf(change())).toMatch(/^(data_dir_unusable|io_error)$/);
          expect(await codeOf(store.update([id], { is_read: true }))).toBe("data_dir_unusable");
          clock.mockRestore();
          expect([await subjectsOf(store), heard]).toEqual([["before"], []]);
          await store.close();
          const again = await open(dir);
          await put(again, mail("after"));
          expect(await subjectsOf(again)).toEqual(["after"]);
          await again.close();
        }
      },
    );
  },
);
