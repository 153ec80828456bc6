// `mailkeep run -- command`: runs a command with a private server in memory or, if MAILKEEP_URL
// names a server, with a new inbox there.
import { existsSync } from "node:fs";
import { connect, type Inbox, type MessageSummary } from "../../client/index.ts";
import {
  checkTogether,
  kinds,
  loadSettings,
  SERVE_SETTINGS,
  type ServeSettings,
  type Setting,
  UsageError,
  under,
  type Values,
  webUrl,
} from "../../config/index.ts";
import { counted } from "../../lib/text.ts";
import { baseLetters } from "../../query/index.ts";
import { type Command, type CommandContext, readInput, refusePositionals } from "../command/command.ts";
import { END_SIGNALS, exitCodeOf } from "../command/signals.ts";
import { fit } from "../command/terminal.ts";
import { loginFor } from "../mail/smtp-target.ts";
import { addressCells, inColumns } from "../remote/mail-table.ts";
import { makeFolder, saveMails } from "../remote/save.ts";
import { reportFailure } from "../remote/verdict.ts";
import { warningLogger } from "../server/bundle.ts";
import { startServer } from "../server/server.ts";

/** The exit codes of shells. */
const NOT_EXECUTABLE = 126;
const COMMAND_NOT_FOUND = 127;
const STOP_GRACE_MS = 1000;
const SHARED_EXPIRES = "1d";

// Settings of `mailkeep run` itself, and those of its private server that tests may want to change

function asFlag<One extends Setting>(setting: One): One {
  return { ...setting, flagOnly: true };
}

const flags = under("Run", { flagOnly: true });
const OWN_SETTINGS = {
  quiet: flags.toggle("Print neither the addresses nor the captured mails"),
  keep: flags.optional(
    kinds.path,
    "Save the captured mails in this folder, as 0001-welcome-ann.eml; replaces files of these names",
  ),
  expect: flags.optional(kinds.integer(0), "Fail unless exactly this many mails were captured"),
};

/** Free ports by default: the user's own server may have the usual ports. */
function asFreePort(setting: Setting<number, number>): Setting<number, number> {
  return { ...asFlag(setting), default: 0, shownDefault: "a free one" };
}

/** Settings of the private server. Flags only: variables belong to the user's own server. */
const SERVER_SETTINGS = {
  smtpPort: asFreePort(SERVE_SETTINGS.smtpPort),
  httpPort: asFreePort(SERVE_SETTINGS.httpPort),
  maxMessageSize: asFlag(SERVE_SETTINGS.maxMessageSize),
  maxRecipients: asFlag(SERVE_SETTINGS.maxRecipients),
  tagPlusAddresses: asFlag(SERVE_SETTINGS.tagPlusAddresses),
  fault: asFlag(SERVE_SETTINGS.fault),
  faultAddresses: asFlag(SERVE_SETTINGS.faultAddresses),
  tagHeader: asFlag(SERVE_SETTINGS.tagHeader),
  smtpTls: asFlag(SERVE_SETTINGS.smtpTls),
  smtpTlsRequired: asFlag(SERVE_SETTINGS.smtpTlsRequired),
  smtpAuth: asFlag(SERVE_SETTINGS.smtpAuth),
  smtpAuthRequired: asFlag(SERVE_SETTINGS.smtpAuthRequired),
};

const RUN_SETTINGS = { ...OWN_SETTINGS, ...SERVER_SETTINGS };

/** Ignores all settings of the user's own server, such as its ports, folder and limits. */
function privateSettings(settings: Values<typeof RUN_SETTINGS>): ServeSettings {
  const { quiet, keep, expect, ...given } = settings;
  const sources = { flags: new Map(), environment: {}, otherVariables: [], readToml: () => ({}) };
  const defaults = loadSettings(SERVE_SETTINGS, sources);
  return { ...defaults, ...given, ephemeral: true };
}

// The command uses our terminal and gets our signals

/** Passes signals on. Returns the exit code as shells do, or null if the command did not start. */
async function runChild(
  command: readonly string[],
  env: Record<string, string | undefined>,
  err: CommandContext["err"],
): Promise<number | null> {
  let child: Bun.Subprocess | null = null;
  const forward = (signal: NodeJS.Signals) => {
    // On a terminal, Ctrl+C reaches the command directly: it is in our process group.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child?.kill(signal);
  };
  // Listens before the command starts: else a signal could end this process and not the command.
  for (const signal of END_SIGNALS) process.on(signal, forward);
  try {
    child = Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] });
  } catch {
    err(
      `mailkeep: ${command[0]}: cannot be executed: not a program for this machine, or its interpreter is missing\n`,
    );
    return null;
  }
  const code = await child.exited;
  for (const signal of END_SIGNALS) process.off(signal, forward);
  return typeof child.signalCode === "string" ? exitCodeOf(child.signalCode) : code;
}

