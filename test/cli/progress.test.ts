import { describe, expect, test } from "bun:test";
import { startProgress } from "../../src/cli/command/terminal.ts";

function record(isTerminal: boolean, afterMs = 0) {
  let written = "";
  let time = 0;
  const progress = startProgress({
    isTerminal,
    afterMs,
    write: (text) => {
      written += text;
    },
    now: () => time,
  });
  return { progress, written: () => written, pass: (ms: number) => (time += ms) };
}

const visible = (frame: string) => frame.replace(/\x1b\[\?7[lh]/g, "");

describe("progress", () => {
  test("is a line for every tenth if the output is not a terminal", () => {
    const { progress, written } = record(false);
    for (let done = 0; done <= 100; done += 5) progress.update("importing", done, 100, `${done} mails`);
    progress.end();
    const lines = written().trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("importing: 10 %  10 mails");
    expect(lines.at(-1)).toBe("importing: 100 %  100 mails");
  });

  test("is a bar on a terminal that is redrawn ten times a second at most, and removed at the end", () => {
    const { progress, written, pass } = record(true);
    progress.update("importing", 50, 100);
    progress.update("importing", 51, 100);
    pass(100);
    progress.update("importing", 100, 100, "2 mails");
    progress.end();
    const frames = written().split("\r\x1b[K");
    expect(frames.map(visible)).toEqual([
      "",
      `importing   50 % ${"█".repeat(15)}${"░".repeat(15)}`,
      `importing  100 % ${"█".repeat(30)}  2 mails`,
      "",
    ]);
  });

  test("is cut on a narrow terminal, so that no redraw leaves a second line behind", () => {
    const { progress, written } = record(true);
    progress.update("importing", 50, 100, "2 mails");
    expect(written()).toMatch(/^\r\x1b\[K\x1b\[\?7limporting .*2 mails\x1b\[\?7h$/);
  });

  test.each([true, false])("is not shown for a task that is over soon (on a terminal: %p)", (isTerminal) => {
    const { progress, written, pass } = record(isTerminal, 1000);
    for (let done = 0; done < 100; done += 10) {
      progress.update("importing", done, 100);
      pass(99);
    }
    progress.end();
    expect(written()).toBe("");
    pass(100);
    progress.update("importing", 95, 100);
    expect(written()).toContain("95 %");
  });
});
