// The cache respects its limits, shares loads, and does not keep failures.
import { expect, test } from "bun:test";
import { BoundedCache } from "../../src/app/bounded-cache.ts";

interface Item {
  readonly bytes: number;
}
const KiB = 1024;
const cacheOf = (maxKiB: number) => new BoundedCache<Item>(maxKiB * KiB, ({ bytes }) => bytes);
/** Whether the cache has the entry. The load finds nothing, so asking adds no entry. */
const keeps = async (cache: BoundedCache<Item>, key: string) =>
  (await cache.get(key, async () => null)) !== null;
/** Each entry counts 1 KiB more than its value. */
const load = (kib: number) => async () => ({ bytes: (kib - 1) * KiB });

test("the least recently used entry is dropped when there are too many", async () => {
  const cache = cacheOf(2);
  const a = await cache.get("a", load(1));
  await cache.get("b", load(1));
  expect(await cache.get("a", load(9))).toBe(a);
  await cache.get("c", load(1));
  expect(await cache.get("a", load(9))).toBe(a);
  expect(await cache.get("b", load(2))).toEqual({ bytes: KiB });
});

test("the bytes are limited, and an entry that is too large is not kept", async () => {
  const cache = cacheOf(10);
  await cache.get("a", load(6));
  await cache.get("b", load(6));
  expect([await keeps(cache, "a"), await keeps(cache, "b")]).toEqual([false, true]);
  await cache.get("c", load(11));
  expect([await keeps(cache, "b"), await keeps(cache, "c")]).toEqual([false, false]);
  // The bytes of removed entries no longer count.
  await cache.get("d", load(10));
  expect(await keeps(cache, "d")).toBe(true);
});

test("two readers at once share one load", async () => {
  const cache = cacheOf(10);
  let loads = 0;
  const slow = async () => {
    loads++;
    await Promise.resolve();
    return { bytes: 1 };
  };
  await Promise.all([cache.get("a", slow), cache.get("a", slow)]);
  expect(loads).toBe(1);
});

test("a failed load and an empty result are not kept", async () => {
  const cache = cacheOf(10);
  expect(cache.get("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cache.get("b", async () => null)).toBeNull();
  await Promise.resolve();
  expect([await keeps(cache, "a"), await keeps(cache, "b")]).toEqual([false, false]);
});

test("an entry that is deleted while it loads is not kept", async () => {
  const cache = cacheOf(10);
  const { promise, resolve } = Promise.withResolvers<Item>();
  const loading = cache.get("a", () => promise);
  cache.delete("a");
  resolve({ bytes: 3 });
  await loading;
  expect(await keeps(cache, "a")).toBe(false);
});

test("clear empties the cache", async () => {
  const cache = cacheOf(10);
  await cache.get("a", load(3));
  cache.clear();
  expect(await keeps(cache, "a")).toBe(false);
  await cache.get("b", load(10));
  expect(await keeps(cache, "b")).toBe(true);
});

test("a result that may improve is not kept", async () => {
  const cache = new BoundedCache<{ isFinal: boolean }>(
    10 * KiB,
    () => 1,
    ({ isFinal }) => isFinal,
  );
  await cache.get("a", async () => ({ isFinal: false }));
  expect(await cache.get("a", async () => ({ isFinal: true }))).toEqual({ isFinal: true });
  expect(await cache.get("a", async () => ({ isFinal: false }))).toEqual({ isFinal: true });
});
