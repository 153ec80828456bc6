// How much may wait for the text index, by how fast mail was indexed of late.
import { expect, test } from "bun:test";
import { Pace } from "../../src/store/search/pace.ts";

const KB = 1024;
const MB = 1024 * KB;

const measured = (times: number, bytes: number, ms: number, pace = new Pace(), mergingMs = 0): Pace => {
  for (let time = 0; time < times; time++) pace.measured({ bytes, ms, mergingMs });
  return pace;
};

test.each([
  ["filler", 3, 32 * MB, 33 * MB],
  ["prose", 30, 32 * MB, 33 * MB],
  ["words that seldom repeat", 50, 20 * MB, 21 * MB],
  ["random words", 60, 600 * KB, 750 * KB],
  ["mail made to hurt", 500, 70 * KB, 100 * KB],
])("of %s, a megabyte of which takes %d ms, %d bytes may wait, but not %d", (_, ms, few, many) => {
  const pace = measured(10, MB, ms);
  expect(pace.isTooMuch(few)).toBe(false);
  expect(pace.isTooMuch(many)).toBe(true);
});

test("before enough is measured it is taken to be slow, also after it was forgotten", () => {
  const pace = new Pace();
  expect(pace.isTooMuch(MB)).toBe(true);
  expect(measured(1, 2 * KB, 0, pace).isTooMuch(MB)).toBe(true);
  expect(measured(10, MB, 3, pace).isTooMuch(MB)).toBe(false);
  pace.forget();
  expect(pace.isTooMuch(MB)).toBe(true);
});

test("what was measured before is soon forgotten, but not for a single mail", () => {
  const pace = measured(10, MB, 10);
  expect(measured(1, KB, 10, pace).isTooMuch(4 * MB)).toBe(false);
  expect(measured(1, 256 * KB, 90, pace).isTooMuch(MB)).toBe(true);
});

test("that the index merges now and then does not make easy mail slow, but slow mail slower", () => {
  const merged = (ms: number) => measured(1, 200 * KB, 104, measured(10, MB, ms), 90);
  expect(merged(16).isTooMuch(20 * MB)).toBe(false);
  expect(merged(100).isTooMuch(350 * KB)).toBe(true);
});

test("a sample of harder mail counts until its turn has come", () => {
  const pace = measured(10, MB, 10);
  pace.sampled(0.2 / KB, 8 * MB);
  expect(pace.isTooMuch(150 * KB)).toBe(false);
  expect(pace.isTooMuch(250 * KB)).toBe(true);
  expect(measured(7, MB, 10, pace).isTooMuch(250 * KB)).toBe(true);
  expect(measured(1, MB, 10, pace).isTooMuch(250 * KB)).toBe(false);
});

test("a sample of easier mail does not hide a harder one before it", () => {
  const pace = measured(10, MB, 10);
  pace.sampled(0.2 / KB, MB);
  pace.sampled(0.01 / KB, 2 * MB);
  expect(pace.isTooMuch(MB)).toBe(true);
});

test("samples tell nothing of the mail after a pause", () => {
  const pace = measured(10, MB, 10);
  pace.sampled(0.2 / KB, MB);
  pace.forget();
  expect(measured(10, MB, 10, pace).isTooMuch(MB)).toBe(false);
});
