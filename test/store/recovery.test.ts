// Recovery of a log after a kill, a power cut or a failing disk.
import { expect, spyOn, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Store, verifyStore } from "../../src/store/index.ts";
import { dataDir, readFormat } from "../../src/store/log/data-dir.ts";
import type { FileLog } from "../../src/store/log/file-log.ts";
import { loadSegment, recordsIn, segmentFileName, segmentPath } from "../../src/store/log/segment.ts";
import { Rows } from "../../src/store/rows/rows.ts";
import { messageOf, messageRecord, readAll } from "../contract/log.ts";
import { collectingLogger, type LogLine } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { compact, copyTo, mail, namesIn, put, rawOf, subjectsOf } from "./open.ts";
import { openFileLog } from "./open-log.ts";
import { openQuick } from "./search-in-process.ts";

const freshFolder = useFolders();
const LAST = { number: 2, generation: 0 };

const seqsOf = async (log: FileLog) => (await readAll(log)).map(({ seq }) => seq);

interface SmallLog {
  readonly root: string;
  /** The bytes of the last segment. */
  readonly bytes: Buffer;
  /** The positions of the records in the last segment; the first is the head. */
  readonly records: { seq: number; at: number; end: number }[];
}

/** Makes a log: two messages in a sealed segment; messages, a change and a deletion in the last one. */
async function smallLog(): Promise<SmallLog> {
  const root = freshFolder();
  const log = openFileLog(root);
  await log.append([messageOf(1, "one"), messageOf(2, "two")]);
  log.roll();
  const large = log.openLargeBody();
  await large.append(new Uint8Array(100));
  const body = await large.finish();
  await log.append([messageOf(3, "three"), { record: messageRecord(4, body.size), body }]);
  await log.append([
    {
      record: {
        kind: "change",
        seq: 5,
        fields: ["is_read"],
        states: [{ seqs: [3], is_read: true, is_starred: false, tags: [] }],
      },
    },
  ]);
  await log.append([{ record: { kind: "delete", seq: 6, seqs: [3] } }, messageOf(7, "seven")]);
  await log.close();
  const dir = dataDir(root);
  const bytes = loadSegment(dir.log, LAST);
  const records = [...recordsIn(bytes, readFormat(dir) ?? 0)].map((found) => ({
    seq: found.type === "damaged" || found.type === "head" ? 0 : found.seq,
    at: found.at,
    end: found.end,
  }));
  return { root, bytes, records };
}

/**
 * Opens the log with these bytes as its last segment, appends a message, and opens it again. Returns the lines that the
 * first opening logged.
 */
async function checkDamaged(root: string, bytes: Buffer, intact: number[], what: string) {
  const { logger, lines } = collectingLogger("warn");
  const folder = join(root, "log");
  for (const name of readdirSync(folder).filter((name) => name > segmentFileName(LAST)))
    rmSync(join(folder, name));
  writeFileSync(segmentPath(folder, LAST), bytes);
  rmSync(join(root, "damaged"), { recursive: true, force: true });
  const first = openFileLog(root, {}, logger);
  expect({ what, seqs: await seqsOf(first) }).toEqual({ what, seqs: intact });
  const named = lines.splice(0);
  const seq = first.lastSeq + 1;
  expect({ what, isNext: seq > (intact.at(-1) ?? 0) }).toEqual({ what, isNext: true });
  await first.append([messageOf(seq, "next")]);
  await first.close();
  const again = openFileLog(root, {}, logger);
  expect({ what, seqs: await seqsOf(again) }).toEqual({ what, seqs: [...intact, seq] });
  await again.close();
  return named;
}

const copyIn = ([line]: LogLine[]) => readFileSync(String(line?.copy));

test("a log that is cut off at any byte keeps every whole record before it and takes new mail", async () => {
  const small = await smallLog();
  for (let size = 0; size < small.bytes.length; size++) {
    const whole = small.records.filter(({ seq, end }) => seq > 0 && end <= size);
    const intact = [1, 2, ...whole.map(({ seq }) => seq)];
    const named = await checkDamaged(small.root, small.bytes.subarray(0, size), intact, `cut at ${size}`);
    const isTorn = size > 0 && !small.records.some(({ end }) => end === size);
    expect({ size, events: named.map(({ event }) => event) }).toEqual({
      size,
      events: isTorn ? ["unfinished record removed from the log"] : [],
    });
    const from = small.records.findLast(({ end }) => end <= size)?.end ?? 0;
    if (isTorn) expect(small.bytes.subarray(from, size).equals(copyIn(named))).toBe(true);
  }
});

