import { expect, test } from "bun:test";
import {
  atLeast,
  type Figure,
  formatTable,
  formatValue,
  percentile,
  under,
  verdictOf,
} from "../../scripts/bench/table.ts";

const figures: readonly Figure[] = [
  { section: "Ingest", name: "50 kept", value: 0.7, unit: "ratio", target: atLeast(0.6), note: "7 of 10" },
  { section: "Ingest", name: "1 kept", value: 0.4, unit: "ratio", target: atLeast(0.5) },
  { section: "Reading", name: "first page", value: 1234.5, unit: "ms" },
];

test("every figure has a line under its section, with target and verdict", () => {
  expect(formatTable(figures, { Ingest: "of the ceiling" })).toBe(
    [
      "  what          figure         target          note",
      "",
      "Ingest: of the ceiling",
      "  50 kept         0.70  at least 0.60  ok      7 of 10",
      "  1 kept          0.40  at least 0.50  missed",
      "",
      "Reading",
      "  first page  1,235 ms",
      "",
      "1 of 2 targets reached",
    ].join("\n"),
  );
});

const values: readonly [number, Figure["unit"], string][] = [
  [0.666, "ratio", "0.66"],
  [0.123, "ms", "0.12 ms"],
  [12.34, "ms", "12.3 ms"],
  [10_432.1, "mails/s", "10,432 mails/s"],
  [Number.NaN, "MB", "none"],
];
for (const [value, unit, text] of values) {
  test(`${value} in ${unit} is written '${text}'`, () => expect(formatValue(value, unit)).toBe(text));
}

test("a ratio is rounded down, so that it does not seem to reach a target that it misses", () => {
  expect(formatValue(0.4499, "ratio")).toBe("0.44");
});

test("a value equal to a limit fails, a value equal to a goal passes", () => {
  const figure = { section: "", name: "", unit: "ms" } as const;
  expect(verdictOf({ ...figure, value: 1, target: under(1) })).toBe("missed");
  expect(verdictOf({ ...figure, value: 1, target: atLeast(1) })).toBe("ok");
  expect(verdictOf({ ...figure, value: 1 })).toBe("");
});

test("the 99th percentile of one to a hundred is a hundred", () => {
  const numbers = Array.from({ length: 100 }, (_, at) => at + 1);
  expect(percentile(numbers, 0.5)).toBe(51);
  expect(percentile(numbers, 0.99)).toBe(100);
  expect(percentile([], 0.5)).toBeNaN();
});
