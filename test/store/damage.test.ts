// A flipped bit is found without anybody reading the message: in large bodies and in records of every type.
import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, type Store, verifyStore } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { commonOptions, mail, openFiles, put } from "./open.ts";
import { flipBit, segmentOf } from "./spoil.ts";

const freshFolder = useFolders();
const LARGE = { largeBytes: 1000 };

const ids = async (store: Store) => (await store.list({ filter: {}, limit: 9 })).messages.map(({ id }) => id);

async function withLarge(): Promise<{ dir: string; kept: string; large: string; path: string }> {
  const dir = freshFolder();
  const store = await openFiles(dir, LARGE);
  const { id: kept } = await put(store, mail("kept"));
  const { id: large } = await put(store, mail("large", "x".repeat(2000)));
  await store.close();
  return { dir, kept, large, path: join(dir, "large", `${large}.eml`) };
}

describe("a flipped bit in a large mail's own file", () => {
  test("was neither reported nor set aside unless somebody read the whole mail", async () => {
    const { dir, kept, large, path } = await withLarge();
    flipBit(path, 500);
    const damaged = readFileSync(path);
    const { logger, seen } = collectingLogger("debug");
    const store = await openFiles(dir, { ...LARGE, logger });
    const { id, copy } = await seen("message_damaged");
    expect(id).toBe(large);
    expect(readFileSync(String(copy))).toEqual(damaged);
    await put(store, mail("later"));
    expect((await ids(store)).slice(1)).toEqual([kept]);
    expect(readdirSync(join(dir, "large"))).toEqual([]);
    await store.close();
  });

  test("was served to those who read a part of it", async () => {
    const { dir, large, path } = await withLarge();
    const store = await openFiles(dir, LARGE);
    const part = async () => (await store.raw(large))?.bytes(490, 510);
    expect((await part())?.length).toBe(20);
    flipBit(path, 500);
    expect(await part()).toBeUndefined();
    await store.close();
  });

  test("in its record of the log takes it out too, and its file is kept", async () => {
    const { dir, kept, large, path } = await withLarge();
    const body = readFileSync(path);
    flipBit(segmentOf(dir), readFileSync(segmentOf(dir)).indexOf(large));
    const { logger, lines } = collectingLogger("debug");
    const store = await openFiles(dir, { ...LARGE, logger });
    expect(lines.find(({ event }) => event === "message_damaged")).toMatchObject({ id: large });
    expect(await ids(store)).toEqual([kept]);
    expect(readFileSync(join(dir, "damaged", `${large}.eml`))).toEqual(body);
    await store.close();
  });
});

test("mail damaged at the end of a segment that others follow was still found, and the file of a large one removed, where the index was gone", async () => {
  const dir = freshFolder();
  const options = { ...LARGE, segmentBytes: 1000 };
  const store = await openFiles(dir, options);
  for (let i = 0; i < 2; i++) await put(store, mail(`small ${i}`, "x".repeat(200)));
  const { id } = await put(store, mail("large", "x".repeat(2000)));
  const { id: next } = await put(store, mail("next", "x".repeat(900)));
  expect(await store.count({ q: "large" })).toBe(1);
  await store.close();
  const first = join(dir, "log", "0000000001-0.seg");
  const bytes = readFileSync(first);
  expect(bytes.lastIndexOf(id)).toBeGreaterThan(bytes.lastIndexOf("small 1"));
  expect(bytes.indexOf(next)).toBe(-1);
  flipBit(first, bytes.lastIndexOf(id));
  const body = readFileSync(join(dir, "large", `${id}.eml`));
  rmSync(join(dir, "index.sqlite"));
  const again = await openFiles(dir, options);
  expect(await again.count({})).toBe(3);
  expect(await again.count({ q: "large" })).toBe(0);
  expect(readFileSync(join(dir, "damaged", `${id}.eml`))).toEqual(body);
  await again.close();
});

