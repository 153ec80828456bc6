// What survives a kill, a torn tail, a flipped bit, a lost or spoilt index.
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { nextTurn } from "../../src/lib/next-turn.ts";
import type { Store } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { mail, openFiles, put, rawOf, subjectsOf } from "./open.ts";
import { flipBit } from "./spoil.ts";

const freshFolder = useFolders();

const segmentsIn = (dir: string) =>
  readdirSync(join(dir, "log"))
    .sort()
    .map((name) => join(dir, "log", name));
const lastSegment = (dir: string) => segmentsIn(dir).at(-1) ?? "";

/** The folder of a store that was killed: its files as they are, without the lock. */
function copyAsKilled(dir: string): string {
  const copy = freshFolder();
  cpSync(dir, copy, { recursive: true });
  return copy;
}

async function storeWith(dir: string, count: number): Promise<Store> {
  const store = await openFiles(dir);
  for (let i = 0; i < count; i++) await put(store, mail(`m${i}`, `body of ${i}`));
  return store;
}

describe("a restart", () => {
  test("shows the same mailbox, and goes on with ids and text search", async () => {
    const dir = freshFolder();
    const store = await storeWith(dir, 5);
    const before = await store.list({ filter: {}, limit: 50 });
    await store.update([before.messages[1]?.id ?? ""], { is_read: true, is_starred: true, tags: ["x"] });
    await store.delete([before.messages[2]?.id ?? ""]);
    const expected = await store.list({ filter: {}, limit: 50 });
    await store.close();
    const again = await openFiles(dir, { now: () => new Date(0) });
    expect(await again.list({ filter: {}, limit: 50 })).toEqual(expected);
    expect(await again.count({ q: "body" })).toBe(4);
    const { id } = await put(again, mail("late"));
    expect(id > (before.messages[0]?.id ?? "")).toBe(true);
    await again.close();
  });

  test("after kill -9 with an index that lags behind catches up from the log", async () => {
    const dir = freshFolder();
    const store = await storeWith(dir, 3);
    await store.count({ q: "m0" });
    const old = copyAsKilled(dir);
    for (let i = 3; i < 6; i++) await put(store, mail(`m${i}`, `body of ${i}`));
    await store.deleteMatching({ subject: "m1" });
    const late = copyAsKilled(dir);
    for (const name of ["index.sqlite", "index.sqlite-wal", "search.sqlite", "search.sqlite-wal"]) {
      rmSync(join(late, name), { force: true });
      cpSync(join(old, name), join(late, name));
    }
    const again = await openFiles(late);
    expect(await subjectsOf(again)).toEqual(["m5", "m4", "m3", "m2", "m0"]);
    expect(await again.count({ q: "body" })).toBe(5);
    await again.close();
    await store.close();
  });

  test("after a clear that was cut short before the old files went finishes it", async () => {
    const dir = freshFolder();
    const store = await storeWith(dir, 3);
    const before = copyAsKilled(dir);
    await store.clear();
    await put(store, mail("after"));
    const cleared = copyAsKilled(dir);
    cpSync(join(before, "log"), join(cleared, "log"), { recursive: true });
    const again = await openFiles(cleared);
    expect(await subjectsOf(again)).toEqual(["after"]);
    expect(segmentsIn(cleared)).toHaveLength(1);
    await again.close();
    cpSync(join(before, "log"), join(cleared, "log"), { recursive: true });
    const rebuilt = await openFiles(cleared, { reindex: true });
    expect(await subjectsOf(rebuilt)).toEqual(["after"]);
    await rebuilt.close();
    await store.close();
  });
});

