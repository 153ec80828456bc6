// Large messages in the text index: their senders wait until their text is through, nobody else does.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { TextIndex } from "../../src/store/search/text-index.ts";
import { useFolders } from "../support/folders.ts";
import { startLongMessages } from "./long-messages.ts";
import { startSearchServer } from "./search-server.ts";

const freshFolder = useFolders();

/** A text that begins at once and goes on when it is told to. */
function heldText(start: string, rest: string) {
  let isHeld = true;
  function* slices() {
    yield start;
    while (isHeld) yield "";
    yield rest;
  }
  const release = () => {
    isHeld = false;
  };
  return { slice: slices, release };
}

/** Slices as a large text comes in: of many sizes, cut anywhere. */
function* cut(text: string) {
  for (let at = 0, size = 1; at < text.length; at += size, size = ((size * 7) % 40_009) + 1)
    yield text.slice(at, at + size);
}

const filler = (name: string, words: number) =>
  Array.from({ length: words }, (_, n) => `${name}${n % 5000}`).join(" ");

describe("while the text of a large message is gone through", () => {
  test("a search is answered without it", async () => {
    const { slice, release } = heldText("beginning ", "end");
    const server = startSearchServer({ slice });
    server.addLarge(1, "subject line");
    const searchable = server.searchable(1);
    expect(await server.find("end")).toEqual([]);
    release();
    await searchable;
    expect(await server.find("subject alice@example.com bob beginning end")).toEqual([1]);
    server.close();
  });

  test("its sender waits, for no other than its own", async () => {
    const texts = [heldText("one ", "two"), heldText("three ", "four")];
    let started = 0;
    const server = startSearchServer({ slice: () => (texts[started++] ?? heldText("", "")).slice() });
    server.addLarge(1);
    const first = server.searchable(1);
    server.addLarge(2);
    server.searchable(2);
    texts[0]?.release();
    await first;
    expect(await server.find("one two")).toEqual([1]);
    expect(await server.find("four")).toEqual([]);
    server.close();
  });

  test("a search waits for one that nobody waits for: it was acknowledged before a restart", async () => {
    const texts = [heldText("one ", "two"), heldText("three ", "four")];
    let started = 0;
    const server = startSearchServer({ slice: () => (texts[started++] ?? heldText("", "")).slice() });
    server.addLarge(1);
    const found = server.find("one two");
    server.addLarge(2);
    texts[0]?.release();
    expect(await found).toEqual([1]);
    server.close();
  });

  test("a search that came before its sender waits no longer than one that came after", async () => {
    const server = startSearchServer({ slice: heldText("", "").slice });
    server.addLarge(1, "subject");
    const found = server.find("subject");
    server.searchable(1);
    expect(await found).toEqual([]);
    server.close();
  });

  test("messages that came after it are found at once", async () => {
    const { slice } = heldText("", "");
    const server = startSearchServer({ slice, find: () => ({ subject: "small", body: "text" }) });
    server.addLarge(1);
    server.searchable(1);
    server.add(2);
    expect(await server.find("small text")).toEqual([2]);
    server.close();
  });

  test.each([
    ["removed", { kind: "remove", seqs: [1] }],
    ["cleared", { kind: "clear", clearedSeq: 1 }],
  ] as const)("it may be %s", async (_, message) => {
    const { slice, release } = heldText("beginning ".repeat(20_000), "end");
    const server = startSearchServer({ slice });
    server.addLarge(1, "subject");
    const searchable = server.searchable(1);
    await server.find("subject");
    server.tell(message);
    await searchable;
    release();
    expect(await server.find("subject")).toEqual([]);
    expect(await server.find("beginning")).toEqual([]);
    expect(await server.find("end")).toEqual([]);
    server.close();
  });

  test("a stop waits for nothing: the next start is handed the message again, and no other", async () => {
    const path = join(freshFolder(), "search.sqlite");
    const { slice } = heldText("beginning ".repeat(20_000), "end");
    const first = startSearchServer({ slice }, path);
    first.add(1);
    first.addLarge(2, "first");
    first.searchable(2);
    first.add(3, "small");
    await first.find("beginning");
    first.close();
    const second = startSearchServer({ slice: () => ["beginning ", "end"].values() }, path);
    expect(second.said).toEqual(["opened 3, but for 2"]);
    second.addLarge(2, "second");
    await second.settled();
    expect(await second.find("alice")).toEqual([3, 2, 1]);
    expect(await second.find("second beginning end")).toEqual([2]);
    expect(await second.find("first")).toEqual([]);
    second.close();
    const third = startSearchServer({}, path);
    expect(third.said).toEqual(["opened 3"]);
    third.close();
  });

  test("a text that takes too long is cut, and found as far as it was gone through", async () => {
    let now = 0;
    const { long, told, add, cut } = startLongMessages(
      function* () {
        for (;;) yield "x".repeat(1 << 14);
      },
      () => 0,
      () => (now += 100),
    );
    add(1, 1 << 20);
    while (!long.isIdle) long.step();
    expect(told.filter((seq) => seq === 1).length).toBeGreaterThan(10);
    expect(told.filter((seq) => seq === 1).length).toBeLessThan(100);
    expect(cut).toEqual([1]);
  });

  test("what it fails at is left out, and the rest is found", async () => {
    function* slice() {
      yield "beginning ";
      throw new Error("damaged");
    }
    const server = startSearchServer({ slice });
    server.addLarge(1, "subject");
    await server.settled();
    expect(await server.find("subject beginning")).toEqual([1]);
    server.close();
  });
});

