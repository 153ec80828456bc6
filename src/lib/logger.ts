// Log lines, as text for a person or as JSON. They never contain credentials or bodies.
import { escapeControl } from "./text.ts";
import { isoTime } from "./time.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];
export type LogFormat = "text" | "json";
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly string[]>
>;

export type Logger = Readonly<Record<LogLevel, (event: string, fields?: LogFields) => void>>;

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly write: (line: string) => void;
  readonly now: () => Date;
}

function formatValue(value: LogFields[string]): string {
  if (Array.isArray(value)) return value.map((item) => formatValue(item)).join(",");
  const text = String(value);
  return /^[^\s"=]+$/.test(text) ? escapeControl(text) : `"${escapeControl(text).replaceAll('"', '\\"')}"`;
}

function formatJson(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const head = `{"time":"${time}","level":"${level}","event":${JSON.stringify(event)}`;
  const rest = JSON.stringify(fields).slice(1);
  return rest === "}" ? `${head}}` : `${head},${rest}`;
}

function formatText(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${event}${pairs.join("")}`;
}

export function createLogger({ level, format, write, now }: LoggerOptions): Logger {
  const threshold = LEVELS.indexOf(level);
  const formatLine = format === "json" ? formatJson : formatText;
  const at = (level: LogLevel) => {
    if (LEVELS.indexOf(level) < threshold) return () => {};
    return (event: string, fields: LogFields = {}) =>
      write(formatLine(isoTime(now().getTime()), level, event, fields));
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const ignore = () => {};
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
