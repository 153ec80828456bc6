import { describe, expect, test } from "bun:test";
import { decodeTime } from "ulid";
import { firstUlidAt, UlidSource } from "../../src/lib/ulid.ts";

const NOON = Date.parse("2026-11-14T12:00:00Z");

describe("ids sort in the order they were made", () => {
  test.each([
    ["within one millisecond", [NOON, NOON, NOON]],
    ["when time goes on", [NOON, NOON + 1, NOON + 5000]],
    ["after the clock stepped back", [NOON, NOON - 3_600_000, NOON - 1, NOON, NOON + 1]],
  ] as [string, number[]][])("%s", (_name, times) => {
    const source = new UlidSource();
    const ids = times.map((time) => source.next(time));
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  });

  test("after a restart with a clock that is behind", () => {
    const last = new UlidSource().next(NOON);
    expect(new UlidSource(last).next(NOON - 1000) > last).toBe(true);
  });

  test("when the random part is used up", () => {
    const last = firstUlidAt(NOON).slice(0, 10) + "Z".repeat(16);
    expect(new UlidSource(last).next(NOON)).toBe(firstUlidAt(NOON + 1));
  });
});

test.each([0, 1, 1023, 1024, NOON, NOON + 1023, 2 ** 47, 2 ** 48 - 2])("an id tells its time: %d", (time) => {
  const source = new UlidSource();
  expect(decodeTime(source.next(time))).toBe(time);
  expect(decodeTime(source.next(time + 1))).toBe(time + 1);
});

test("the first id of a millisecond sorts before every other of it, and after all earlier ones", () => {
  const source = new UlidSource();
  const [before, same] = [source.next(NOON - 1), source.next(NOON)];
  expect(before < firstUlidAt(NOON)).toBe(true);
  expect(same > firstUlidAt(NOON)).toBe(true);
});
