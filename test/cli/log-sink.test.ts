// A log line after a pause is written at once. The lines that follow it are written together, and
// the last ones before the process ends. If lines are lost, their number is logged.
import { afterAll, expect, spyOn, test } from "bun:test";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { createLogSink, type LogSink } from "../../src/cli/command/log-sink.ts";
import { tempFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";

const { path: folder, remove } = tempFolder();
const path = join(folder, "log");
// Removes the time limit of flush(), because readers may be slow on a busy machine.
const patience = spyOn(Bun, "sleep").mockReturnValue(new Promise(() => {}));
afterAll(() => {
  patience.mockRestore();
  remove();
});

test("a line after a pause is written at once, and a burst of lines in order and together", async () => {
  const fd = openSync(path, "w");
  const sink = createLogSink(fd, () => {});
  const lines = () => readFileSync(path, "utf8");
  sink.write("first");
  await until(() => lines() !== "");
  expect(lines()).toBe("first\n");
  for (let n = 0; n < 100; n++) sink.write(`line ${n}`);
  expect(lines()).toBe("first\n");
  await until(() => lines() !== "first\n");
  expect(lines()).toBe(`first\n${Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join("")}`);
  sink.write("last");
  await sink.flush();
  expect(lines().endsWith("line 99\nlast\n")).toBe(true);
  closeSync(fd);
});

function readAvailable(fd: number): string {
  const buffer = Buffer.alloc(100_000);
  try {
    return buffer.toString("latin1", 0, readSync(fd, buffer));
  } catch (error) {
    if (Object(error).code === "EAGAIN") return "";
    throw error;
  }
}

const hasPipes = Bun.which("mkfifo") !== null;

function openPipe(name: string, writing: number) {
  const pipe = join(folder, name);
  Bun.spawnSync(["mkfifo", pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, fd: openSync(pipe, writing) };
}

test.skipIf(!hasPipes)("lines that are being written when the process ends are not lost", async () => {
  const { reader, fd } = openPipe("pipe", constants.O_WRONLY);
  const sink = createLogSink(fd, () => {});
  // More than a pipe holds, so the rest is written when somebody reads.
  const long = "x".repeat(1_000_000);
  sink.write(long);
  await new Promise((resolve) => setImmediate(resolve));
  sink.write("last");
  const flushed = sink.flush();
  let text = "";
  await until(() => {
    text += readAvailable(reader);
    return text.length === long.length + "\nlast\n".length;
  });
  expect(text).toBe(`${long}\nlast\n`);
  await flushed;
  for (const end of [reader, fd]) closeSync(end);
});

test.skipIf(!hasPipes)("the last lines are written whole, even if the pipe is full", async () => {
  const { reader, fd } = openPipe("busy", constants.O_WRONLY | constants.O_NONBLOCK);
  const sink = createLogSink(fd, () => {});
  const long = "x".repeat(1_000_000);
  sink.write(long);
  const flushed = sink.flush();
  let text = "";
  await until(() => {
    text += readAvailable(reader);
    return text.length > long.length;
  });
  expect(text).toBe(`${long}\n`);
  await flushed;
  for (const end of [reader, fd]) closeSync(end);
});

test.skipIf(!hasPipes).each(["goes on", "ends"])(
  "the number of lost lines is logged: the process %s",
  async (what) => {
    const { reader, fd } = openPipe(what, constants.O_WRONLY);
    const sink: LogSink = createLogSink(fd, (lines) => sink.write(`${lines} lost`));
    sink.write("x".repeat(1_000_000));
    await new Promise((resolve) => setImmediate(resolve));
    for (let n = 1; n <= 5000; n++) sink.write(`line ${n}`);
    let hasEnded = false;
    const flushed = what === "ends" ? sink.flush() : null;
    void flushed?.then(() => {
      hasEnded = true;
    });
    let text = "";
    await until(() => {
      const isLast = hasEnded;
      text += readAvailable(reader);
      return isLast || text.endsWith("lost\n");
    });
    expect(text.slice(-30)).toEndWith("line 4096\n904 lost\n");
    await flushed;
    for (const end of [reader, fd]) closeSync(end);
  },
);
