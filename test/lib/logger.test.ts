import { describe, expect, test } from "bun:test";
import { createLogger, type LogFormat, type LogLevel } from "../../src/lib/logger.ts";

function logged(format: LogFormat, level: LogLevel = "debug") {
  const lines: string[] = [];
  const now = () => new Date("2026-11-14T10:00:00.123Z");
  return { lines, logger: createLogger({ format, level, now, write: (line) => lines.push(line) }) };
}

describe("a log line", () => {
  test("is one JSON object with time, level, event and fields", () => {
    const { lines, logger } = logged("json");
    logger.info("mail stored", { id: "01J", size: 12, recipients: ["a@x", "b@x"] });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: "2026-11-14T10:00:00.123Z",
        level: "info",
        event: "mail stored",
        id: "01J",
        size: 12,
        recipients: ["a@x", "b@x"],
      },
    ]);
  });

  test("is for people on a terminal", () => {
    const { lines, logger } = logged("text");
    logger.warn("slow disk", { seconds: 2, path: "/tmp/a b" });
    expect(lines).toEqual(['10:00:00.123 warn  slow disk seconds=2 path="/tmp/a b"']);
  });

  test.each(["json", "text"] as const)("stays one %s line whatever a client sends", (format) => {
    const { lines, logger } = logged(format);
    logger.info("mail stored", { sender: "a\r\n12:00:00 info  forged\u2028\u001b[31m" });
    expect(lines[0]).not.toMatch(/[\r\n\u001b]/);
  });

  test("is read from left to right, though a sender may turn the direction", () => {
    const { lines, logger } = logged("text");
    logger.info("mail stored", { sender: "\u202egro.elpmaxe@nna\u061c", size: 1 });
    expect(lines[0]).toEndWith("mail stored sender=\\u202egro.elpmaxe@nna\\u061c size=1");
  });

  test("below the level is not written", () => {
    const { lines, logger } = logged("text", "warn");
    logger.debug("a");
    logger.info("b");
    logger.error("c");
    expect(lines).toHaveLength(1);
  });
});
