// Reads a command's settings from flags, environment and TOML file.
import { readFileSync } from "node:fs";
import { loadSettings, parseFlags, type Settings, UsageError, type Values } from "../config/index.ts";
import type { CommandContext } from "./command.ts";

function readToml(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read the settings file ${path}: ${(error as Error).message}`);
  }
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`${path} is not valid TOML: ${(error as Error).message}`);
  }
}

export interface CommandInput<Table> {
  readonly settings: Values<Table>;
  readonly positionals: readonly string[];
}

/** Settings that are not among `flags` can be given by variable and file alone. */
export function readInput<const Table extends Settings>(
  table: Table,
  context: CommandContext,
  flags: Settings = table,
): CommandInput<Table> {
  const { given, positionals } = parseFlags(flags, context.args);
  const settings = loadSettings(table, {
    flags: given,
    environment: context.environment,
    otherVariables: context.knownVariables,
    readToml,
  });
  return { settings, positionals };
}

/** For commands that take no arguments besides flags. */
export function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`unexpected argument '${positionals[0]}'`);
}