// The captured mail

const MAX_SLUG_CHARS = 40;

const slug = (text: string) =>
  [...baseLetters(text).replace(/[^\p{L}\p{N}]+/gu, "-")]
    .slice(0, MAX_SLUG_CHARS)
    .join("")
    .replace(/^-|-$/g, "");

/** `0001-welcome-ann`: the place in the order of arrival, the subject, the first recipient. */
export function keptName(number: number, { subject, recipients: [first = ""] }: MessageSummary): string {
  const [mailbox = ""] = first.split("@");
  return [String(number).padStart(4, "0"), slug(subject), slug(mailbox)].filter(Boolean).join("-");
}

/** Collects all mail that arrives during a run, in order, including mail that the tests delete. */
async function startCapture(inbox: Inbox, folder: string | undefined) {
  const mails: MessageSummary[] = [];
  let saved = Promise.resolve(0);
  const add = (mail: MessageSummary) => {
    if (mails.some(({ id }) => id === mail.id)) return;
    mails.push(mail);
    if (folder === undefined) return;
    const name = keptName(mails.length, mail);
    saved = saved.then(async (count) => count + (await saveMails(inbox, [mail], folder, () => name)));
    // Until `missed` reports the error, this keeps the rejection from counting as unhandled.
    saved.catch(() => {});
  };
  const subscription = await inbox.subscribe((event) => {
    if (event.type === "message:new") add(event.data);
  });
  return {
    mails,
    /** Lists the mails once more, because the last events may still be on their way. */
    async finish(): Promise<void> {
      for (const mail of (await inbox.list()).reverse()) add(mail);
      subscription.close();
    },
    /** Waits until all mails are saved. Returns how many were deleted before they were saved. */
    missed: async (): Promise<number> => (folder === undefined ? 0 : mails.length - (await saved)),
  };
}

const ROWS_SHOWN = 20;
const ADDRESS_WIDTH = 32;
const SUBJECT_WIDTH = 60;

export function describeCaptured(mails: readonly MessageSummary[]): string {
  if (mails.length === 0) return "mailkeep: no mail was captured\n";
  const rows = mails.slice(0, ROWS_SHOWN).map((mail) => {
    const { from, to } = addressCells(mail, ADDRESS_WIDTH);
    return [to, from, fit(mail.subject, SUBJECT_WIDTH)];
  });
  const lines = inColumns([["to", "from", "subject"], ...rows]).map((line) => `  ${line}`);
  const more = mails.length > ROWS_SHOWN ? [`  … and ${mails.length - ROWS_SHOWN} more`] : [];
  const title = `mailkeep: ${mails.length === 1 ? "1 mail was" : `${mails.length} mails were`} captured`;
  return `${[title, ...lines, ...more].join("\n")}\n`;
}

// Where the mail goes

interface RunMailbox {
  readonly inbox: Inbox;
  readonly variables: Record<string, string>;
  readonly description: string;
  close(): Promise<void>;
}

async function openPrivate(
  settings: ServeSettings,
  { environment, err }: CommandContext,
): Promise<RunMailbox> {
  const now = () => new Date();
  const logger = warningLogger(err, now);
  const { smtp, http, stop } = await startServer(settings, { environment, logger, now });
  const [host = "", port = ""] = smtp.split(/:(?=\d+$)/);
  const login = loginFor(settings);
  return {
    inbox: connect({ url: http, token: null, since: "all" }),
    variables: {
      SMTP_HOST: host,
      SMTP_PORT: port,
      SMTP_URL: `smtp://${smtp}`,
      MAILKEEP_URL: http,
      // The private server would refuse a token of another server.
      MAILKEEP_TOKEN: "",
      MAILKEEP_SMTP: login
        ? `smtp://${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@${smtp}`
        : smtp,
    },
    description: `SMTP on ${smtp}, page and API on ${http}`,
    close: () => stop(STOP_GRACE_MS),
  };
}

async function openShared(given: string): Promise<RunMailbox> {
  const url = webUrl.parse(given);
  if (url === undefined)
    throw new UsageError("MAILKEEP_URL must be an address such as http://127.0.0.1:8025, or empty");
  // The inbox expires by itself if this process is killed.
  const name = `run-${crypto.randomUUID()}`;
  const inbox = await connect({ url, since: "all" }).createInbox({ name, expires: SHARED_EXPIRES });
  const { smtp, address } = inbox;
  return {
    inbox,
    variables: {
      SMTP_HOST: smtp.host,
      SMTP_PORT: String(smtp.port),
      SMTP_USER: smtp.username,
      SMTP_PASSWORD: smtp.password,
      SMTP_URL: smtp.url,
      MAILKEEP_SMTP: smtp.url,
      MAILKEEP_URL: inbox.url,
      MAILKEEP_TOKEN: inbox.token,
    },
    description: `inbox ${name} at ${inbox.url}: gets mail to ${address}, and mail sent with the login in SMTP_URL`,
    close: () => inbox.remove(),
  };
}