describe("the file of a large mail that goes while the server runs", () => {
  test("was an internal error for ever to those who read the mail", async () => {
    const { dir, kept, large, path } = await withLarge();
    const { logger, seen } = collectingLogger("debug");
    const store = await openFiles(dir, { ...LARGE, logger });
    expect((await store.raw(large))?.size).toBeGreaterThan(2000);
    rmSync(path);
    expect(await store.raw(large)).toBeNull();
    expect(await seen("message_damaged")).toMatchObject({ id: large, copy: null });
    await put(store, mail("later"));
    expect((await ids(store)).slice(1)).toEqual([kept]);
    await store.close();
    const again = collectingLogger("debug");
    await (await openFiles(dir, { ...LARGE, logger: again.logger })).close();
    expect(again.lines.filter(({ level }) => level !== "debug")).toEqual([]);
  });

  const MOMENTS: Record<string, (dir: string, path: string) => { back: () => void; code: string }> = {
    "with the whole data folder": (dir) => ({ back: moveAway(dir), code: "data_dir_unusable" }),
    "with all large mails": (dir) => ({ back: moveAway(join(dir, "large")), code: "data_dir_unusable" }),
    "with all large mails, of which the empty place is left": (dir) => {
      const back = moveAway(join(dir, "large"));
      mkdirSync(join(dir, "large"));
      return { code: "data_dir_unusable", back };
    },
    "to where it cannot be read": (_, path) => {
      const back = moveAway(path);
      symlinkSync(path, path);
      return { code: "io_error", back };
    },
  };

  test.skipIf(process.platform === "win32").each(Object.entries(MOMENTS))(
    "may come back: %s",
    async (_, take) => {
      const { dir, kept, large, path } = await withLarge();
      const store = await openFiles(dir, LARGE);
      const { back, code } = take(dir, path);
      expect(await store.raw(large).catch((error) => error)).toMatchObject({ code });
      back();
      expect(await (await store.raw(large))?.bytes()).toHaveLength(readFileSync(path).length);
      expect(await ids(store)).toEqual([large, kept]);
      await store.close();
    },
  );
});

