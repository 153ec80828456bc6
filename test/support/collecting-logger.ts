import { createLogger, type LogLevel } from "../../src/lib/logger.ts";

export interface LogLine {
  readonly event: string;
  readonly [field: string]: unknown;
}

export function collectingLogger(level: LogLevel) {
  const lines: LogLine[] = [];
  const events: string[] = [];
  let wake = () => {};
  const write = (text: string) => {
    const line: LogLine = JSON.parse(text);
    lines.push(line);
    events.push(line.event);
    wake();
  };
  /** Waits for the first line of this event. */
  const seen = async (event: string): Promise<LogLine> => {
    for (;;) {
      const line = lines.find((one) => one.event === event);
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const logger = createLogger({ level, format: "json", write, now: () => new Date(0) });
  return { logger, lines, events, seen };
}
