// What can be completed, read from the commands and their settings; each shell's script is made from this.
import { flagName, type Setting } from "../../config/index.ts";
import type { Command } from "../command/command.ts";

/** What may follow a flag or a command: one of a few words, a path, text that only the person knows, or nothing. */
export interface Completion {
  /** `command`: behind the flags there may be a whole command, after two dashes. */
  readonly kind: "words" | "path" | "free" | "command" | "nothing";
  readonly words: readonly string[];
}

const completion = (kind: Completion["kind"], words: readonly string[] = []): Completion => ({ kind, words });

function flagValue({ kind }: Setting): Completion {
  if (kind.choices) return completion("words", kind.choices);
  if (kind.placeholder === "path") return completion("path");
  return completion(kind.placeholder === "" ? "nothing" : "free");
}

/** `bash|zsh` in a usage line are words to choose from, `FILE…` is a path. */
function argumentOf({ usage = "" }: Command): Completion {
  const choices = /(?:^|\s)([a-z]+(?:\|[a-z]+)+)/.exec(usage)?.[1];
  if (choices) return completion("words", choices.split("|"));
  if (usage.includes("-- command")) return completion("command");
  return completion(/FILE|FOLDER|PATH/.test(usage) ? "path" : "nothing");
}

const describeFlag = ([name, setting]: [string, Setting]) => ({
  name: flagName(name),
  help: setting.help,
  placeholder: setting.kind.placeholder,
  isRepeatable: setting.kind.list === true,
  value: flagValue(setting),
});

export type CompletableFlag = ReturnType<typeof describeFlag>;

const describe = (command: Command) => ({
  name: command.name,
  summary: command.summary,
  argument: argumentOf(command),
  flags: Object.entries(command.settings).map(describeFlag),
});

export type CompletableCommand = ReturnType<typeof describe>;

export function vocabulary(commands: readonly Command[]): readonly CompletableCommand[] {
  const names = commands.map(({ name }) => name);
  const help = { name: "help", summary: "Explain a command and its flags" };
  return [
    ...commands.map(describe),
    { ...help, flags: [], argument: completion("words", names) },
    { name: "version", summary: "Print the version", flags: [], argument: completion("nothing") },
  ];
}
