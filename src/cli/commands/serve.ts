// `mailkeep serve`: starts the server, says where it listens, and ends it on a signal.
import { checkTogether, fromMailpit, SERVE_SETTINGS } from "../../config/index.ts";
import { createEntryLogger, formatEntry, type LogEntry, type Logger } from "../../lib/logger.ts";
import type { Command, CommandContext } from "../command/command.ts";
import { createLogSink } from "../command/log-sink.ts";
import { readSettings } from "../command/read-input.ts";
import { untilSignal } from "../command/signals.ts";
import { type IndexProgressDisplay, progressOn, showIndexProgress, takesStyle } from "../command/terminal.ts";
import { announceReady } from "../server/announce.ts";
import { startServer } from "../server/server.ts";

const STDOUT = 1;
const PROGRESS_AFTER_MS = 1000;
const STOP_GRACE_MS = 5000;

/** Once the server runs, a bug must not end it: the stack goes to the log. */
function logBugs(logger: Logger): void {
  const log = (error: unknown) =>
    logger.error("unexpected error", { stack: error instanceof Error ? error.stack : String(error) });
  process.on("uncaughtException", log);
  process.on("unhandledRejection", log);
}

/** A start that has to build an index takes its time: a bar on a terminal, log lines otherwise. */
function showStart(logger: Logger, context: CommandContext): IndexProgressDisplay {
  const hasBar = progressOn(context).isTerminal;
  const log = (line: string) => logger.info("building an index", { progress: line.trim() });
  const display = showIndexProgress({
    ...progressOn(context),
    ...(!hasBar && { write: log }),
    afterMs: PROGRESS_AFTER_MS,
  });
  return {
    end: display.end,
    update: (progress) => {
      // The text is indexed while the server serves: a bar would stand in the way of the log.
      if (!hasBar || progress.index === "rows") display.update(progress);
    },
  };
}

export const serve: Command = {
  name: "serve",
  summary: "Catch mail by SMTP; serve it over REST, WebSocket and a web page",
  details: "Exit code: 0 stopped by a signal, 1 it could not start, 2 wrong usage.",
  settings: SERVE_SETTINGS,
  async run(context) {
    const settings = readSettings(SERVE_SETTINGS, context);
    checkTogether(settings);

    const automatic = process.stdout.isTTY ? "text" : "json";
    const format = settings.logFormat === "auto" ? automatic : settings.logFormat;
    const textOf = (line: LogEntry | string) => (typeof line === "string" ? line : formatEntry(line, format));
    const sink = createLogSink(STDOUT, textOf, (count) => logger.warn("log lines lost", { count }));
    const now = () => new Date();
    const logger = createEntryLogger({ level: settings.logLevel, write: sink.write, now });

    if (settings.mailpitEnv) {
      const { without } = fromMailpit(context.environment);
      // Not to the log, which MP_QUIET may have turned off.
      for (const variable of without) context.err(`mailkeep: ${variable} of Mailpit has no equal here\n`);
    }

    // Listening for signals comes first: a signal during a long start ends it, too.
    const stopped = untilSignal();
    const progress = showStart(logger, context);
    const { environment } = context;
    const server = await startServer(settings, {
      environment,
      logger,
      now,
      onIndexProgress: progress.update,
    }).catch(async (error) => {
      // Log lines about the mail appear only once, so they must not be lost.
      await sink.flush();
      throw error;
    });
    progress.end();
    logBugs(logger);
    announceReady(server, { format, isStyled: takesStyle(process.stdout, environment), write: sink.write });
    // On a terminal the block above already says it.
    if (format === "json" && server.isOpenToOthers)
      logger.warn("others on the network can read and delete the mail", {
        advice: "--http-auth sets a password",
      });
    const signal = await stopped;
    logger.info("stopping", { signal });
    let exitCode = 0;
    await server.stop(STOP_GRACE_MS).catch((error) => {
      logger.error("stop failed", { reason: String(error) });
      exitCode = 1;
    });
    logger.info("stopped");
    await sink.flush();
    return exitCode;
  },
};