/** Answers with what puts it back in place of whatever is there by then. */
function moveAway(path: string): () => void {
  renameSync(path, `${path}.away`);
  return () => {
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}.away`, path);
  };
}

describe("a large mail with bytes behind its end left the list, though all of it was there:", () => {
  test.each(["at the next start", "with rows made anew"])("%s", async (when) => {
    const { dir, kept, large, path } = await withLarge();
    const body = readFileSync(path);
    appendFileSync(path, "\r\nSubject: more\r\n");
    if (when === "with rows made anew") rmSync(join(dir, "index.sqlite"));
    const { logger, lines } = collectingLogger("debug");
    const store = await openFiles(dir, { ...LARGE, logger });
    expect(await ids(store)).toEqual([large, kept]);
    const raw = await store.raw(large);
    expect(raw?.size).toBe(body.length);
    expect(Buffer.from((await raw?.bytes()) ?? [])).toEqual(body);
    expect(await raw?.blob().bytes()).toEqual(new Uint8Array(body));
    expect(await store.count({ q: "more" })).toBe(0);
    await store.close();
    expect(lines.filter(({ event }) => event === "message_damaged")).toEqual([]);
  });
});

describe("a flipped bit in a record that is no message was reported only by verify", () => {
  test.each(["last_seq", "is_starred", '{"seqs":[2]}'])("%s", async (text) => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    const first = await put(store, mail("first"));
    const second = await put(store, mail("second"));
    await store.update([first.id], { is_starred: true });
    await store.delete([second.id]);
    await store.close();
    flipBit(segmentOf(dir), readFileSync(segmentOf(dir)).indexOf(text));
    const { logger, events } = collectingLogger("debug");
    const again = await openFiles(dir, { logger });
    expect(events).toContain("log_record_damaged");
    expect(await ids(again)).toEqual([first.id]);
    expect(readdirSync(join(dir, "damaged"))).toHaveLength(1);
    await again.close();
    const { logger: quiet, events: none } = collectingLogger("debug");
    await (await openFiles(dir, { logger: quiet })).close();
    expect(none).not.toContain("log_record_damaged");
  });
});

describe("damage in one mail's record took the mail behind it along:", () => {
  const HEADER_BYTES = 20;
  /** Six mails; the third holds a copy of the log as it was before it. */
  async function withSix(): Promise<{ dir: string; at: number; recordBytes: number }> {
    const dir = freshFolder();
    const store = await openFiles(dir);
    for (let n = 0; n < 2; n++) await put(store, mail(`m${n}`, "x".repeat(300)));
    const before = readFileSync(segmentOf(dir));
    await put(store, Buffer.concat([Buffer.from(mail("m2", `START${"x".repeat(300)}`)), before]));
    const recordBytes = readFileSync(segmentOf(dir)).length - before.length;
    for (let n = 3; n < 6; n++) await put(store, mail(`m${n}`, "x".repeat(300)));
    await store.close();
    return { dir, at: readFileSync(segmentOf(dir)).indexOf("START") + 5, recordBytes };
  }
  const cases: [string, (recordBytes: number) => { removed: number; inserted: string }][] = [
    ["a byte is removed", () => ({ removed: 1, inserted: "" })],
    ["many bytes are removed", () => ({ removed: 250, inserted: "" })],
    ["a byte is inserted", () => ({ removed: 0, inserted: "y" })],
    ["a byte is changed", () => ({ removed: 1, inserted: "y" })],
    ["more is inserted than the record holds", (bytes) => ({ removed: 0, inserted: "y".repeat(bytes) })],
    [
      "what is inserted looks like a header",
      () => ({ removed: HEADER_BYTES, inserted: `\u0001mkr${"\u0002\0\0\0".repeat(4)}` }),
    ],
  ];
  for (const isRebuilt of [false, true])
    test.each(cases)(`%s${isRebuilt ? ", index removed" : ""}`, async (_, edit) => {
      const { dir, at, recordBytes } = await withSix();
      const { removed, inserted } = edit(recordBytes);
      const bytes = readFileSync(segmentOf(dir));
      const edited = [bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at + removed)];
      writeFileSync(segmentOf(dir), Buffer.concat(edited));
      if (isRebuilt) rmSync(join(dir, "index.sqlite"));
      const store = await openFiles(dir);
      const { messages } = await store.list({ filter: {}, limit: 9 });
      expect(messages.map(({ subject }) => subject)).toEqual(["m5", "m4", "m3", "m1", "m0"]);
      for (const { id } of messages) expect(await (await store.raw(id))?.bytes()).toBeDefined();
      await put(store, mail("later"));
      await store.close();
      const again = await openFiles(dir);
      expect(await again.count({})).toBe(6);
      await again.close();
    });
});

describe("what a damaged record had changed was lost with the next index:", () => {
  /** Some mails in segments of their own; then changes, of which one is spoilt. */
  async function changed(spoilt: string): Promise<string> {
    const dir = freshFolder();
    const options = { segmentBytes: 500, largeBytes: 1000 };
    const store = await openFiles(dir, options);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++)
      ids.push((await put(store, mail(`m${i}`, "x".repeat(i === 1 ? 1200 : 600)))).id);
    await store.update([ids[0] ?? ""], { is_starred: false, tags: ["before"] });
    await store.update([ids[0] ?? ""], { is_starred: true, tags: ["kept"] });
    await store.delete([ids[1] ?? ""]);
    await put(store, mail("last"));
    await store.close();
    for (const name of readdirSync(join(dir, "log"))) {
      const path = join(dir, "log", name);
      const at = readFileSync(path).indexOf(spoilt);
      if (at >= 0) flipBit(path, at);
    }
    return dir;
  }
  const shown = async (store: Store) =>
    (await store.list({ filter: {}, limit: 10 })).messages.map(({ subject, is_starred, tags }) => ({
      subject,
      is_starred,
      tags,
    }));
  const WHOLE = [
    { subject: "last", is_starred: false, tags: [] },
    { subject: "m2", is_starred: false, tags: [] },
    { subject: "m0", is_starred: true, tags: ["kept"] },
  ];

  test.each(['["kept"]', '{"seqs":[2]}'])("%s", async (spoilt) => {
    const dir = await changed(spoilt);
    const { logger, events } = collectingLogger("debug");
    const store = await openFiles(dir, { segmentBytes: 500, logger });
    expect(events).toContain("log_record_damaged");
    await store.compact();
    expect(await shown(store)).toEqual(WHOLE);
    await store.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
    rmSync(join(dir, "index.sqlite"));
    const anew = await openFiles(dir, { segmentBytes: 500 });
    expect(await shown(anew)).toEqual(WHOLE);
    await anew.close();
  });

  test("by reindex, before any start", async () => {
    const dir = await changed('{"seqs":[2]}');
    const reindex = () =>
      reindexStore({ ...commonOptions, durability: "os", dir, segmentBytes: 500, largeBytes: 1000 });
    const error = await reindex().catch((cause) => cause);
    expect(error.message).toContain("start Mailkeep once");
    const store = await openFiles(dir, { segmentBytes: 500 });
    await store.compact();
    await store.close();
    expect(await reindex()).toBe(3);
  });

  test("where the first start was over before it was written again", async () => {
    const dir = await changed('{"seqs":[2]}');
    await (await openFiles(dir, { segmentBytes: 500 })).close();
    expect((await verifyStore({ dir, startScan })).problems).not.toEqual([]);
    const { logger, events } = collectingLogger("debug");
    const store = await openFiles(dir, { segmentBytes: 500, logger });
    await store.compact();
    await store.close();
    expect(events).not.toContain("log_record_damaged");
    rmSync(join(dir, "index.sqlite"));
    const anew = await openFiles(dir, { segmentBytes: 500 });
    expect(await shown(anew)).toEqual(WHOLE);
    await anew.close();
  });

  test("where the damage began in the mail before it", async () => {
    const dir = freshFolder();
    const store = await openFiles(dir);
    const deleted = await put(store, mail("deleted"));
    const starred = await put(store, mail("starred"));
    await put(store, mail("hit", "END OF IT"));
    await store.delete([deleted.id]);
    await store.update([starred.id], { is_starred: true });
    await put(store, mail("last"));
    await store.close();
    const bytes = readFileSync(segmentOf(dir));
    bytes.fill(0, bytes.indexOf("END OF IT"), bytes.indexOf('"is_starred"'));
    writeFileSync(segmentOf(dir), bytes);
    const again = await openFiles(dir);
    await again.compact();
    await again.close();
    rmSync(join(dir, "index.sqlite"));
    const anew = await openFiles(dir);
    expect((await shown(anew)).map(({ subject, is_starred }) => [subject, is_starred])).toEqual([
      ["last", false],
      ["starred", true],
    ]);
    await anew.close();
  });
});

test("a segment that was away while the server ran was an internal error, and health knew nothing of it", async () => {
  const dir = freshFolder();
  const options = { segmentBytes: 500 };
  const filling = await openFiles(dir, options);
  const { id } = await put(filling, mail("first", "x".repeat(600)));
  await put(filling, mail("second"));
  await filling.close();
  const store = await openFiles(dir, options);
  const back = moveAway(join(dir, "log", "0000000001-0.seg"));
  const gone = { code: "data_dir_unusable", message: expect.stringContaining("0000000001-0.seg") };
  expect(await store.raw(id).catch((error) => error)).toMatchObject(gone);
  expect(await store.check().catch((error) => error)).toMatchObject(gone);
  back();
  expect(await (await store.raw(id))?.bytes()).not.toBeEmpty();
  await store.check();
  await store.close();
});

test.each(["incoming", "large"])(
  "health knew nothing of a folder without which large mail is refused: %s",
  async (name) => {
    const dir = freshFolder();
    const store = await openFiles(dir, LARGE);
    const putLarge = async () => put(store, mail("large", "x".repeat(2000)));
    const back = moveAway(join(dir, name));
    const gone = { message: expect.stringContaining(join(dir, name)) };
    expect(await putLarge().catch((error) => error)).toMatchObject(gone);
    await put(store, mail("small"));
    expect(await store.check().catch((error) => error)).toMatchObject(gone);
    back();
    await store.check();
    await putLarge();
    await store.close();
  },
);

test("health knew nothing of a file in place of the folder of large mail", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir, LARGE);
  const back = moveAway(join(dir, "large"));
  writeFileSync(join(dir, "large"), "");
  const wrong = { message: expect.stringContaining("ENOTDIR") };
  expect(await put(store, mail("large", "x".repeat(2000))).catch((error) => error)).toMatchObject(wrong);
  await put(store, mail("small"));
  expect(await store.check().catch((error) => error)).toMatchObject(wrong);
  back();
  await store.check();
  expect([...readdirSync(join(dir, "incoming")), ...readdirSync(join(dir, "large"))]).toEqual([]);
  await store.close();
});

test("health knew nothing of large mails that were gone with their folder, for an empty one had its name", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir, LARGE);
  await put(store, mail("large", "x".repeat(2000)));
  const back = moveAway(join(dir, "large"));
  mkdirSync(join(dir, "large"));
  await put(store, mail("another", "x".repeat(2000)));
  const gone = { message: "the large mails are gone from the data folder" };
  expect(await store.check().catch((error) => error)).toMatchObject(gone);
  rmSync(join(dir, "large"), { recursive: true });
  back();
  await store.check();
  await store.close();
});

test.each(["os", "disk"] as const)(
  "a large mail without a place for its file took along what came with it: %s",
  async (durability) => {
    const dir = freshFolder();
    const store = await openFiles(dir, { ...LARGE, durability });
    const first = await put(store, mail("first"));
    const large = store.begin({ sender: "a@x.org", recipients: ["b@x.org"] });
    await large.append(new TextEncoder().encode(mail("large", "x".repeat(2000))));
    const back = moveAway(join(dir, "large"));
    // Its file is finished a moment later: the others come as long as it has no answer.
    const refused = large.commit().catch((error) => error.message);
    let isAnswered = false;
    void refused.then(() => {
      isAnswered = true;
    });
    const others: Promise<unknown>[] = [store.update([first.id], { is_read: true })];
    while (!isAnswered) {
      others.push(put(store, mail("small")));
      await new Promise(setImmediate);
    }
    expect(await refused).toContain(join(dir, "large"));
    await Promise.all(others);
    back();
    await put(store, mail("large", "x".repeat(2000)));
    await store.close();
    expect(await verifyStore({ dir, startScan })).toMatchObject({
      problems: [],
      messages: others.length + 1,
    });
  },
);

test.each([
  ["away", "os"],
  ["away", "disk"],
  ["a file", "os"],
  ["a file", "disk"],
] as const)(
  "mail could not be deleted while the folder of large mail was %s, with durability %s",
  async (what, durability) => {
    const dir = freshFolder();
    const store = await openFiles(dir, { ...LARGE, durability });
    await put(store, mail("large", "x".repeat(2000)));
    const { id } = await put(store, mail("small"));
    await put(store, mail("small"));
    await store.close();
    const again = await openFiles(dir, { ...LARGE, durability });
    const back = moveAway(join(dir, "large"));
    if (what === "a file") writeFileSync(join(dir, "large"), "");
    expect(await again.delete([id])).toEqual([id]);
    expect(await again.clear()).toBe(2);
    back();
    await put(again, mail("new"));
    await again.close();
    const last = await openFiles(dir, LARGE);
    expect(await last.count({})).toBe(1);
    expect(readdirSync(join(dir, "large"))).toEqual([]);
    await last.close();
    expect((await verifyStore({ dir, startScan })).problems).toEqual([]);
  },
);