test("a large mail was lost by the compaction that followed one cut short by a kill", async () => {
  const dir = freshFolder();
  const small = { segmentBytes: 20_000, largeBytes: 3000 };
  const store = await openFiles(dir, small);
  const doomed: string[] = [];
  for (let i = 0; i < 6; i++) doomed.push((await put(store, mail(`doomed ${i}`, "x".repeat(2500)))).id);
  const large = await put(store, mail("large", "y".repeat(5000)));
  for (let i = 0; i < 4; i++) doomed.push((await put(store, mail(`doomed later ${i}`, "x".repeat(2500)))).id);
  await store.delete(doomed.slice(0, 6));
  const killed = copyAsKilled(dir);
  await store.compact();
  const rewritten = join("log", "0000000001-1.seg");
  cpSync(join(dir, rewritten), join(killed, rewritten));
  await store.close();

  const again = await openFiles(killed, small);
  await again.delete(doomed);
  await again.compact();
  await again.close();
  const rebuilt = await openFiles(killed, { ...small, reindex: true });
  expect(await subjectsOf(rebuilt)).toEqual(["large"]);
  expect((await rawOf(rebuilt, large.id))?.length).toBe(large.size);
  await rebuilt.close();
});

describe("a torn tail", () => {
  test("cut at every byte of the last records loses only those, and is reported", async () => {
    const dir = freshFolder();
    const store = await storeWith(dir, 2);
    const whole = statSync(lastSegment(dir)).size;
    await put(store, mail("torn", "x"));
    const [first] = (await store.list({ filter: {}, limit: 9, offset: 2 })).messages;
    await store.update([first?.id ?? ""], { is_starred: true });
    const end = statSync(lastSegment(dir)).size;
    const copy = copyAsKilled(dir);
    await store.close();
    const log = readFileSync(lastSegment(copy));
    const [path, index] = [lastSegment(copy), readFileSync(join(copy, "index.sqlite"))];
    for (let cut = whole; cut < end; cut++) {
      writeFileSync(path, log.subarray(0, cut));
      // Once with an index that is ahead of the log, once without any.
      if (cut % 2 === 0) writeFileSync(join(copy, "index.sqlite"), index);
      else rmSync(join(copy, "index.sqlite"), { force: true });
      for (const suffix of ["-wal", ".seal"]) rmSync(join(copy, `index.sqlite${suffix}`), { force: true });
      const { events, logger } = collectingLogger("debug");
      const again = await openFiles(copy, { logger });
      const left = await subjectsOf(again);
      expect(left.slice(-2)).toEqual(["m1", "m0"]);
      expect(left.length === 2 || left[0] === "torn").toBe(true);
      const isRecordBorder = statSync(path).size === cut;
      expect({ cut, reported: events.includes("log_tail_dropped") }).toEqual({
        cut,
        reported: !isRecordBorder,
      });
      await again.close();
    }
  });

  test("is cut so that what comes next is sound", async () => {
    const dir = freshFolder();
    await (await storeWith(dir, 3)).close();
    truncateSync(lastSegment(dir), statSync(lastSegment(dir)).size - 7);
    const store = await openFiles(dir);
    expect(await subjectsOf(store)).toEqual(["m1", "m0"]);
    await put(store, mail("next"));
    await store.close();
    const again = await openFiles(dir, { reindex: true });
    expect(await subjectsOf(again)).toEqual(["next", "m1", "m0"]);
    await again.close();
  });

  test.each([true, false])(
    "takes its words out of the text index too (with the row index in place: %p)",
    async (keep) => {
      const dir = freshFolder();
      const store = await openFiles(dir);
      await put(store, mail("kept", "common"));
      const whole = statSync(lastSegment(dir)).size;
      await put(store, mail("lost", "common forgotten"));
      expect(await store.count({ q: "forgotten" })).toBe(1);
      await store.close();
      truncateSync(lastSegment(dir), whole);
      if (!keep) rmSync(join(dir, "index.sqlite"));
      const again = await openFiles(dir);
      await put(again, mail("new", "common"));
      expect(await again.count({ q: "forgotten" })).toBe(0);
      expect(
        (await again.list({ filter: { q: "common" }, limit: 9 })).messages.map(({ subject }) => subject),
      ).toEqual(["new", "kept"]);
      await again.close();
    },
  );

  test.each([0, 1, 15, 16, 30])("a new segment of only %i bytes is no obstacle", async (bytes) => {
    const dir = freshFolder();
    await (await storeWith(dir, 2)).close();
    writeFileSync(join(dir, "log", "0000000002-0.seg"), readFileSync(lastSegment(dir)).subarray(0, bytes));
    const store = await openFiles(dir);
    await put(store, mail("next"));
    await store.close();
    const again = await openFiles(dir, { reindex: true });
    expect(await subjectsOf(again)).toEqual(["next", "m1", "m0"]);
    await again.close();
  });
});

