// `mailkeep serve`: starts the server, says where it listens, and ends it on a signal.
import { checkTogether, fromMailpit, SERVE_SETTINGS } from "../../config/index.ts";
import { createLogger, type LogFormat, type Logger } from "../../lib/logger.ts";
import { type Command, readSettings } from "../command/command.ts";
import { createLogSink } from "../command/log-sink.ts";
import { untilSignal } from "../command/signals.ts";
import { showIndexProgress, startProgress, takesStyle } from "../command/terminal.ts";
import { VERSION } from "../server/bundle.ts";
import { type RunningServer, startServer } from "../server/server.ts";

const STDOUT = 1;
const PROGRESS_AFTER_MS = 1000;
const STOP_GRACE_MS = 5000;

/** Once the server runs, a bug must not end it. The error's stack goes to the log. */
function logBugs(logger: Logger): void {
  const log = (error: unknown) =>
    logger.error("unexpected error", { stack: error instanceof Error ? error.stack : String(error) });
  process.on("uncaughtException", log);
  process.on("unhandledRejection", log);
}

/** Logs the progress of building an index. A bar would disturb the log of arriving mail. */
const progressInLog = (logger: Logger) =>
  startProgress({
    isTerminal: false,
    write: (line) => logger.info("building an index", { progress: line.trim() }),
    now: () => performance.now(),
    afterMs: PROGRESS_AFTER_MS,
  });

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
    const sink = createLogSink(STDOUT, (count) => logger.warn("log lines lost", { count }));
    const now = () => new Date();
    const logger = createLogger({ level: settings.logLevel, format, write: sink.write, now });

    if (settings.mailpitEnv) {
      const { without } = fromMailpit(context.environment);
      // Printed and not logged, because MP_QUIET hides warnings in the log.
      for (const variable of without) context.err(`mailkeep: ${variable} has no equivalent in Mailkeep\n`);
    }

    // Called before the start: a signal during the start stops the server as soon as it runs.
    const stopped = untilSignal();
    const { environment } = context;
    const server = await startServer(settings, {
      environment,
      logger,
      now,
      onIndexProgress: showIndexProgress(progressInLog(logger)),
    }).catch(async (error) => {
      // A log line may report damaged mail, which the next start does not report again.
      await sink.flush();
      throw error;
    });
    logBugs(logger);
    sink.write(announcement(server, format, takesStyle(process.stdout, environment)));
    // In text format the announcement contains this warning.
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

type Addresses = Omit<RunningServer, "stop">;

/** A wildcard address is only for listening. */
const sendTo = (address: string) =>
  address.replace(/^0\.0\.0\.0(?=:)/, "127.0.0.1").replace("[::]", "localhost");

const OPEN_TO_OTHERS =
  "  Warning  anybody on the network can read and delete the mail; --http-auth sets a password";

function block(
  { smtp, smtps, page, mailpit, mailhog, storedIn, isOpenToOthers }: Addresses,
  isStyled: boolean,
): string {
  const bold = (text: string) => (isStyled ? `\x1b[1m${text}\x1b[0m` : text);
  const lines = [
    `${bold("Mailkeep")} ${VERSION} keeps every mail your code sends.`,
    "",
    `  Open     ${bold(page)}`,
    `  Send to  ${bold(sendTo(smtp))} (SMTP)${smtps ? `, ${bold(sendTo(smtps))} (SMTPS)` : ""}`,
    ...(mailpit ? [`  Mailpit  ${bold(mailpit)} (its API)`] : []),
    ...(mailhog ? [`  MailHog  ${bold(mailhog)} (its API)`] : []),
    ...(isOpenToOthers ? [OPEN_TO_OTHERS] : []),
    `  Stored   ${storedIn ?? "in memory, gone when Mailkeep stops"}`,
    "",
    "  Ctrl+C stops it.",
  ];
  return `\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
}

/** Says where Mailkeep listens: one JSON line for programs, a short block for people. */
export function announcement(addresses: Addresses, format: LogFormat, isStyled: boolean): string {
  if (format !== "json") return block(addresses, isStyled);
  const { smtp, smtps, http, mailpit, mailhog } = addresses;
  const other = smtps && { smtps };
  return JSON.stringify({ event: "ready", smtp, http, ...other, mailpit, mailhog, version: VERSION });
}
