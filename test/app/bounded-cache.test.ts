// The cache holds its bounds, shares loads, and keeps nothing that failed.
import { expect, test } from "bun:test";
import { BoundedCache } from "../../src/app/bounded-cache.ts";

interface Item {
  readonly bytes: number;
}
const cacheOf = (maxEntries: number, maxBytes: number) =>
  new BoundedCache<Item>({ maxEntries, maxBytes }, ({ bytes }) => bytes);
const load = (bytes: number) => async () => ({ bytes });

test("what was used longest ago goes first when there are too many", async () => {
  const cache = cacheOf(2, 100);
  const a = await cache.get("a", load(1));
  await cache.get("b", load(1));
  expect(await cache.get("a", load(9))).toBe(a);
  await cache.get("c", load(1));
  expect(cache.size).toBe(2);
  expect(await cache.get("a", load(9))).toBe(a);
  expect(await cache.get("b", load(5))).toEqual({ bytes: 5 });
});

test("bytes are bounded, and one thing too large is not kept", async () => {
  const cache = cacheOf(100, 10);
  await cache.get("a", load(6));
  await cache.get("b", load(6));
  expect([cache.size, cache.bytes]).toEqual([1, 6]);
  await cache.get("c", load(11));
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

test("two readers at once share one load", async () => {
  const cache = cacheOf(10, 10);
  let loads = 0;
  const slow = async () => {
    loads++;
    await Promise.resolve();
    return { bytes: 1 };
  };
  await Promise.all([cache.get("a", slow), cache.get("a", slow)]);
  expect(loads).toBe(1);
});

test("a failure and nothing are not kept", async () => {
  const cache = cacheOf(10, 10);
  expect(cache.get("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.get("b", async () => null)).toBeNull();
  await Promise.resolve();
  expect(cache.size).toBe(0);
});

test("what is deleted while it loads is not kept", async () => {
  const cache = cacheOf(10, 10);
  const { promise, resolve } = Promise.withResolvers<Item>();
  const loading = cache.get("a", () => promise);
  cache.delete("a");
  resolve({ bytes: 3 });
  await loading;
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

test("clear empties it", async () => {
  const cache = cacheOf(10, 10);
  await cache.get("a", load(3));
  cache.clear();
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

test("what may turn out better the next time is not kept", async () => {
  const cache = new BoundedCache<{ isFinal: boolean }>(
    { maxEntries: 10, maxBytes: 100 },
    () => 1,
    ({ isFinal }) => isFinal,
  );
  await cache.get("a", async () => ({ isFinal: false }));
  expect(await cache.get("a", async () => ({ isFinal: true }))).toEqual({ isFinal: true });
  expect(await cache.get("a", async () => ({ isFinal: false }))).toEqual({ isFinal: true });
});