test("a log with any one byte changed keeps every other record, sets the damaged one aside and takes new mail", async () => {
  const small = await smallLog();
  for (let at = 0; at < small.bytes.length; at++) {
    const bytes = Buffer.from(small.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
    const hit = small.records.find((record) => at < record.end);
    const others = small.records.filter((record) => record.seq > 0 && record !== hit);
    const named = await checkDamaged(
      small.root,
      bytes,
      [1, 2, ...others.map(({ seq }) => seq)],
      `changed at ${at}`,
    );
    expect({ at, lines: named.length }).toEqual({ at, lines: 1 });
    expect(bytes.subarray(hit?.at, hit?.end).equals(copyIn(named))).toBe(true);
  }
});

const killed = (dir: string) => copyTo(freshFolder(), dir);

const COMPACTABLE = { segmentBytes: 200_000 };

/** Stores ten messages. `doomed` are the six in the middle, which the test deletes. */
async function withDoomed(dir: string) {
  const store = await openQuick(dir, COMPACTABLE);
  for (let n = 0; n < 10; n++) await put(store, mail(`m${n}`, "x".repeat(5000)));
  const ids = await store.walk({});
  return { store, doomed: ids.slice(2, 8) };
}

/** Copies the folder when a segment's new file is there, but index.sqlite does not refer to it. */
async function killedInCompaction(store: Store, dir: string): Promise<string> {
  let copy = "nothing was compacted";
  const relocate = spyOn(Rows.prototype, "relocate").mockImplementationOnce(() => {
    copy = killed(dir);
    throw new Error("killed");
  });
  await compact(store);
  relocate.mockRestore();
  await store.close();
  expect(namesIn(copy, "log").filter((name) => name.startsWith("0000000001"))).toHaveLength(2);
  return copy;
}

async function checkLeft(dir: string): Promise<void> {
  expect((await verifyStore({ dir })).problems).toEqual([]);
  const { logger, lines } = collectingLogger("warn");
  const store = await openQuick(dir, { ...COMPACTABLE, logger });
  expect(await subjectsOf(store)).toEqual(["m9", "m8", "m1", "m0"]);
  for (const id of await store.walk({})) expect((await rawOf(store, id))?.length).toBeGreaterThan(5000);
  await store.close();
  expect(lines).toEqual([]);
  expect(namesIn(dir, "log").filter((name) => name.startsWith("0000000001"))).toHaveLength(1);
}

test("a kill in the middle of a compaction leaves two files for a segment, and nothing is lost", async () => {
  const dir = freshFolder();
  const { store, doomed } = await withDoomed(dir);
  await store.delete(doomed);
  await store.close();
  const again = await openQuick(dir, COMPACTABLE);
  await checkLeft(await killedInCompaction(again, dir));
});

test("a large body without a record is removed; in a damaged log it is set aside", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir, { largeBytes: 1000 });
  await put(store, mail("kept", "x".repeat(2000)));
  const [kept = ""] = namesIn(dir, "large");
  await put(store, mail("last", "x".repeat(2000)));
  const [, last = ""] = namesIn(dir, "large");
  await store.close();
  rmSync(join(dir, "index.sqlite"));
  const segment = join(dir, "log", namesIn(dir, "log")[0] ?? "");
  const bytes = readFileSync(segment);
  const torn = killed(dir);
  truncateSync(join(torn, "log", namesIn(dir, "log")[0] ?? ""), bytes.length - 1);
  await (await openQuick(torn)).close();
  expect(namesIn(torn, "large")).toEqual([kept]);
  bytes[bytes.indexOf("kept")] = 0;
  writeFileSync(segment, bytes);
  const { logger, events } = collectingLogger("error");
  await (await openQuick(dir, { logger })).close();
  expect(namesIn(dir, "large")).toEqual([last]);
  expect(namesIn(dir, "damaged")).toContain(kept);
  expect(events).toEqual(["log damaged", "large body without record"]);
});

test("the next start removes the body of a large mail that was deleted just before a kill", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir, { largeBytes: 1000 });
  const { id } = await put(store, mail("gone", "x".repeat(2000)));
  await put(store, mail("kept", "x".repeat(2000)));
  const before = copyTo(freshFolder(), dir);
  await store.delete([id]);
  await store.close();
  const [gone = "", kept = ""] = namesIn(before, "large");
  cpSync(join(before, "large", gone), join(dir, "large", gone));
  await (await openQuick(dir)).close();
  expect(namesIn(dir, "large")).toEqual([kept]);
});

test("after a kill between the steps of a clear everything is cleared, and the next start removes the files", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir, { largeBytes: 1000, segmentBytes: 3000 });
  for (let n = 0; n < 6; n++) await put(store, mail(`m${n}`, "x".repeat(n % 2 === 0 ? 500 : 2000)));
  const before = killed(dir);
  await store.clear();
  const [cleared = ""] = namesIn(dir, "log");
  expect(namesIn(dir, "log")).toHaveLength(1);
  await store.close();
  cpSync(join(dir, "log", cleared), join(before, "log", cleared));
  const again = await openQuick(before);
  expect(await again.count({})).toBe(0);
  expect([namesIn(before, "log"), namesIn(before, "large")]).toEqual([[cleared], []]);
  await put(again, mail("after"));
  expect(await subjectsOf(again)).toEqual(["after"]);
  await again.close();
});

test("unfinished files that a kill has left are removed", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir);
  await put(store, mail("kept"));
  writeFileSync(join(dir, "incoming", "1-1.part"), "half a body");
  writeFileSync(join(dir, "log", "0000000002-0.seg.new"), "half a segment");
  const copy = killed(dir);
  await store.close();
  const again = await openQuick(copy);
  expect(await subjectsOf(again)).toEqual(["kept"]);
  expect([namesIn(copy, "incoming"), namesIn(copy, "log").length]).toEqual([[], 1]);
  await again.close();
});

test("mail that comes after a restart with a clock set back is listed after earlier mail", async () => {
  const dir = freshFolder();
  const store = await openQuick(dir, { now: () => new Date("2061-02-03") });
  await put(store, mail("before"));
  await store.close();
  const again = await openQuick(dir, { now: () => new Date(0) });
  const { created_at } = await put(again, mail("after"));
  expect([await subjectsOf(again), created_at]).toEqual([["after", "before"], "1970-01-01T00:00:00.000Z"]);
  await again.close();
});
