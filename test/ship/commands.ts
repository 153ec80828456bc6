// A small command line for the tests of completions and manual pages.
import type { Command } from "../../src/cli/command/command.ts";
import { completionsCommand } from "../../src/cli/commands/completions.ts";
import { SERVE_SETTINGS } from "../../src/config/index.ts";

const serve: Command = {
  name: "serve",
  summary: 'Serve: it\'s "all" [here]: SMTP',
  usage: "[flags]",
  settings: SERVE_SETTINGS,
  run: async () => 0,
};

const importFiles: Command = {
  name: "import",
  summary: "Import mail",
  usage: "[flags] FILE…",
  settings: { durability: SERVE_SETTINGS.durability },
  run: async () => 0,
};

const run: Command = {
  name: "run",
  summary: "Run a command",
  usage: "[flags] -- command [argument…]",
  settings: { ephemeral: SERVE_SETTINGS.ephemeral },
  run: async () => 0,
};

const help: Command = {
  name: "help",
  summary: "Show all commands",
  usage: "[command]",
  settings: {},
  run: async () => 0,
};

export const COMMANDS: readonly Command[] = [serve, importFiles, run, completionsCommand, help];
