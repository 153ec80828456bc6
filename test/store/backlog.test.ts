// How new messages wait for the search thread, and that all of them are found however they waited.
import { describe, expect, test } from "bun:test";
import type { MessageRow } from "../../src/store/rows/row.ts";
import { Backlog } from "../../src/store/search/backlog.ts";
import { useFolders } from "../support/folders.ts";
import { mail, openFiles, put } from "./open.ts";
import { bodies, record } from "./rows-in-log.ts";

function waiting(...rows: MessageRow[]) {
  const backlog = new Backlog(bodies);
  for (const row of rows) backlog.add(row);
  return backlog;
}

describe("in the backlog", () => {
  test("neighbours in the log are one stretch, whatever other records lie between them", () => {
    const backlog = waiting(record(1, 100, 50), record(2, 160, 50), record(3, 400, 50));
    expect(backlog.take()).toMatchObject([{ path: "segment 1", from: 100, to: 460 }]);
  });

  test("another segment is another stretch", () => {
    const backlog = waiting(record(1, 100, 50), record(2, 16, 50, { segment: 2 }));
    expect(backlog.take()).toMatchObject([{ path: "segment 1" }, { path: "segment 2", from: 16, to: 76 }]);
  });

  test("a message with a file of its own stands between two stretches", () => {
    const large = record(2, 160, 300_000, { body_at: 0 });
    const backlog = waiting(record(1, 100, 50), large, record(3, 200, 50));
    expect(backlog.take()).toMatchObject([
      { from: 100, to: 160 },
      { seq: 2, source: { path: "large" } },
      { from: 200, to: 260 },
    ]);
  });

  test("a stretch ends at a mebibyte", () => {
    const rows = Array.from({ length: 180 }, (_, n) => record(n + 1, n * 10_010, 10_000));
    const stretches = waiting(...rows).take() as { from: number; to: number }[];
    expect(stretches.map(({ from, to }) => to - from)).toEqual([1_041_040, 760_760]);
  });

  test("first and last seq and the bytes are known until they are taken", () => {
    const backlog = waiting(record(7, 100, 50), record(8, 160, 70));
    expect([backlog.firstSeq, backlog.lastSeq, backlog.bytes, backlog.length]).toEqual([7, 8, 120, 1]);
    backlog.take();
    expect([backlog.firstSeq, backlog.bytes, backlog.length]).toEqual([Number.POSITIVE_INFINITY, 0, 0]);
  });
});

describe("a search finds what came in as a stretch", () => {
  const freshFolder = useFolders();

  test("with changes, deletions, large mails and new segments in between", async () => {
    const store = await openFiles(freshFolder(), { segmentBytes: 4096, largeBytes: 2000 });
    const kept: string[] = [];
    for (let n = 0; n < 60; n++) {
      const { id } = await put(
        store,
        mail(`stretch number${n}x`, n % 7 === 0 ? "long ".repeat(600) : "short"),
      );
      if (n % 5 === 0) await store.update([id], { is_starred: true });
      if (n % 3 === 0) await store.delete([id]);
      else kept.push(`number${n}x`);
    }
    expect(await store.count({ q: "stretch" })).toBe(kept.length);
    for (const word of kept) expect(await store.count({ q: word })).toBe(1);
    await store.close();
  });

  test("and nothing of what was cleared before it was read", async () => {
    const store = await openFiles(freshFolder());
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => put(store, mail(`gone ${n}`))));
      await store.clear();
      await put(store, mail(`stays${round}`));
      expect(await store.count({ q: "gone" })).toBe(0);
      expect(await store.count({ q: `stays${round}` })).toBe(1);
      await store.clear();
    }
    await store.close();
  });
});
