import { expect, test } from "bun:test";
import { parseDuration } from "../../src/lib/time.ts";

test.each([
  ["500ms", 500],
  ["10s", 10_000],
  ["2m", 120_000],
  ["1.5h", 5_400_000],
  ["7d", 604_800_000],
  ["0", 0],
  ["365250d", 31_557_600_000_000],
  ["365251d", null],
  ["10", null],
  ["", null],
  ["ten s", null],
  ["-1s", null],
  ["10S", null],
  [" 10s", null],
  ["10s ", null],
  [" 0", null],
] as [string, number | null][])("a span of %p is %p milliseconds", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});
