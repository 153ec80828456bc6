// Finds the command and runs it; turns expected failures into a message and an exit code.
import { UsageError, variablesOf } from "../config/index.ts";
import { type Command, type CommandContext, refusePositionals, StartError } from "./command/command.ts";
import { inboxCommand, tokenCommand } from "./commands/admin.ts";
import { checkCommand } from "./commands/check.ts";
import { completionsCommand } from "./commands/completions.ts";
import { assertCommand, waitCommand } from "./commands/expect.ts";
import { exportCommand } from "./commands/export.ts";
import { diffCommand, snapshotCommand } from "./commands/golden.ts";
import { healthCommand } from "./commands/health.ts";
import { findCommand, helpCommand, manCommand } from "./commands/help.ts";
import { importCommand } from "./commands/import.ts";
import { clearCommand, listCommand, openCommand, showCommand } from "./commands/mails.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { report } from "./commands/report.ts";
import { runCommand } from "./commands/run.ts";
import { sendCommand, sendmailCommand } from "./commands/send.ts";
import { serve } from "./commands/serve.ts";
import { reindexCommand, verifyCommand } from "./commands/stopped.ts";
import { COMMIT, VERSION } from "./server/bundle.ts";

export { proxyExceptions } from "./command/hosts.ts";

const versionCommand: Command = {
  name: "version",
  summary: "Print the version and the commit that it was built from",
  usage: "",
  settings: {},
  async run({ args, out }) {
    refusePositionals(args);
    out(`mailkeep ${VERSION} (${COMMIT})\n`);
    return 0;
  },
};

const COMMANDS: readonly Command[] = [
  serve,
  runCommand,
  listCommand,
  showCommand,
  clearCommand,
  openCommand,
  waitCommand,
  assertCommand,
  checkCommand,
  snapshotCommand,
  diffCommand,
  healthCommand,
  inboxCommand,
  tokenCommand,
  mcpCommand,
  sendCommand,
  sendmailCommand,
  importCommand,
  report,
  exportCommand,
  verifyCommand,
  reindexCommand,
  completionsCommand,
  manCommand,
  helpCommand,
  versionCommand,
];

// Finding the command

const HELP_FLAGS = ["--help", "-h"];
const VERSION_FLAGS = ["--version", "-V"];

/** Tells users who typed `mailkeep --smtp-port 1 list` to put the command first. */
function refuseLateCommand(args: readonly string[]): void {
  const isCommand = (word: string) => COMMANDS.some(({ name }) => name === word);
  const late = args.findLast((word, at) => isCommand(word) && !args[at - 1]?.startsWith("-"));
  if (late) throw new UsageError(`put the command before its flags: mailkeep ${late} …`);
}

async function dispatch(context: CommandContext): Promise<number> {
  const [first = "serve", ...rest] = context.args;
  if (HELP_FLAGS.includes(first)) return helpCommand.run({ ...context, args: rest });
  const isFlag = first.startsWith("-");
  const command = findCommand(isFlag ? "serve" : first, COMMANDS);
  const args = isFlag ? context.args : rest;
  const end = args.indexOf("--");
  const ownArgs = end < 0 ? args : args.slice(0, end);
  const isOurs = (flag: string) => flag.startsWith("--") || !command.ownsShortFlags;
  const asksFor = (flags: readonly string[]) => ownArgs.some((arg) => isOurs(arg) && flags.includes(arg));
  if (asksFor(HELP_FLAGS)) return helpCommand.run({ ...context, args: [command.name] });
  if (asksFor(VERSION_FLAGS)) return versionCommand.run({ ...context, args: [] });
  if (isFlag) refuseLateCommand(ownArgs);
  return command.run({ ...context, args });
}

/** Variables of our tests and of install.sh, which may still be set when Mailkeep starts. */
const RESERVED_VARIABLES = [
  "MAILKEEP_BINARY",
  "MAILKEEP_INSTALL_DIR",
  "MAILKEEP_BASE_URL",
  "MAILKEEP_VERSION",
];

const KNOWN_VARIABLES = [...RESERVED_VARIABLES, ...COMMANDS.flatMap(({ settings }) => variablesOf(settings))];

export async function runCli(process: Omit<CommandContext, "commands" | "knownVariables">): Promise<number> {
  const context = { ...process, commands: COMMANDS, knownVariables: KNOWN_VARIABLES };
  try {
    return await dispatch(context);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StartError)) throw error;
    context.err(`mailkeep: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
