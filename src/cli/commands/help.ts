// `mailkeep help` and `mailkeep man`: texts made from the commands and their settings.
import { settingsHelp, shown, suggest, UsageError } from "../../config/index.ts";
import { type Command, readSettings, refusePositionals } from "../command/command.ts";
import { VERSION } from "../server/bundle.ts";

export function findCommand(name: string, commands: readonly Command[]): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return command;
  const names = commands.map((candidate) => candidate.name);
  const hint = suggest(name, names, (found) => `'${found}'`, "'mailkeep help'");
  throw new UsageError(`unknown command ${shown(name)}; ${hint}`);
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Mailkeep: every mail your code sends, kept.

Usage: mailkeep [command] [flags]

Without a command it starts the server: SMTP on 127.0.0.1:1025, web page and
API on http://127.0.0.1:8025.

Commands:
${lines.join("\n")}

'mailkeep help <command>' shows its flags, 'mailkeep --version' the version.
`;
}

const SOURCES = `Every flag is also an environment variable (--smtp-port is MAILKEEP_SMTP_PORT)
and a key of the --config file (smtp-port = 1025). A flag wins over a variable,
a variable over the file.`;

function commandHelp({ name, summary, usage = "[flags]", details, settings }: Command): string {
  const paragraphs = [
    `${summary}.`,
    `Usage: ${`mailkeep ${name} ${usage}`.trim()}`,
    details,
    settingsHelp(settings),
    name === "serve" && SOURCES,
  ];
  return `${paragraphs.filter(Boolean).join("\n\n")}\n`;
}

export const helpCommand: Command = {
  name: "help",
  summary: "Show all commands, or the flags of one",
  usage: "[command]",
  settings: {},
  async run({ args, commands, out }) {
    const [topic, ...rest] = args;
    refusePositionals(rest);
    out(topic === undefined ? overview(commands) : commandHelp(findCommand(topic, commands)));
    return 0;
  },
};

const roff = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");

/** A help text as it is: its lines fill the width of a terminal. */
const literal = (text: string) => [".in 0", ".nf", roff(text.trimEnd()), ".fi", ".in"];

export function manPage(commands: readonly Command[]): string {
  const lines = [
    `.TH MAILKEEP 1 "" "mailkeep ${roff(VERSION)}" "User Commands"`,
    ".SH NAME",
    "mailkeep \\- every mail your code sends, kept",
    ".SH DESCRIPTION",
    ...literal(overview(commands)),
    ".SH COMMANDS",
    ...commands.flatMap((command) => [`.SS "mailkeep ${command.name}"`, ...literal(commandHelp(command))]),
    ".SH FILES",
    roff(
      "Without --data-dir, mail is kept in $XDG_DATA_HOME/mailkeep (~/.local/share/mailkeep), on macOS in ~/Library/Application Support/mailkeep, on Windows in %LOCALAPPDATA%\\mailkeep.",
    ),
    ".SH SEE ALSO",
    roff("https://github.com/mailkeep/mailkeep"),
  ];
  return `${lines.join("\n")}\n`;
}

export const manCommand: Command = {
  name: "man",
  summary: "Print the manual page (mailkeep man | man -l -)",
  usage: "",
  settings: {},
  async run(context) {
    readSettings({}, context);
    context.out(manPage(context.commands));
    return 0;
  },
};
