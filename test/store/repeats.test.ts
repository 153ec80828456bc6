// Records that lie in the log twice, as copies of files or of parts of them leave it: the first copy counts.
import { describe, expect, test } from "bun:test";
import { appendFileSync, copyFileSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startScan } from "../../src/mime/index.ts";
import { reindexStore, type Store, verifyStore } from "../../src/store/index.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { useFolders } from "../support/folders.ts";
import { commonOptions, mail, openFiles, put, rawOf } from "./open.ts";

const freshFolder = useFolders();
const OPTIONS = { largeBytes: 1000 };

/** A mail was deleted, one starred and not any more, one read and then tagged; one has a file of its own. */
async function filledFolder(): Promise<{ dir: string; path: string; expected: Mailbox }> {
  const dir = freshFolder();
  const store = await openFiles(dir, OPTIONS);
  const ids: string[] = [];
  for (const subject of ["a", "b", "c"]) ids.push((await put(store, mail(subject))).id);
  await store.update(ids.slice(0, 1), { is_starred: true });
  await put(store, mail("large", "x".repeat(2000)));
  await store.update(ids.slice(0, 1), { is_starred: false });
  await store.delete(ids.slice(1, 2));
  await store.update(ids.slice(2), { is_read: true, tags: ["t"] });
  const expected = await mailbox(store);
  await store.close();
  return { dir, path: join(dir, "log", "0000000001-0.seg"), expected };
}

type Mailbox = Awaited<ReturnType<typeof mailbox>>;

async function mailbox(store: Store) {
  const page = await store.list({ filter: {}, limit: 50 });
  const raws = await Promise.all(page.messages.map(({ id }) => rawOf(store, id)));
  return { page, raws: raws.map((raw) => Buffer.from(raw ?? []).toString()) };
}

const copies: Record<string, (path: string) => void> = {
  "the segment behind itself": (path) => appendFileSync(path, readFileSync(path)),
  "the segment twice behind itself": (path) => {
    const bytes = readFileSync(path);
    appendFileSync(path, Buffer.concat([bytes, bytes]));
  },
  "its last half, cut anywhere": (path) => appendFileSync(path, readFileSync(path).subarray(701)),
  "its middle": (path) => appendFileSync(path, readFileSync(path).subarray(300, 900)),
  "the file under the next number": (path) => copyFileSync(path, path.replace("1-0", "2-0")),
  "the file under a later number": (path) => copyFileSync(path, path.replace("1-0", "7-0")),
  "the file under the next generation": (path) => copyFileSync(path, path.replace("1-0", "1-1")),
};

describe("a log that holds records twice kept Mailkeep from starting:", () => {
  for (const [name, copy] of Object.entries(copies)) {
    test.each([false, true])(`${name} (index made anew: %p)`, async (reindex) => {
      const { dir, path, expected } = await filledFolder();
      copy(path);
      for (let start = 0; start < 2; start++) {
        const store = await openFiles(dir, { ...OPTIONS, reindex });
        expect(await mailbox(store)).toEqual(expected);
        expect(await store.count({ q: "hello" })).toBe(2);
        await store.close();
      }
      expect((await verifyStore({ dir, startScan })).problems.filter(isRepeat)).toEqual([]);
    });
  }
});

const isRepeat = ({ kind }: { kind: string }) => kind === "repeated_record";

test("what is there twice is told by verify, reported and set aside by the start, and gone after it", async () => {
  const { dir, path } = await filledFolder();
  const bytes = readFileSync(path);
  copyFileSync(path, path.replace("1-0", "2-0"));
  const { problems } = await verifyStore({ dir, startScan });
  expect(problems.filter(isRepeat).map(({ message }) => message)).toEqual([
    `segment 2, bytes 16 to ${bytes.length}: records that are in the log before; they do no harm, the next start sets them aside`,
  ]);
  const { events, logger } = collectingLogger("warn");
  await (await openFiles(dir, { ...OPTIONS, logger })).close();
  expect(events).toContain("log_records_repeated");
  expect(readdirSync(join(dir, "log"))).toEqual(["0000000001-0.seg"]);
  expect(readFileSync(join(dir, "damaged", "0000000002-0.seg"))).toEqual(bytes);
  const quiet = collectingLogger("warn");
  await (await openFiles(dir, { ...OPTIONS, logger: quiet.logger })).close();
  expect(quiet.events).toEqual([]);
});

test("reindex ends well, too", async () => {
  const { dir, path } = await filledFolder();
  appendFileSync(path, readFileSync(path));
  expect(await reindexStore({ ...commonOptions, ...OPTIONS, durability: "os", dir })).toBe(3);
});

test("a deleted mail does not come back from a copy once its own segment is gone", async () => {
  const dir = freshFolder();
  const small = { segmentBytes: 3000 };
  const store = await openFiles(dir, small);
  const doomed: string[] = [];
  for (let i = 0; i < 3; i++) doomed.push((await put(store, mail(`m${i}`, "x".repeat(1000)))).id);
  await store.close();
  const [first = ""] = readdirSync(join(dir, "log"));
  copyFileSync(join(dir, "log", first), join(dir, "log", "0000000009-0.seg"));
  const again = await openFiles(dir, small);
  const { id } = await put(again, mail("kept"));
  await again.delete(doomed);
  await again.compact();
  await again.close();
  const rebuilt = await openFiles(dir, { ...small, reindex: true });
  expect(await rebuilt.walk({})).toEqual([id]);
  await rebuilt.close();
});

test("a clear is not undone by a copy of what was there before it", async () => {
  const { dir, path } = await filledFolder();
  const copy = join(dir, "copy");
  copyFileSync(path, copy);
  const store = await openFiles(dir, OPTIONS);
  await store.clear();
  const { id } = await put(store, mail("after"));
  await store.close();
  renameSync(copy, join(dir, "log", "0000000005-0.seg"));
  rmSync(join(dir, "index.sqlite"));
  const again = await openFiles(dir, OPTIONS);
  expect(await again.walk({})).toEqual([id]);
  await again.close();
});
