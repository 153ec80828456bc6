// `mailkeep run -- command`: a private server in memory for as long as the command runs. The command finds it
// by SMTP_HOST, SMTP_PORT, SMTP_URL and MAILKEEP_URL; its exit code is passed on.
import { existsSync } from "node:fs";
import { connect, type InboxEvent } from "../client/index.ts";
import { checkTogether, type ServeSettings, UsageError } from "../config/index.ts";
import { counted } from "../lib/counted.ts";
import { createLogger } from "../lib/logger.ts";
import { NotExecutableError, runChild } from "./child-process.ts";
import type { Command, CommandContext } from "./command.ts";
import { Capture } from "./inbox/capture.ts";
import { describeCaptured } from "./inbox/captured.ts";
import { makeFolder } from "./inbox/save-mails.ts";
import { loginFor } from "./mail/smtp-target.ts";
import { readInput, unexpectedArgument } from "./read-input.ts";
import { privateSettings, RUN_SETTINGS, type RunOptions } from "./run-settings.ts";
import { type RunningServer, startServer } from "./server/index.ts";

/** As shells have it. */
const NOT_EXECUTABLE = 126;
const COMMAND_NOT_FOUND = 127;
const STOP_GRACE_MS = 1000;

function addressesFor({ smtp, http }: RunningServer, settings: ServeSettings): Record<string, string> {
  const [host = "", port = ""] = smtp.split(/:(?=\d+$)/);
  const login = loginFor(settings);
  return {
    SMTP_HOST: host,
    SMTP_PORT: port,
    SMTP_URL: `smtp://${smtp}`,
    MAILKEEP_URL: http,
    MAILKEEP_SMTP: login
      ? `smtp://${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@${smtp}`
      : smtp,
  };
}

/** Many programs of this kind take a whole line. */
const notFound = (program: string): string =>
  /\s/.test(program)
    ? "command not found; give its words one by one, without quotes around them, or use sh -c"
    : "command not found";

/** Tells what came. Answers with the command's exit code, or 1 when an expectation is not met. */
async function conclude(
  capture: Capture,
  { quiet, expect }: RunOptions,
  exitCode: number,
  err: CommandContext["err"],
): Promise<number> {
  const { mails } = capture;
  if (!quiet) err(describeCaptured(mails));
  const missed = await capture.saved();
  if (missed > 0) err(`mailkeep: ${missed} of them were deleted before they could be saved\n`);
  if (expect === undefined || mails.length === expect) return exitCode;
  err(`mailkeep: expected ${counted(expect, "mail")}, captured ${mails.length}\n`);
  return exitCode || 1;
}

export const runCommand: Command = {
  name: "run",
  summary: "Run a command, such as your tests, with a Mailkeep of its own",
  usage: "[flags] -- command [argument…]",
  details: `  mailkeep run -- npm test

The server listens on free ports, keeps everything in memory and ends
with the command, which finds it by SMTP_HOST, SMTP_PORT, SMTP_URL and
MAILKEEP_URL. The exit code is the command's. What was captured is
printed on standard error at the end. Variables and files with settings
are those of your own server: this one goes by its flags alone.`,
  settings: RUN_SETTINGS,
  async run(context) {
    const { settings, positionals, hasSecret } = readInput(RUN_SETTINGS, context);
    const [name] = positionals;
    if (!context.args.includes("--") || name === undefined) {
      throw new UsageError("run needs a command after --, for example: mailkeep run -- npm test");
    }
    const command = context.args.slice(context.args.indexOf("--") + 1);
    if (positionals.length > command.length) {
      throw new UsageError(`${unexpectedArgument(name, hasSecret)} before --`);
    }
    const serverSettings = privateSettings(settings);
    checkTogether(serverSettings, "--smtp-tls self-signed");
    const now = () => new Date();
    const logger = createLogger({
      level: "warn",
      format: "text",
      write: (line) => context.err(`mailkeep: ${line}\n`),
      now,
    });
    const [program = ""] = command;
    if (Bun.which(program, { PATH: context.environment.PATH ?? "" }) === null) {
      const isThere = program.includes("/") && existsSync(program);
      context.err(`mailkeep: ${program}: ${isThere ? "cannot be executed" : notFound(program)}\n`);
      return isThere ? NOT_EXECUTABLE : COMMAND_NOT_FOUND;
    }
    const { environment } = context;
    if (settings.keep !== undefined) await makeFolder(settings.keep);
    const capture = new Capture(settings.keep);
    const onEvent = (event: InboxEvent) => {
      if (event.type === "message:new") capture.add(event.data, connect({ url: server.http, since: "all" }));
    };
    const server = await startServer(serverSettings, { environment, logger, now, onEvent });
    try {
      const exitCode = await runChild(command, {
        ...environment,
        ...addressesFor(server, serverSettings),
      });
      return await conclude(capture, settings, exitCode, context.err);
    } catch (error) {
      if (!(error instanceof NotExecutableError)) throw error;
      context.err(`mailkeep: ${error.message}\n`);
      return NOT_EXECUTABLE;
    } finally {
      await server.stop(STOP_GRACE_MS);
    }
  },
};
