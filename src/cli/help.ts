// Help texts, made from the commands and their settings.
import { settingsHelp } from "../config/index.ts";
import type { Command } from "./command/command.ts";

export function overview(commands: readonly Command[]): string {
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

export function commandHelp({ name, summary, usage = "[flags]", details, settings }: Command): string {
  const paragraphs = [
    `${summary}.`,
    `Usage: ${`mailkeep ${name} ${usage}`.trim()}`,
    details,
    settingsHelp(settings),
    name === "serve" && SOURCES,
  ];
  return `${paragraphs.filter(Boolean).join("\n\n")}\n`;
}

/** Words that are no commands but are answered like one. */
const BUILT_IN: Readonly<Record<string, string>> = {
  version: "Print the version and the commit that it was built from.\n\nUsage: mailkeep version\n",
  help: "Show all commands, or the flags of one.\n\nUsage: mailkeep help [command]\n",
};

export const builtInHelp = (topic: string): string | undefined =>
  Object.hasOwn(BUILT_IN, topic) ? BUILT_IN[topic] : undefined;
