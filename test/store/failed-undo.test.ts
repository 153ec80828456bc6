// A disk that takes neither a change nor its undoing: what was refused is not there, however often the rest is tried.
import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../src/store/index.ts";
import { type Disk, realDisk } from "../../src/store/log/disk.ts";
import { Rows } from "../../src/store/rows/rows.ts";
import { useFolders } from "../support/folders.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { codeOf, mail, openFiles, put, subjectsOf } from "./open.ts";

const freshFolder = useFolders();
const LARGE = mail("refused", "x".repeat(3000));
const EIO = Object.assign(new Error("injected"), { code: "EIO" });

async function expectAfterReindex(dir: string, subjects: readonly string[]) {
  const again = await openFiles(dir, { reindex: true });
  expect(await subjectsOf(again)).toEqual([...subjects]);
  await again.close();
}

/** Three mails of one group: the record of the first is written as a whole. */
async function refuseGroup(store: Store) {
  const group = ["refused 1", "refused 2", "refused 3"].map((subject) => codeOf(put(store, mail(subject))));
  expect(await Promise.all(group)).toEqual(["disk_failing", "disk_failing", "disk_failing"]);
}

/** Nothing can be renamed to it nor removed from its place. */
function block(path: string): void {
  renameSync(path, `${path}.away`);
  mkdirSync(join(path, "in the way"), { recursive: true });
}

function unblock(path: string): void {
  rmSync(path, { recursive: true });
  rmSync(`${path}.away`);
}

/** The rows cannot follow a segment that was rewritten. */
const failMoves = () =>
  spyOn(Rows.prototype, "move").mockImplementation(() => {
    throw new Error("injected");
  });

test("a large mail whose file could not be put back was written with the next one, and kept Mailkeep from starting", async () => {
  const dir = freshFolder();
  const incoming = join(dir, "incoming");
  const large = join(dir, "large");
  let fails = false;
  const write: Disk["write"] = (fd, bytes, position) => {
    if (!fails) return realDisk.write(fd, bytes, position);
    for (const name of readdirSync(large)) block(join(large, name));
    mkdirSync(join(incoming, "1.part", "in the way"), { recursive: true });
    throw EIO;
  };
  const store = await openFiles(dir, { disk: { ...realDisk, write }, largeBytes: 1000 });
  await put(store, mail("before"));
  fails = true;
  expect(await codeOf(put(store, LARGE))).toBe("disk_failing");
  fails = false;
  for (const name of readdirSync(large)) if (!name.endsWith(".away")) unblock(join(large, name));
  rmSync(join(incoming, "1.part"), { recursive: true });
  await put(store, mail("after"));
  expect(await subjectsOf(store)).toEqual(["after", "before"]);
  await store.close();
  await expectAfterReindex(dir, ["after", "before"]);
});

test("a clear whose segment could not be removed was written with the next mail", async () => {
  const dir = freshFolder();
  const cleared = join(dir, "log", "0000000002-0.seg");
  let fails = false;
  const sync: Disk["sync"] = async (fd) => {
    if (!fails) return realDisk.sync(fd);
    block(cleared);
    throw EIO;
  };
  const store = await openFiles(dir, { durability: "disk", disk: { ...realDisk, sync } });
  await put(store, mail("before"));
  fails = true;
  expect(await codeOf(store.clear())).toBe("disk_failing");
  fails = false;
  expect(await codeOf(put(store, mail("refused")))).not.toBe("none");
  unblock(cleared);
  await put(store, mail("after"));
  expect(await subjectsOf(store)).toEqual(["after", "before"]);
  await store.close();
  await expectAfterReindex(dir, ["after", "before"]);
});

