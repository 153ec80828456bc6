// `mailkeep man`: prints the manual page as roff, made from the commands and settings.
import { flagUsage, type Settings, showDefault } from "../../config/index.ts";
import { type Command, readSettings } from "../command/command.ts";
import { VERSION } from "../server/bundle.ts";

function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
}

const bold = (text: string) => `\\fB${roff(text)}\\fR`;

function flagEntries(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, setting]) => {
    const shown = showDefault(setting);
    const notes = [setting.kind.list && "Repeatable.", shown && `Default: ${shown}.`].filter(Boolean);
    return [".TP", bold(flagUsage(name, setting)), roff([`${setting.help}.`, ...notes].join(" "))];
  });
}

function commandSection({ name, summary, usage = "[flags]", details, settings }: Command): string[] {
  return [
    `.SS "mailkeep ${roff(`${name} ${usage}`.trim())}"`,
    `${roff(summary)}.`,
    ...(details ? [".PP", ".nf", roff(details), ".fi"] : []),
    ...flagEntries(settings),
  ];
}

export function manPage(commands: readonly Command[]): string {
  const lines = [
    `.TH MAILKEEP 1 "" "mailkeep ${roff(VERSION)}" "User Commands"`,
    ".SH NAME",
    "mailkeep \\- every mail your code sends, kept",
    ".SH SYNOPSIS",
    `${bold("mailkeep")} [\\fIcommand\\fR] [\\fIflags\\fR]`,
    ".SH DESCRIPTION",
    roff(
      "A mail catcher in one executable: it accepts any mail by SMTP, keeps it, and shows it over REST, WebSocket and a web page. Without a command it starts the server: SMTP on 127.0.0.1:1025, web page and API on http://127.0.0.1:8025.",
    ),
    ".SH COMMANDS",
    ...commands.flatMap(commandSection),
    ".SH ENVIRONMENT",
    "Every setting of a server is also an environment variable:",
    `${bold("--smtp-port")} is ${bold("MAILKEEP_SMTP_PORT")}. A flag wins over a variable,`,
    `a variable over the file given by ${bold("--config")}. An unknown variable that begins with MAILKEEP_ is an error.`,
    ".SH FILES",
    `The TOML file given by ${bold("--config")} has keys named like the flags, without the dashes in front. Mail is kept in`,
    roff(
      "$XDG_DATA_HOME/mailkeep (~/.local/share/mailkeep), on macOS in ~/Library/Application Support/mailkeep, on Windows in %LOCALAPPDATA%\\mailkeep.",
    ),
    ".SH EXIT STATUS",
    "0 success, 1 failure or a condition that does not hold, 2 wrong usage, 3 the server does not answer or it refuses.",
    `${bold("send")} has the codes of sendmail: 64 wrong usage, 65 no recipient in the mail, 69 the server does not`,
    `answer or it refuses. ${bold("run")} ends with the code of its command.`,
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
