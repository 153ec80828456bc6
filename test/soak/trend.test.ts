import { expect, test } from "bun:test";
import { type Sample, slopePerMinute } from "../../scripts/soak/trend.ts";

const sampled = (valueAt: (seconds: number) => number): Sample[] =>
  Array.from({ length: 300 }, (_, seconds) => ({ seconds, value: valueAt(seconds) }));

test("garbage that comes and goes is not a trend", () => {
  expect(Math.abs(slopePerMinute(sampled((seconds) => 100 + (seconds % 7) * 20)))).toBeLessThan(0.5);
});

test("a slow leak is found although garbage comes and goes", () => {
  const slope = slopePerMinute(sampled((seconds) => 100 + seconds * 0.05 + (seconds % 7) * 20));
  expect(slope).toBeGreaterThan(2.5);
  expect(slope).toBeLessThan(3.5);
});

test("too few samples have no trend", () => {
  expect(slopePerMinute([])).toBeNaN();
  expect(slopePerMinute([{ seconds: 1, value: 1 }])).toBeNaN();
});
