// Messages on their way into the text index: in order, a few at a time, and searches wait for those acknowledged.
import { describe, expect, test } from "bun:test";
import { startSearchServer } from "./search-server.ts";

/** Longer than a turn of the search thread, so that others have theirs after each message. */
const SLOW_MS = 12;

/** Indexing takes long, and goes on only when nobody else has anything to say. */
function startSlowServer() {
  let found = 0;
  const server = startSearchServer({
    find: () => {
      Bun.sleepSync(SLOW_MS);
      return { subject: "", body: `word number${++found}` };
    },
  });
  return { server, found: () => found };
}

describe("while many messages wait to be indexed", () => {
  test("a search waits for those that were acknowledged", async () => {
    const { server } = startSlowServer();
    for (let seq = 1; seq <= 5; seq++) server.add(seq);
    expect(await server.find("word")).toEqual([5, 4, 3, 2, 1]);
    server.close();
  });

  test("a search held up everybody until mail was indexed whose senders still waited", async () => {
    const { server, found } = startSlowServer();
    server.add(1);
    for (let seq = 2; seq <= 50; seq++) server.addLate(seq);
    const last = server.searchable(50);
    expect(await server.find("number1")).toEqual([1]);
    expect(found()).toBeLessThan(10);
    await last;
    expect(await server.find("number50")).toEqual([50]);
    server.close();
  });

  test("one that is removed is not indexed any more", async () => {
    const { server } = startSlowServer();
    for (let seq = 1; seq <= 4; seq++) server.add(seq);
    server.tell({ kind: "remove", seqs: [1, 3] });
    expect(await server.find("word")).toEqual([4, 2]);
    server.close();
  });

  test("all may be cleared, and each batch is done all the same", async () => {
    const { server, found } = startSlowServer();
    for (let seq = 1; seq <= 4; seq++) server.add(seq);
    server.tell({ kind: "clear", clearedSeq: 4 });
    expect(await server.find("word")).toEqual([]);
    expect(found()).toBe(0);
    expect(server.said.filter((kind) => kind === "added")).toHaveLength(4);
    server.close();
  });
});
