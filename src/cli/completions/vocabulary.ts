// What can be completed, read from the commands and their settings; each shell's script is made from this.
import { flagName, type Setting } from "../../config/index.ts";
import type { Command } from "../command/command.ts";

/** What may follow a flag or a command: one of a few words, a path, something only the person knows. */
export type Completion =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "path" }
  | { readonly kind: "free" }
  | { readonly kind: "nothing" };

/** Behind the flags there may also be a whole command, after two dashes. */
export type Argument = Completion | { readonly kind: "command" };

export interface CompletableFlag {
  /** Without the dashes in front. */
  readonly name: string;
  readonly help: string;
  readonly placeholder: string;
  readonly isRepeatable: boolean;
  readonly value: Completion;
}

export interface CompletableCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletableFlag[];
  readonly argument: Argument;
}

function flagValue({ kind }: Setting): Completion {
  if (kind.choices) return { kind: "words", words: kind.choices };
  if (kind.placeholder === "path") return { kind: "path" };
  return { kind: kind.placeholder === "" ? "nothing" : "free" };
}

/** `bash|zsh` in a usage line are words to choose from, `FILE…` is a path. */
function argumentOf({ usage = "" }: Command): Argument {
  const choices = /(?:^|\s)([a-z]+(?:\|[a-z]+)+)/.exec(usage)?.[1];
  if (choices) return { kind: "words", words: choices.split("|") };
  if (usage.includes("-- command")) return { kind: "command" };
  return { kind: /FILE|FOLDER|PATH/.test(usage) ? "path" : "nothing" };
}

const describe = (command: Command): CompletableCommand => ({
  name: command.name,
  summary: command.summary,
  argument: argumentOf(command),
  flags: Object.entries(command.settings).map(([name, setting]) => ({
    name: flagName(name),
    help: setting.help,
    placeholder: setting.kind.placeholder,
    isRepeatable: setting.kind.list === true,
    value: flagValue(setting),
  })),
});

export function vocabulary(commands: readonly Command[]): readonly CompletableCommand[] {
  const names = commands.map(({ name }) => name);
  return [
    ...commands.map(describe),
    {
      name: "help",
      summary: "Explain a command and its flags",
      flags: [],
      argument: { kind: "words", words: names },
    },
    { name: "version", summary: "Print the version", flags: [], argument: { kind: "nothing" } },
  ];
}
