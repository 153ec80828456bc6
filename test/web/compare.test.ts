// The differences of two texts, line by line.
import { expect, test } from "bun:test";
import { compareTexts } from "../../src/web/format/compare.ts";

const shown = (a: string, b: string) =>
  compareTexts(a, b)?.map((row) => {
    if ("equal" in row) return row.equal;
    const side = (pieces: typeof row.left) =>
      pieces.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join("");
    return [side(row.left), side(row.right)];
  });

test("only the words that differ are marked", () => {
  expect(shown("Dear Ann,\nyour code is 12.\nBye", "Dear Ann,\nyour code is 34.\nBye")).toEqual([
    ["Dear Ann,", "Dear Ann,"],
    ["your code is [12].", "your code is [34]."],
    ["Bye", "Bye"],
  ]);
});

test("a line that only one side has is shown next to an empty line", () => {
  expect(shown("a\nc", "a\nb\nc")).toContainEqual(["", "[b]"]);
});

test("texts that differ only in their line ends are equal", () => {
  expect(shown("a\r\nb\r\n", "a\nb")).toEqual([2]);
});

test("of many equal lines only the number is shown", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  expect(shown(`${lines}\nold`, `${lines}\nnew`)?.[0]).toBe(17);
});
