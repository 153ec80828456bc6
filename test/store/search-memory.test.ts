// What the search thread leaves in memory while it indexes large texts.
import { expect, spyOn, test } from "bun:test";
import { startLongMessages } from "./long-messages.ts";

test.each([
  ["large texts piled up until a gigabyte was collected", 2 << 20, 1],
  ["they are collected even while there is more to do", 12 << 20, 2],
  ["small ones are left to the collector", 5000, 0],
])("%s", (_name, chars, collections) => {
  const collect = spyOn(Bun, "gc");
  try {
    const { long, add } = startLongMessages(() => ["word ".repeat(chars / 5)]);
    for (const seq of [1, 2, 3]) add(seq, 1 << 20);
    while (long.hasWork) long.step();
    expect(collect).toHaveBeenCalledTimes(collections);
  } finally {
    collect.mockRestore();
  }
});
