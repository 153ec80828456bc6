import { expect, test } from "bun:test";
import { isGap, reconnectDelay } from "../../src/web/api/live-socket.ts";

test("a lost connection is retried with a growing delay, up to a limit", () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => reconnectDelay(failures, 0.5));
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

test("pages that lost the server together do not come back together", () => {
  expect([reconnectDelay(1, 0), reconnectDelay(1, 1)].map(Math.round)).toEqual([400, 600]);
});

test("a skipped number is a gap, but not the first number of a record in PostgreSQL", () => {
  expect([isGap(5, 6), isGap(5, 7), isGap(24_576, 26_624), isGap(24_576, 26_625)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
