// docs/promises.md names a test for each promise: every one of them must exist, by its file and its title.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const rows = read("docs/promises.md")
  .split("\n")
  .filter((line) => line.includes("](../test/"));

test.each(rows.map((row) => row.split("|")[1]?.trim() ?? row))("held by a test: %s", (promise) => {
  const row = rows.find((line) => line.includes(promise)) ?? "";
  const [, path = "", title = ""] = /\]\(\.\.\/(test\/[^)]+)\) “([^”]+)”/.exec(row) ?? [];
  expect(read(path)).toContain(title);
});

test("every promise names its test", () => {
  const promises = read("docs/promises.md")
    .split("\n")
    .filter((line) => /^\| (?!promise|-)/.test(line));
  expect(promises.filter((line) => !rows.includes(line))).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});