describe("what could not be cut off the log", () => {
  test("came back when the rows were made anew", async () => {
    const dir = freshFolder();
    const before = await openFiles(dir);
    for (const subject of ["one", "two"]) await put(before, mail(subject));
    await before.close();
    const db = new Database(join(dir, "index.sqlite"));
    db.run("UPDATE message SET subject = 'never sent' WHERE seq = 2");
    db.close();
    rmSync(join(dir, "index.sqlite.seal"));
    const faulty = faultyDisk();
    const store = await openFiles(dir, { disk: faulty.disk });
    faulty.fault = { at: "write", code: "EIO" };
    faulty.cannotCut = true;
    await refuseGroup(store);
    expect(await subjectsOf(store)).toEqual(["two", "one"]);
    faulty.fault = null;
    faulty.cannotCut = false;
    await put(store, mail("three"));
    expect(await subjectsOf(store)).toEqual(["three", "two", "one"]);
    await store.close();
    await expectAfterReindex(dir, ["three", "two", "one"]);
  });

  test("stayed in a segment that was left for the next one, and kept Mailkeep from starting", async () => {
    const dir = freshFolder();
    const faulty = faultyDisk();
    const store = await openFiles(dir, { disk: faulty.disk, segmentBytes: 4000 });
    const { id } = await put(store, mail("doomed", "x".repeat(3000)));
    await put(store, mail("one"));
    await store.delete([id]);
    faulty.fault = { at: "write", code: "EIO" };
    faulty.cannotCut = true;
    await refuseGroup(store);
    faulty.fault = null;
    using _ = failMoves();
    await store.compact();
    faulty.cannotCut = false;
    await put(store, mail("two"));
    await store.close();
    await expectAfterReindex(dir, ["two", "one"]);
  });
});

test("a segment that was rewritten in vain brought deleted mail back", async () => {
  const dir = freshFolder();
  const store = await openFiles(dir, { segmentBytes: 4000 });
  const { id } = await put(store, mail("doomed", "x".repeat(3000)));
  await put(store, mail("one"));
  using moves = failMoves();
  await store.delete([id]);
  await store.compact();
  expect(moves).toHaveBeenCalled();
  expect(readdirSync(join(dir, "log"))).not.toContain("0000000001-1.seg");
  expect(await subjectsOf(store)).toEqual(["one"]);
  await store.close();
});

test("a segment that could not be removed brought deleted mail back: that it was deleted had been forgotten", async () => {
  const dir = freshFolder();
  const faulty = faultyDisk();
  const store = await openFiles(dir, { disk: faulty.disk, segmentBytes: 4000 });
  const { id } = await put(store, mail("doomed", "x".repeat(5000)));
  await put(store, mail("kept"));
  faulty.cannotRemove = true;
  await store.delete([id]);
  await store.compact();
  const more = await Promise.all(["a", "b"].map((subject) => put(store, mail(subject, "x".repeat(5000)))));
  await store.delete(more.map((message) => message.id));
  await store.compact();
  expect(readdirSync(join(dir, "log"))).toContain("0000000001-0.seg");
  const killed = freshFolder();
  cpSync(dir, killed, { recursive: true });
  await expectAfterReindex(killed, ["kept"]);
  faulty.cannotRemove = false;
  await store.compact();
  expect(readdirSync(join(dir, "log"))).not.toContain("0000000001-0.seg");
  await store.close();
  await expectAfterReindex(dir, ["kept"]);
});

test("a segment that could not be removed was removed from the backup that had taken the folder's place", async () => {
  const dir = freshFolder();
  const faulty = faultyDisk();
  const store = await openFiles(dir, { disk: faulty.disk, segmentBytes: 4000 });
  const { id } = await put(store, mail("doomed", "x".repeat(5000)));
  await put(store, mail("kept"));
  const backup = freshFolder();
  cpSync(dir, backup, { recursive: true });
  faulty.cannotRemove = true;
  await store.delete([id]);
  await store.compact();
  faulty.cannotRemove = false;
  const away = `${dir}.away`;
  renameSync(dir, away);
  renameSync(backup, dir);
  await store.compact();
  expect(readdirSync(join(dir, "log"))).toContain("0000000001-0.seg");
  await store.close();
  rmSync(away, { recursive: true });
});