describe("a flipped bit", () => {
  test.each([
    ["with the index in place", false],
    ["when the index is rebuilt", true],
  ])("anywhere costs at most one message, which is set aside and reported, %s", async (_name, reindex) => {
    const dir = freshFolder();
    await (await storeWith(dir, 4)).close();
    const size = statSync(lastSegment(dir)).size;
    for (let at = 3; at < size; at += reindex ? 23 : 41) {
      const copy = copyAsKilled(dir);
      flipBit(lastSegment(copy), at);
      if (reindex) rmSync(join(copy, "index.sqlite"));
      const { events, logger } = collectingLogger("debug");
      const store = await openFiles(copy, { logger });
      const left = (await store.list({ filter: {}, limit: 9 })).messages;
      expect(left.length).toBeGreaterThanOrEqual(3);
      for (const { id, subject } of left) {
        const raw = new TextDecoder().decode((await rawOf(store, id)) ?? undefined);
        expect(raw).toBe(mail(subject, `body of ${subject.slice(1)}`));
      }
      if (left.length === 3) {
        expect(events.some((event) => /damaged|tail/.test(event))).toBe(true);
        expect(readdirSync(join(copy, "damaged"))).toHaveLength(1);
      }
      await store.close();
    }
  });

  test("in a running store is found when the message is read, and never served", async () => {
    const dir = freshFolder();
    const store = await storeWith(dir, 3);
    const path = lastSegment(dir);
    const at = readFileSync(path).indexOf("body of 1");
    const fd = openSync(path, "r+");
    writeSync(fd, "BODY", at);
    closeSync(fd);
    const [, damaged] = (await store.list({ filter: {}, limit: 9 })).messages;
    const error = await rawOf(store, damaged?.id ?? "").catch((cause) => cause);
    expect(error.code).toBe("unknown_message");
    await put(store, mail("later"));
    expect(await subjectsOf(store)).toEqual(["later", "m2", "m0"]);
    await store.close();
  });

  test("a mail that looks like records of the log is only a mail, also in a damaged log", async () => {
    const dir = freshFolder();
    const store = await storeWith(dir, 1);
    const log = readFileSync(lastSegment(dir));
    log.writeUInt32LE(0, 12);
    await put(store, log);
    await put(store, mail("end"));
    await store.close();
    const path = lastSegment(dir);
    flipBit(path, statSync(path).size - 200 - log.length / 2);
    const again = await openFiles(dir, { reindex: true });
    expect((await subjectsOf(again)).at(0)).toBe("end");
    expect(await again.count({})).toBeLessThanOrEqual(3);
    await again.close();
  });
});

