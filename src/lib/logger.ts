// Log lines: human-readable on a terminal, JSON lines otherwise. Never a credential, never a body.
import { isoTime } from "./iso-time.ts";
import { jsonText } from "./json-text.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];
export type LogFormat = "text" | "json";
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly string[]>
>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly write: (line: string) => void;
  readonly now: () => Date;
}

const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;
const escapeControl = (text: string) =>
  text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

function formatValue(value: LogFields[string]): string {
  if (Array.isArray(value)) return value.map((item) => formatValue(item)).join(",");
  const text = String(value);
  return /^[^\s"=]+$/.test(text) ? escapeControl(text) : `"${escapeControl(text).replaceAll('"', '\\"')}"`;
}

function formatJson(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const head = `{"time":"${time}","level":"${level}","event":${JSON.stringify(event)}`;
  let line = head;
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) line += `,"${name}":${jsonValue(value)}`;
  }
  return `${line}}`;
}

/** What most lines have is put together by hand: one is written for every mail. */
function jsonValue(value: Exclude<LogFields[string], undefined>): string {
  if (typeof value === "string") return jsonText(value);
  return Number.isSafeInteger(value) ? `${value}` : JSON.stringify(value);
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
  const at = (lineLevel: LogLevel) => {
    if (LEVELS.indexOf(lineLevel) < threshold) return () => {};
    return (event: string, fields: LogFields = {}) =>
      write(formatLine(isoTime(now().getTime()), lineLevel, event, fields));
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export const silentLogger: Logger = createLogger({
  level: "error",
  format: "json",
  write: () => {},
  now: () => new Date(0),
});
