// How much may wait for the text index, by how fast mail was indexed of late.
import { expect, test } from "bun:test";
import { Pace } from "../../src/store/search/pace.ts";

const KB = 1024;
const MB = 1024 * KB;

test("easy mail may wait by the megabyte, mail that takes long by the tenth of a second", () => {
  const pace = new Pace();
  for (let times = 0; times < 10; times++) pace.measured(MB, 20);
  expect(pace.isTooMuch(16 * MB)).toBe(false);
  expect(pace.isTooMuch(32 * MB)).toBe(true);
  for (let times = 0; times < 10; times++) pace.measured(MB, 500);
  expect(pace.isTooMuch(100 * KB)).toBe(false);
  expect(pace.isTooMuch(400 * KB)).toBe(true);
});

test("before anything is measured it is taken to be slow", () => {
  expect(new Pace().isTooMuch(MB)).toBe(true);
});

test("what was measured before is soon forgotten, but not for a single mail", () => {
  const pace = new Pace();
  for (let times = 0; times < 10; times++) pace.measured(256 * KB, 5);
  pace.measured(KB, 10);
  expect(pace.for(MB)).toBeWithin(20, 70);
  pace.measured(256 * KB, 60);
  expect(pace.for(MB)).toBe(240);
});
