// `mailkeep run -- command`: a private server in memory for as long as the command runs. The command finds it
// by SMTP_HOST, SMTP_PORT, SMTP_URL and MAILKEEP_URL; its exit code is passed on.
import { constants } from "node:os";
import { connect, type Inbox } from "../client/index.ts";
import { kinds, loadSettings, SERVE_SETTINGS, UsageError, under, type Values } from "../config/index.ts";
import { createLogger } from "../lib/logger.ts";
import type { Command, CommandContext } from "./command.ts";
import { describeCaptured } from "./inbox/captured.ts";
import { saveMails } from "./inbox/save-mails.ts";
import { readInput } from "./read-input.ts";
import { type RunningServer, startServer } from "./server.ts";

const COMMAND_NOT_FOUND = 127;
const ENDED_BY_SIGNAL = 128;
const STOP_GRACE_MS = 1000;
const FORWARDED: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

const flags = under("Run", { flagOnly: true });
const SETTINGS = {
  quiet: flags.toggle("Do not print what was captured"),
  keep: flags.optional(kinds.path, "Save the captured mails as .eml files in this folder"),
  expect: flags.optional(kinds.integer(0), "Fail unless exactly this many mails were captured"),
};

/** Nothing of the person's own server is used: not its ports, not its folder, not its limits. */
function privateSettings() {
  const sources = { flags: new Map(), environment: {}, otherVariables: [], readToml: () => ({}) };
  return { ...loadSettings(SERVE_SETTINGS, sources), smtpPort: 0, httpPort: 0, ephemeral: true };
}

function addressesFor({ smtp, http }: RunningServer): Record<string, string> {
  const [host = "", port = ""] = smtp.split(/:(?=\d+$)/);
  return {
    SMTP_HOST: host,
    SMTP_PORT: port,
    SMTP_URL: `smtp://${smtp}`,
    MAILKEEP_URL: http,
    MAILKEEP_SMTP: smtp,
  };
}

/** Passes signals on and answers with the exit code as a shell would give it. */
async function runChild(
  command: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const child = Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] });
  const forward = (signal: NodeJS.Signals) => {
    // Ctrl+C on a terminal reaches the command without us: it belongs to the same group.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  const code = await child.exited;
  for (const signal of FORWARDED) process.off(signal, forward);
  const { signalCode } = child;
  return typeof signalCode === "string" ? ENDED_BY_SIGNAL + constants.signals[signalCode] : code;
}

/** What the command left behind. Answers with its exit code, or 1 when an expectation is not met. */
async function conclude(
  inbox: Inbox,
  { quiet, keep, expect }: Values<typeof SETTINGS>,
  exitCode: number,
  err: CommandContext["err"],
): Promise<number> {
  const captured = await inbox.list();
  if (!quiet) err(describeCaptured(captured));
  if (keep !== undefined) await saveMails(inbox, captured, keep);
  if (expect === undefined || captured.length === expect) return exitCode;
  err(`mailkeep: expected ${expect === 1 ? "1 mail" : `${expect} mails`}, captured ${captured.length}\n`);
  return exitCode || 1;
}

export const runCommand: Command = {
  name: "run",
  summary: "Run a command, such as your tests, with a private Mailkeep of its own",
  usage: "[flags] -- command [argument…]",
  details: `  mailkeep run -- npm test

The server listens on free ports, keeps everything in memory and ends with the command, which finds it by
SMTP_HOST, SMTP_PORT, SMTP_URL and MAILKEEP_URL. The exit code is the command's. What was captured is
printed on standard error at the end.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    const [name] = positionals;
    if (!context.args.includes("--") || name === undefined) {
      throw new UsageError("run needs a command after --, for example: mailkeep run -- npm test");
    }
    const command = context.args.slice(context.args.indexOf("--") + 1);
    if (positionals.length > command.length) throw new UsageError(`unexpected argument '${name}' before --`);
    const now = () => new Date();
    const logger = createLogger({
      level: "warn",
      format: "text",
      write: (line) => context.err(`mailkeep: ${line}\n`),
      now,
    });
    if (Bun.which(command[0] ?? "", { PATH: context.environment.PATH ?? "" }) === null) {
      context.err(`mailkeep: ${command[0]}: command not found\n`);
      return COMMAND_NOT_FOUND;
    }
    const { environment } = context;
    const server = await startServer(privateSettings(), { environment, logger, now });
    try {
      const exitCode = await runChild(command, { ...environment, ...addressesFor(server) });
      return await conclude(connect(server.http), settings, exitCode, context.err);
    } finally {
      await server.stop(STOP_GRACE_MS);
    }
  },
};
