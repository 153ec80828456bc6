import { describe, expect, test } from "bun:test";
import { formatSize, parseSize } from "../../src/lib/numbers.ts";

describe("a size is read as people write it", () => {
  const cases: [string, number | null][] = [
    ["0", 0],
    ["1048576", 1_048_576],
    ["50MiB", 52_428_800],
    ["50mib", 52_428_800],
    ["2GiB", 2_147_483_648],
    ["2 GB", 2_000_000_000],
    ["1.5k", 1536],
    ["", null],
    ["MiB", null],
    ["-1", null],
    ["1e3", null],
    ["5 apples", null],
    ["0.5b", null],
    ["1.5", null],
    ["99999999999TiB", null],
  ];
  test.each(cases)("%p", (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [52_428_800, "50 MiB"],
  [113_000_000, "108 MiB"],
] as [number, string][])("%p bytes are shown as %p", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
