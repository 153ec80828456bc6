// Which rows are drawn, in lists of any length.
import { expect, test } from "bun:test";
import { scrolledHeight, toRows, toScroll, windowAt } from "../../src/web/list/window.ts";

const small = { count: 1000, rowHeight: 80, height: 800 };
const huge = { count: 1_000_000, rowHeight: 80, height: 800 };

test("only rows in sight and a few around them are drawn", () => {
  const { first, last, offset } = windowAt(8000, small);
  expect({ first, last, offset }).toEqual({ first: 96, last: 114, offset: 96 * 80 });
});

test("a list taller than a browser allows still reaches its last row", () => {
  const { last } = windowAt(scrolledHeight(huge) - huge.height, huge);
  expect(last).toBe(huge.count);
});

test("a scroll position and its row lead to each other", () => {
  for (const geometry of [small, huge]) expect(toScroll(toRows(4321, geometry), geometry)).toBeCloseTo(4321);
});
