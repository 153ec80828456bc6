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

export interface EntryLoggerOptions extends Omit<LoggerOptions, "format" | "write"> {
  readonly write: (entry: LogEntry) => void;
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

export interface LogEntry {
  readonly ms: number;
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

export function formatEntry({ ms, level, event, fields }: LogEntry, format: LogFormat): string {
  const formatLine = format === "json" ? formatJson : formatText;
  return formatLine(isoTime(ms), level, event, fields);
}

export function createLogger({ level, format, write, now }: LoggerOptions): Logger {
  return createEntryLogger({ level, now, write: (entry) => write(formatEntry(entry, format)) });
}

/** Leaves the formatting to `write`, because formatting many entries together takes half the time. */
export function createEntryLogger({ level, write, now }: EntryLoggerOptions): Logger {
  const threshold = LEVELS.indexOf(level);
  const at = (level: LogLevel) => {
    if (LEVELS.indexOf(level) < threshold) return () => {};
    return (event: string, fields: LogFields = {}) => write({ ms: now().getTime(), level, event, fields });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const ignore = () => {};
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
