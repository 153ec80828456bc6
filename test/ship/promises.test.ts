// docs/promises.md names a test for each promise: every one of them must exist, by its file and its title.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const rows = read("docs/promises.md")
  .split("\n")
  .filter((line) => line.includes("](../test/"));

/** `[name](../test/path) “title”, “title”, [name](../test/path) “title”` */
const HOLDERS = /\]\(\.\.\/(test\/[^)]+)\)((?:,? “[^”]+”)+)/g;

const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
test.each(cells.map(([, promise = "", holders = ""]) => [promise, holders]))(
  "held by a test: %s",
  (_, holders) => {
    const named = [...holders.matchAll(HOLDERS)];
    expect(named).toHaveLength(holders.split("](").length - 1);
    for (const [, path = "", titles = ""] of named) {
      for (const [, title = ""] of titles.matchAll(/“([^”]+)”/g)) expect(read(path)).toContain(title);
    }
  },
);

test("every promise names its test", () => {
  const promises = read("docs/promises.md")
    .split("\n")
    .filter((line) => /^\| (?!promise|-)/.test(line));
  expect(promises.filter((line) => !rows.includes(line))).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});