describe("a text of many pieces", () => {
  const text = `first ${filler("a", 30_000)} middle ${filler("b", 30_000)} last`;
  const started = () => {
    const server = startSearchServer({
      slice: () => cut(text),
      find: () => ({ subject: "small", body: "first last" }),
    });
    server.add(1);
    server.addLarge(2, "large");
    server.add(3);
    return server;
  };

  test("is found by words that stand far from each other", async () => {
    const server = started();
    await server.settled();
    expect(await server.find("large first middle last a77 b4999")).toEqual([2]);
    expect(await server.find("first last")).toEqual([3, 2, 1]);
    expect(await server.find("first nowhere")).toEqual([]);
    server.close();
  });

  test("is found by every phrase in it, and by no other", async () => {
    const server = started();
    await server.settled();
    const words = text.split(" ");
    for (let at = 0; at + 12 < words.length; at += 997)
      expect(await server.find(`"${words.slice(at, at + 12).join(" ")}"`)).toEqual([2]);
    expect(await server.find('"first last"')).toEqual([3, 1]);
    expect(await server.find('"middle first"')).toEqual([]);
    server.close();
  });

  test("has no half words where it is cut", async () => {
    const words = new Set(text.split(" "));
    const server = startSearchServer({ slice: () => cut(text) });
    server.addLarge(1);
    await server.settled();
    for (let n = 0; n < 5000; n += 250) {
      const half = `a${n}`.slice(0, -1);
      expect(await server.find(`"${half}"`)).toEqual(words.has(half) ? [1] : []);
    }
    server.close();
  });

  test("counts once in pages of results", async () => {
    const server = started();
    await server.settled();
    for (const _ of ["from the index", "remembered"]) {
      expect(await server.find("first")).toEqual([3, 2, 1]);
    }
    server.close();
  });
});

describe("of several that wait", () => {
  const MODEST = 2 << 20;
  const HUGE = 20 << 20;
  const pieces = (count: number) => Array.from({ length: count }, () => "x".repeat(1 << 14));

  test("a smaller one is through long before larger ones that came first", () => {
    const { long, told, add } = startLongMessages((seq) => pieces(seq < 3 ? 100 : 10));
    add(1, HUGE);
    add(2, HUGE);
    add(3, MODEST);
    while (long.seqs.includes(3)) long.step();
    expect(told.filter((seq) => seq === 1 || seq === 2).length).toBeLessThan(10);
  });

  test("the huge one goes on all the same", () => {
    const { long, told, add } = startLongMessages((seq) => pieces(seq === 1 ? 10 : 1));
    add(1, HUGE);
    for (let seq = 2; long.seqs.includes(1); seq++) {
      add(seq, MODEST);
      for (let step = 0; step < 4; step++) long.step();
    }
    expect(told.filter((seq) => seq === 1).length).toBeGreaterThan(8);
  });

  test("a thousand may wait; what comes then waits for the first of them, not for all", () => {
    const { long, told, add } = startLongMessages(() => ["text"]);
    for (let seq = 1; seq <= 1000; seq++) add(seq, MODEST);
    expect(told).toEqual([]);
    add(1001, MODEST);
    expect(told.filter((seq) => seq !== "merge")).toEqual([1]);
    expect(long.isIdle).toBe(false);
  });

  test("pieces are merged all along", () => {
    const { long, told, add } = startLongMessages(() => pieces(600));
    for (const seq of [1, 2, 3]) add(seq, HUGE);
    while (!long.isIdle) long.step();
    const merges = told.filter((each) => each === "merge").length;
    expect(merges).toBeGreaterThan(1800 / 10);
  });

  test.each(Array.from({ length: 10 }, (_, count) => count))(
    "all are taken away after %d pieces: the next one was never gone through",
    (count) => {
      const { long, told, add } = startLongMessages(() => pieces(20));
      add(1, HUGE);
      while (told.filter((each) => each === 1).length < count) long.step();
      long.clear();
      add(2, HUGE);
      for (let step = 0; step < 100 && !long.isIdle; step++) long.step();
      expect(long.isIdle).toBe(true);
    },
  );

  test("nothing is added to an index that cannot tell more segments apart, until some are merged", () => {
    let segments = 1900;
    const { long, told, add } = startLongMessages(
      () => pieces(500),
      () => segments,
    );
    for (const seq of [1, 2, 3]) add(seq, HUGE);
    for (let step = 0; step < 5000; step++) long.step();
    expect(told.slice(-10)).toEqual(Array.from({ length: 10 }, () => "merge"));
    segments = 10;
    while (!long.isIdle) long.step();
    expect(told.at(-1)).toBe(3);
  });
});

test("the segments of the index are counted", () => {
  const index = new TextIndex(":memory:");
  index.addLong({ seq: 1, subject: "", sender: "", recipients: "" });
  for (let number = 1; number <= 60; number++) {
    index.addPiece(1, number, filler(`${number}x`, 5000));
    if (number % 20 === 0) expect(index.longSegments()).toBeGreaterThan(number / 2);
  }
  while (index.mergeLong());
  expect(index.longSegments()).toBeLessThan(10);
  index.close();
});
