// Which segments are rewritten. Each case is a log: for each segment its size and how much of it is dead.
import { expect, test } from "bun:test";
import { chooseSegments } from "../../src/store/log/compaction-choice.ts";

const LIMITS = { minDeadBytes: 10_000, maxMergedBytes: 20_000 };

test.each<[string, [size: number, dead: number][], number[]]>([
  [
    "nothing of a log that lives",
    [
      [50_000, 0],
      [50_000, 20_000],
      [9000, 0],
    ],
    [],
  ],
  [
    "one that is mostly dead",
    [
      [50_000, 0],
      [50_000, 26_000],
      [9000, 0],
    ],
    [2],
  ],
  [
    "the active one as well",
    [
      [50_000, 0],
      [50_000, 26_000],
    ],
    [2],
  ],
  [
    "none for little",
    [
      [12_000, 8000],
      [9000, 0],
    ],
    [],
  ],
  [
    "the most dead of several for each of which alone it would be little",
    [
      [12_000, 7000],
      [13_000, 8000],
      [900, 0],
    ],
    [2],
  ],
  [
    "one of which nothing is left, at once",
    [
      [300, 0],
      [700, 500],
      [900, 0],
    ],
    [2],
  ],
  ["not the active one, for that", [[700, 500]], []],
  [
    "small neighbours into one",
    [
      [30_000, 0],
      [3000, 0],
      [4000, 100],
      [4000, 0],
      [3000, 0],
      [900, 0],
    ],
    [2, 3, 4, 5],
  ],
  [
    "not a large one with small ones",
    [
      [15_000, 0],
      [400, 0],
      [300, 0],
      [400, 0],
      [900, 0],
    ],
    [],
  ],
  [
    "not fewer than four",
    [
      [3000, 0],
      [3000, 0],
      [3000, 0],
      [900, 0],
    ],
    [],
  ],
])("%s", (_, log, expected) => {
  const segments = log.map(([size, dead], index) => ({
    number: index + 1,
    size,
    dead,
    isActive: index === log.length - 1,
    staysAlone: false,
  }));
  expect(chooseSegments(segments, LIMITS).map(({ number }) => number)).toEqual(expected);
});

test("neighbours of one that stays alone are not merged over it", () => {
  const segments = [1, 2, 3, 4, 5].map((number) => ({
    number,
    size: 1000,
    dead: 0,
    isActive: number === 5,
    staysAlone: number === 2,
  }));
  expect(chooseSegments(segments, LIMITS)).toEqual([]);
});