// The run

/** A flag such as --smtp-port asks for a private server, even if MAILKEEP_URL is set. */
const wantsOwnServer = (given: ReadonlyMap<string, unknown>): boolean =>
  Object.keys(SERVER_SETTINGS).some((name) => given.has(name));

/** Similar programs take the command as one string, so the user may have quoted all of it. */
const notFound = (program: string): string =>
  /\s/.test(program)
    ? "command not found; do not put quotes around the whole command, or use sh -c"
    : "command not found";

/** Prints the captured mails. Returns the command's exit code; 1 if it is 0 and --expect fails. */
async function conclude(
  capture: Awaited<ReturnType<typeof startCapture>>,
  { quiet, expect }: Values<typeof OWN_SETTINGS>,
  exitCode: number,
  err: CommandContext["err"],
): Promise<number> {
  const { mails } = capture;
  if (!quiet) err(describeCaptured(mails));
  const missed = await capture.missed();
  if (missed > 0)
    err(`mailkeep: ${counted(missed, "mail")} could not be saved because the tests deleted them\n`);
  if (expect === undefined || mails.length === expect) return exitCode;
  err(`mailkeep: expected ${counted(expect, "mail")}, captured ${mails.length}\n`);
  return exitCode || 1;
}

export const runCommand: Command = {
  name: "run",
  summary: "Run a command, such as your tests, with its own Mailkeep",
  usage: "[flags] -- command [argument…]",
  details: `  mailkeep run -- npm test

Starts a server on free ports, unless you give some, and prints its
addresses. It keeps everything in memory and stops when the command ends.
The command finds it through SMTP_HOST, SMTP_PORT, SMTP_URL and
MAILKEEP_URL. At the end the captured mails are listed on standard error.
The exit code is the command's; if that is 0 and --expect fails, it is 1.
The variables and the settings file of 'mailkeep serve' do not apply, but
an unknown MAILKEEP_ variable is an error.

If MAILKEEP_URL names a server, and no flag for a private server is given,
the command gets its own inbox on that server, with a login in SMTP_USER
and SMTP_PASSWORD. The inbox is removed at the end. Only an admin may
create inboxes. If the server does not answer or refuses, the exit code
is 3.`,
  settings: RUN_SETTINGS,
  async run(context) {
    const command = context.args.includes("--") ? context.args.slice(context.args.indexOf("--") + 1) : [];
    const [program] = command;
    // Checked before the flags: without `--`, the command's flags would be taken for ours.
    if (program === undefined) {
      throw new UsageError("run needs a command after --, for example: mailkeep run -- npm test");
    }
    const { settings, given, positionals } = readInput(RUN_SETTINGS, context);
    refusePositionals(positionals.slice(0, -command.length));
    const serverSettings = privateSettings(settings);
    checkTogether(serverSettings, "--smtp-tls self-signed");
    const { environment, err } = context;
    if (Bun.which(program, { PATH: environment.PATH ?? "" }) === null) {
      const isThere = program.includes("/") && existsSync(program);
      err(`mailkeep: ${program}: ${isThere ? "cannot be executed" : notFound(program)}\n`);
      return isThere ? NOT_EXECUTABLE : COMMAND_NOT_FOUND;
    }
    if (settings.keep !== undefined) await makeFolder(settings.keep);
    const { MAILKEEP_URL: url } = environment;
    const isShared = url && !wantsOwnServer(given);
    /** Only prints a failure: the exit code of the command counts, even if the server is gone. */
    const orWarn = (work: () => Promise<void>) => reportFailure(err, () => work().then(() => 0));
    return reportFailure(err, async () => {
      const mailbox = isShared ? await openShared(url) : await openPrivate(serverSettings, context);
      try {
        const capture = await startCapture(mailbox.inbox, settings.keep);
        if (!settings.quiet) err(`mailkeep: ${mailbox.description}\n`);
        const exitCode = await runChild(command, { ...environment, ...mailbox.variables }, err);
        if (exitCode === null) return NOT_EXECUTABLE;
        await orWarn(capture.finish);
        return await conclude(capture, settings, exitCode, err);
      } finally {
        await orWarn(mailbox.close);
      }
    });
  },
};
