// Reads a command's settings from flags, environment and TOML file.
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
import type { CommandContext } from "./command.ts";

function readToml(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read the settings file ${path}: ${systemReason(error)}`);
  }
  return parseToml(text, path);
}

export interface CommandInput<Table> extends Pick<ParsedFlags, "given" | "positionals" | "hasSecret"> {
  readonly settings: Values<Table>;
}

/** Settings that are not among `flags` can be given by variable and file alone. */
export function readInput<const Table extends Settings>(
  table: Table,
  context: CommandContext,
  flags: Settings = table,
): CommandInput<Table> {
  const { given, positionals, hasSecret } = parseFlags(flags, context.args);
  const settings = loadSettings(table, {
    flags: given,
    environment: context.environment,
    otherVariables: context.knownVariables,
    readToml,
  });
  return { settings, given, positionals, hasSecret };
}

/** For commands that take no arguments besides flags. */
export function readSettings<const Table extends Settings>(
  table: Table,
  context: CommandContext,
  flags: Settings = table,
): Values<Table> {
  const { settings, positionals, hasSecret } = readInput(table, context, flags);
  refusePositionals(positionals, hasSecret);
  return settings;
}

export function refusePositionals([first]: readonly string[], hasSecret = false): void {
  if (first !== undefined) throw new UsageError(unexpectedArgument(first, hasSecret));
}

export const unexpectedArgument = (argument: string, hasSecret: boolean): string =>
  hasSecret
    ? "unexpected argument, not shown because it may belong to a password: quote a value that has a space"
    : `unexpected argument ${shown(argument)}`;
