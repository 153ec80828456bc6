// What a command is, what it gets, and how it reads flags, variables and the TOML file.
import { readFileSync } from "node:fs";
import {
  loadSettings,
  type ParsedFlags,
  parseFlags,
  parseToml,
  type Settings,
  shown,
  UsageError,
  type Values,
} from "../../config/index.ts";
import { systemReason } from "../../lib/system-error.ts";

export interface CommandContext {
  /** What follows the command's name, flags included. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commands: readonly Command[];
  /** The MAILKEEP_ variables of all commands, and reserved ones. */
  readonly knownVariables: readonly string[];
  /** Reads standard input to its end. */
  readonly input: () => Promise<Uint8Array>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows `mailkeep <name>`, for example `[flags] FILE…`; by default `[flags]`. */
  readonly usage?: string;
  /** Further paragraphs of `mailkeep help <name>`. */
  readonly details?: string;
  readonly settings: Settings;
  /** The command has its own -h and -V, as sendmail does. */
  readonly ownsShortFlags?: true;
  /** Returns the exit code. A UsageError is printed without a stack, with exit code 2. */
  run(context: CommandContext): Promise<number>;
}

/** A failure that needs no stack: one line on stderr, exit code 1. */
export class StartError extends Error {
  override readonly name = "StartError";
}

function readToml(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read the settings file ${path}: ${systemReason(error)}`);
  }
  return parseToml(text, path);
}

export interface CommandInput<Table> extends ParsedFlags {
  readonly settings: Values<Table>;
}

/** Settings of the table that are not in `flags` come only from variables and the file. */
export function readInput<const Table extends Settings>(
  table: Table,
  context: CommandContext,
  flags: Settings = table,
): CommandInput<Table> {
  const parsed = parseFlags(flags, context.args);
  const settings = loadSettings(table, {
    flags: parsed.given,
    environment: context.environment,
    otherVariables: context.knownVariables,
    readToml,
  });
  return { ...parsed, settings };
}

/** For commands without positional arguments. */
export function readSettings<const Table extends Settings>(
  table: Table,
  context: CommandContext,
  flags: Settings = table,
): Values<Table> {
  const { settings, positionals } = readInput(table, context, flags);
  refusePositionals(positionals);
  return settings;
}

export const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };

export function refusePositionals([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError(`unexpected argument ${shown(first)}`);
}
