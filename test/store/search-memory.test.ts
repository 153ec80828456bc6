// What the search thread leaves in memory while it indexes large texts.
import { expect, spyOn, test } from "bun:test";
import { startSearchServer } from "./search-server.ts";

test.each([
  ["large texts piled up until a gigabyte was collected", 2 << 20, 3],
  ["small ones are left to the collector", 5000, 0],
])("%s", async (_name, chars, collections) => {
  const collect = spyOn(Bun, "gc");
  try {
    const server = startSearchServer({ slice: () => ["word ".repeat(chars / 5)].values() });
    for (const seq of [1, 2, 3]) server.addLarge(seq);
    await server.settled();
    expect(collect).toHaveBeenCalledTimes(collections);
    server.close();
  } finally {
    collect.mockRestore();
  }
});
