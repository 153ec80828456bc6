// What is added to the text index lies there in segments, through all of which a search goes: they are merged by hand,
// a little at a time, so that nobody waits for that.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { KeptIndex } from "../../src/store/search/kept-index.ts";
import { MergeTurns } from "../../src/store/search/merge-turns.ts";
import { TextIndex } from "../../src/store/search/text-index.ts";
import { useFolders } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { startSearchServer } from "./search-server.ts";

const freshFolder = useFolders();
const freshPath = () => join(freshFolder(), "search.sqlite");
const ENVELOPE = { subject: "", sender: "", recipients: "" };
const SEGMENTS = 20;

/** A commit writes what has gathered. */
function addSegments(index: Pick<TextIndex, "add">, commit: () => void): void {
  for (let seq = 1; seq <= SEGMENTS; seq++) {
    index.add({ seq, ...ENVELOPE, body: `word number${seq}` });
    commit();
  }
}

function openKept(path: string): KeptIndex {
  const index = new KeptIndex({ send: () => {}, run: (act) => act(), forget: () => {} });
  index.open({ path, salt: 0, clearedSeq: 0, lastSeq: Number.MAX_SAFE_INTEGER, removed: [] });
  return index;
}

const fewSegments = ({ current }: KeptIndex) => until(() => current.segments() < 4);

test("a mail of many different words waited until those of hundreds before it were merged", () => {
  const index = new TextIndex(":memory:");
  const textOf = (seq: number) => Array.from({ length: 1500 }, (_, n) => `w${seq}x${n}`).join(" ");
  for (let seq = 1; seq <= 400; seq++) index.add({ seq, ...ENVELOPE, body: textOf(seq) });
  const segments = index.segments();
  expect(segments).toBeGreaterThan(16);
  while (index.merge());
  expect(index.segments()).toBeLessThan(4);
  expect([...index.all(['"w400x1499"'])]).toEqual([400]);
  index.close();
});

test("commits between mails do not leave ever more segments behind", async () => {
  const path = freshPath();
  const server = startSearchServer({ find: () => ({ subject: "", body: "word" }) }, path);
  for (let seq = 1; seq <= 300; seq++) {
    server.add(seq);
    await server.settled();
  }
  server.close();
  const index = new TextIndex(path);
  expect(index.segments()).toBeLessThan(100);
  expect(index.held()).toBe(300);
  index.close();
});

describe("when there is nothing else to do", () => {
  test("what was added is merged, in files as in memory", async () => {
    const indexes = [openKept(freshPath()), openKept(":memory:")];
    for (const index of indexes) {
      addSegments(index.current, () => index.commit());
      index.worked(0);
      expect(index.current.segments()).toBe(SEGMENTS);
    }
    for (const index of indexes) {
      await fewSegments(index);
      expect(index.current.all(['"word"'])).toHaveLength(SEGMENTS);
      index.close();
    }
  });

  test("merging goes on after a start", async () => {
    const path = freshPath();
    const before = new TextIndex(path);
    addSegments(before, () => before.commit());
    before.close();
    const index = openKept(path);
    expect(index.current.segments()).toBe(SEGMENTS);
    await fewSegments(index);
    index.close();
  });
});

test("an index that was made to merge by itself goes on without", () => {
  const path = freshPath();
  const settings = () => {
    using db = new Database(path);
    return Object.fromEntries(db.query("SELECT k, v FROM mail_config").values() as [string, number][]);
  };
  new TextIndex(path).close();
  const made = settings();
  const old = new Database(path);
  old.run(
    "INSERT INTO mail (mail, rank) VALUES ('automerge', 4), ('crisismerge', 16), ('hashsize', 2097152)",
  );
  old.close();
  rmSync(`${path}.seal`);
  const index = new TextIndex(path);
  expect(index.why).toBeNull();
  index.close();
  expect(settings()).toEqual(made);
  expect(made).toMatchObject({ automerge: 0, crisismerge: 1999 });
});

test.each([
  [10, 0],
  [32, 25],
  [128, 100],
  [512, 400],
])("with %d segments there are %d steps of merging for 100 turns of adding", (segments, expected) => {
  const turns = new MergeTurns();
  let steps = 0;
  for (let turn = 0; turn < 100; turn++) {
    turns.added(segments);
    for (; turns.isDue; steps++) turns.merged();
  }
  expect(steps).toBe(expected);
});
