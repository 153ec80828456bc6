// Log lines on their way out: the first at once, those that follow together.
import { afterEach, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogSink } from "../../src/cli/log-sink.ts";

const folder = mkdtempSync(join(tmpdir(), "mailkeep-log-"));
const path = join(folder, "log");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
}

test("a line after a silence is written at once, a burst of them in order and together", async () => {
  const fd = openSync(path, "w");
  const sink = createLogSink(fd, String, () => {});
  const lines = () => readFileSync(path, "utf8");
  sink.write("first");
  await until(() => lines() !== "");
  expect(lines()).toBe("first\n");
  for (let n = 0; n < 100; n++) sink.write(`line ${n}`);
  expect(lines()).toBe("first\n");
  await until(() => lines() !== "first\n");
  expect(lines()).toBe(`first\n${Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join("")}`);
  sink.write("last");
  sink.flush();
  expect(lines().endsWith("line 99\nlast\n")).toBe(true);
  closeSync(fd);
});