describe("an index", () => {
  const spoil: Record<string, (path: string) => void> = {
    missing: (path) => rmSync(path),
    empty: (path) => writeFileSync(path, ""),
    "full of nonsense": (path) => writeFileSync(path, Buffer.alloc(20_000, 7)),
    "cut in half": (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
    "overwritten in the middle": (path) => {
      const bytes = readFileSync(path);
      bytes.fill(0xab, 4096, Math.min(bytes.length, 40_000));
      writeFileSync(path, bytes);
    },
    "of another version": (path) => {
      const bytes = readFileSync(path);
      bytes.writeUInt32BE(9999, 60);
      writeFileSync(path, bytes);
    },
  };
  for (const [how, damage] of Object.entries(spoil)) {
    test(`that is ${how} is rebuilt from the log`, async () => {
      const dir = freshFolder();
      const store = await storeWith(dir, 6);
      await store.update([(await store.walk({}))[2] ?? ""], { tags: ["kept"] });
      const expected = await store.list({ filter: {}, limit: 9 });
      expect(await store.count({ q: "body" })).toBe(6);
      await store.close();
      damage(join(dir, "index.sqlite"));
      damage(join(dir, "search.sqlite"));
      const progress: string[] = [];
      const again = await openFiles(dir, { onProgress: ({ index }) => progress.push(index) });
      expect(await again.list({ filter: {}, limit: 9 })).toEqual(expected);
      expect(await again.count({ q: "body" })).toBe(6);
      expect(await again.count({ tags: ["kept"] })).toBe(1);
      expect(progress).toContain("rows");
      await again.close();
    });
  }
});

describe("an index that was missing was built without a word:", () => {
  const MISSING: Record<string, [string[], string[]]> = {
    rows: [["index.sqlite"], ["index_built"]],
    text: [["search.sqlite"], ["search_index_building"]],
    both: [
      ["index.sqlite", "search.sqlite"],
      ["index_built", "search_index_building"],
    ],
    none: [[], []],
  };
  /** What is told from the start to the first search, with the number of mails. */
  const toldBy = async (dir: string): Promise<unknown[]> => {
    const { lines, logger } = collectingLogger("info");
    const store = await openFiles(dir, { logger });
    await put(store, mail("one more"));
    await store.count({ q: "body" });
    await store.close();
    return lines;
  };

  test.each(Object.entries(MISSING))("%s", async (_, [files, events]) => {
    const dir = freshFolder();
    const store = await storeWith(dir, 6);
    expect(await store.count({ q: "body" })).toBe(6);
    await store.close();
    for (const file of files) rmSync(join(dir, file));
    expect(await toldBy(dir)).toMatchObject(events.map((event) => ({ level: "info", event, messages: 6 })));
  });

  test("a new mailbox has none, and that is no news", async () => {
    expect(await toldBy(freshFolder())).toEqual([]);
  });
});

describe("a data folder", () => {
  test("belongs to one store at a time, and the error names the process", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    const error = await openFiles(dir).catch((cause) => cause);
    expect(error.code).toBe("data_dir_locked");
    expect(error.message).toContain(`process ${process.pid}`);
    await store.close();
    await (await openFiles(dir)).close();
  });

  test.each([
    ["random bytes", Buffer.from("no database at all. ".repeat(500))],
    ["a header and nonsense", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(5000, 7)])],
  ])("whose lock file holds %s could not be opened, and has one owner all the same", async (_, bytes) => {
    const dir = freshFolder();
    await (await storeWith(dir, 2)).close();
    writeFileSync(join(dir, "lock.sqlite"), bytes);
    const store = await openFiles(dir);
    expect(await subjectsOf(store)).toEqual(["m1", "m0"]);
    expect((await openFiles(dir).catch((cause) => cause)).code).toBe("data_dir_locked");
    // By another process: whoever closes a file lets go of all locks that its process has on it.
    const spoil = `require("fs").writeFileSync(${JSON.stringify(join(dir, "lock.sqlite"))}, "nonsense".repeat(999))`;
    Bun.spawnSync([process.execPath, "-e", spoil]);
    const second = Bun.spawn([process.execPath, join(import.meta.dir, "killed-store.ts"), dir], {
      stderr: "pipe",
    });
    expect(await new Response(second.stderr).text()).toContain("is in use by another Mailkeep");
    await store.close();
  });

  test("of a newer format is refused and not touched", async () => {
    const dir = freshFolder();
    await (await storeWith(dir, 1)).close();
    writeFileSync(join(dir, "format.json"), '{"format":2,"salt":1}');
    const before = readdirSync(dir, { recursive: true }).map((name) => [
      name,
      statSync(join(dir, String(name))).mtimeMs,
    ]);
    const error = await openFiles(dir).catch((cause) => cause);
    expect(error.code).toBe("format_too_new");
    expect(error.message).not.toContain("\n");
    const after = readdirSync(dir, { recursive: true }).map((name) => [
      name,
      statSync(join(dir, String(name))).mtimeMs,
    ]);
    expect(after).toEqual(before);
  });

  test("whose format file is lost is read all the same", async () => {
    const dir = freshFolder();
    await (await storeWith(dir, 2)).close();
    rmSync(join(dir, "format.json"));
    const store = await openFiles(dir, { reindex: true });
    expect(await subjectsOf(store)).toEqual(["m1", "m0"]);
    await store.close();
  });

  test("that cannot be made is one clear line", async () => {
    const dir = freshFolder();
    writeFileSync(join(dir, "file"), "");
    const error = await openFiles(join(dir, "file", "below")).catch((cause) => cause);
    expect(error.code).toBe("data_dir_unusable");
    expect(error.message).not.toContain("\n");
  });

  test.each([
    ["is closed to others, with all that is in it", false, 0o700],
    ["keeps its mode where it holds what is not ours, unlike what is in it", true, 0o755],
  ])("that others may look into %s", async (_, isShared, mode) => {
    if (process.platform === "win32") return;
    const dir = freshFolder();
    const store = await openFiles(dir, { largeBytes: 100 });
    await put(store, mail("large", "x".repeat(1000)));
    await store.close();
    for (const name of readdirSync(dir, { recursive: true })) chmodSync(join(dir, String(name)), 0o755);
    chmodSync(dir, 0o755);
    if (isShared) writeFileSync(join(dir, "notes.txt"), "", { mode: 0o644 });
    const { events, logger } = collectingLogger("debug");
    const again = await openFiles(dir, { largeBytes: 100, logger });
    expect(events).toContain("permissions_narrowed");
    expect(statSync(dir).mode & 0o777).toBe(mode);
    const open = readdirSync(dir, { recursive: true }).filter(
      (name) => (statSync(join(dir, String(name))).mode & 0o077) !== 0,
    );
    expect(open).toEqual(isShared ? ["notes.txt"] : []);
    await again.close();
  });

  test("and its files are for their owner only", async () => {
    if (process.platform === "win32") return;
    const dir = join(freshFolder(), "data");
    const store = await openFiles(dir, { largeBytes: 100 });
    await put(store, mail("small"));
    await put(store, mail("large", "x".repeat(1000)));
    await store.count({ q: "small" });
    const names = ["", ...readdirSync(dir, { recursive: true }).map(String)];
    for (const name of names) {
      const stats = statSync(join(dir, name));
      expect({ name, mode: stats.mode & 0o777 }).toEqual({ name, mode: stats.isDirectory() ? 0o700 : 0o600 });
    }
    await store.close();
  });

  test("whose text index could be read by others for the moment in which it was made", async () => {
    if (process.platform === "win32") return;
    // That moment is short: it is looked for in each of many folders.
    for (let times = 0; times < 10; times++) {
      const dir = freshFolder();
      const store = await openFiles(dir);
      await put(store, mail("small"));
      const found = store.count({ q: "small" });
      expect((await firstModeOf(join(dir, "search.sqlite"))) & 0o777).toBe(0o600);
      expect(await found).toBe(1);
      await store.close();
    }
  });
});

/** The mode of a file that another thread is about to make, at first sight. */
async function firstModeOf(path: string): Promise<number> {
  for (const end = performance.now() + 15_000; performance.now() < end; await nextTurn()) {
    for (const turn = performance.now() + 20; performance.now() < turn; ) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats !== undefined) return stats.mode;
    }
  }
  throw new Error(`${path} was not made`);
}
