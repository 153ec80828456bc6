// `mailkeep completions <shell>`: prints the shell's completion script, made from the commands and their settings.
import { flagName, parseFlags, type Setting, shown, UsageError } from "../../config/index.ts";
import type { Command } from "../command/command.ts";

// The vocabulary: what can be completed

/** What may follow a flag or a command. */
interface Completion {
  /** `free` is text that only the person knows, `command` a whole command after two dashes. */
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

type CompletableFlag = ReturnType<typeof describeFlag>;

const describe = (command: Command) => ({
  name: command.name,
  summary: command.summary,
  argument: argumentOf(command),
  flags: Object.entries(command.settings).map(describeFlag),
});

type CompletableCommand = ReturnType<typeof describe>;

export function vocabulary(commands: readonly Command[]): readonly CompletableCommand[] {
  const names = commands.map(({ name }) => name);
  const help = { name: "help", summary: "Explain a command and its flags" };
  return [
    ...commands.map(describe),
    { ...help, flags: [], argument: completion("words", names) },
    { name: "version", summary: "Print the version", flags: [], argument: completion("nothing") },
  ];
}

// bash, including 3.2 of macOS, which has no associative arrays and no mapfile. A case without a reply leaves the word
// to readline, which completes paths, also with spaces.

function bashFlag(command: string, { name, value }: CompletableFlag): string[] {
  if (value.kind === "nothing") return [];
  const reply = value.kind === "path" ? "" : ` _mailkeep_reply "${value.words.join(" ")}";`;
  return [`    "${command} --${name}")${reply} return ;;`];
}

function bashCommand({ name, flags, argument }: CompletableCommand): string {
  const words = [...flags.map((flag) => `--${flag.name}`), ...argument.words].join(" ");
  const onlyFlags = argument.kind === "path" ? "[[ $current != -* ]] || " : "";
  return `    ${name}) ${onlyFlags}_mailkeep_reply "${words}" ;;`;
}

export function bashCompletion(commands: readonly CompletableCommand[]): string {
  const outer = commands.filter(({ argument }) => argument.kind === "command").map(({ name }) => name);
  return `# bash completion for mailkeep, made by 'mailkeep completions bash'
_mailkeep_reply() {
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# Another command follows two dashes. bash-completion completes it.
_mailkeep_inner() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif [[ $1 -eq COMP_CWORD ]]; then
    COMPREPLY=($(compgen -c -- "$current"))
  fi
}

_mailkeep() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command=serve at
  COMPREPLY=()
  # Readline cuts --flag=value into three words.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [[ COMP_CWORD -gt 1 && \${COMP_WORDS[1]} != -* ]]; then
    command="\${COMP_WORDS[1]}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} == -- ]]; then
      case "$command" in
        ${outer.join("|")}) _mailkeep_inner $((at + 1)) ;;
      esac
      return
    fi
  done
  case "$command $previous" in
${commands.flatMap(({ name, flags }) => flags.flatMap((flag) => bashFlag(name, flag))).join("\n")}
  esac
  if [[ COMP_CWORD -eq 1 && $current != -* ]]; then
    _mailkeep_reply "${commands.map(({ name }) => name).join(" ")}"
    return
  fi
  case "$command" in
${commands.map(bashCommand).join("\n")}
  esac
}

complete -o default -F _mailkeep mailkeep
`;
}

// fish: one 'complete' line for each flag, valid only after its command

const quoteFish = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;

function fishValue(value: Completion): string {
  if (value.kind === "words") return ` -x -a ${quoteFish(value.words.join(" "))}`;
  if (value.kind === "path") return " -r -F";
  return value.kind === "free" ? " -x" : "";
}

const fishAfter = (command: string) => `complete -c mailkeep -n '__mailkeep_is ${command}'`;

const fishFlag = (command: string, { name, help, value }: CompletableFlag) =>
  `${fishAfter(command)} -l ${name} -d ${quoteFish(help)}${fishValue(value)}`;

function fishArgument({ name, argument }: CompletableCommand): string[] {
  if (argument.kind === "words") return [`${fishAfter(name)} -a ${quoteFish(argument.words.join(" "))}`];
  if (argument.kind === "command") return [`${fishAfter(name)} -a '(__mailkeep_inner)'`];
  return argument.kind === "path" ? [`${fishAfter(name)} -F`] : [];
}

export function fishCompletion(commands: readonly CompletableCommand[]): string {
  const names = commands.map(
    ({ name, summary }) =>
      `complete -c mailkeep -n __fish_is_first_token -a ${name} -d ${quoteFish(summary)}`,
  );
  const rest = commands.flatMap((command) => [
    ...command.flags.map((flag) => fishFlag(command.name, flag)),
    ...fishArgument(command),
  ]);
  return `# fish completion for mailkeep, made by 'mailkeep completions fish'
function __mailkeep_is
    set -l words (commandline -opc)
    set -l command serve
    if set -q words[2]; and not string match -q -- '-*' $words[2]
        set command $words[2]
    end
    test $command = $argv[1]
end

# Completes the command that follows two dashes.
function __mailkeep_inner
    set -l words (commandline -opc)
    if set -l at (contains -i -- -- $words)
        set -l line (string join ' ' -- (string escape -- $words[(math $at + 1)..]) (commandline -ct))
        complete --do-complete=$line
    end
end

complete -c mailkeep -f
${[...names, ...rest].join("\n")}
`;
}

// zsh: _arguments does the work, one call for each command

const quoteZsh = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** Brackets end a description and colons divide a specification, so they are escaped. */
const plainZsh = (text: string) => text.replace(/[[\]:\\]/g, "\\$&");

function zshAction(value: Completion): string {
  if (value.kind === "words") return `(${value.words.join(" ")})`;
  return value.kind === "path" ? "_files" : " ";
}

function zshFlag({ name, help, placeholder, isRepeatable, value }: CompletableFlag): string {
  const takesValue = value.kind !== "nothing";
  const flag = `${isRepeatable ? "*" : ""}--${name}${takesValue ? "=" : ""}[${plainZsh(help)}]`;
  return quoteZsh(takesValue ? `${flag}:${plainZsh(placeholder)}:${zshAction(value)}` : flag);
}

function zshRest(argument: Completion): string[] {
  if (argument.kind === "nothing" || argument.kind === "command") return [];
  return [quoteZsh(`*:argument:${zshAction(argument)}`)];
}

/** Words after two dashes belong to another command. */
const ZSH_INNER = `if (( words[(i)--] < CURRENT )); then
        (( CURRENT -= words[(i)--] ))
        shift $words[(i)--] words
        _normal
        return
      fi
      `;

function zshCommand({ name, flags, argument }: CompletableCommand): string {
  const specs = [...flags.map(zshFlag), ...zshRest(argument)];
  const list = specs.map((spec) => `        ${spec}`).join(" \\\n");
  const call = specs.length === 0 ? "_message 'no arguments'" : `_arguments -S \\\n${list}`;
  return `    ${name})\n      ${argument.kind === "command" ? ZSH_INNER : ""}${call}\n      ;;`;
}

export function zshCompletion(commands: readonly CompletableCommand[]): string {
  const named = commands.map(({ name, summary }) => `    ${quoteZsh(`${name}:${plainZsh(summary)}`)}`);
  return `#compdef mailkeep
# zsh completion for mailkeep, made by 'mailkeep completions zsh'
_mailkeep() {
  local command=serve
  local -a names
  names=(
${named.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe 'command' names
    return
  fi
  if [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${commands.map(zshCommand).join("\n")}
  esac
}

if [[ $funcstack[1] == _mailkeep ]]; then
  _mailkeep "$@"
else
  compdef _mailkeep mailkeep
fi
`;
}

// PowerShell 5.1 and later, through its native argument completer

const quotePowershell = (text: string) => `'${text.replaceAll("'", "''")}'`;
const powershellWords = (items: readonly string[]) => `@(${items.map(quotePowershell).join(", ")})`;

/** What the script offers after the flag: $null after a switch, 'path', no words for free text, or the choices. */
function powershellValue({ value }: CompletableFlag): string {
  if (value.kind === "words") return powershellWords(value.words);
  if (value.kind === "path") return "'path'";
  return value.kind === "free" ? "@()" : "$null";
}

function powershellCommand({ name, summary, flags, argument }: CompletableCommand): string {
  const entries = flags.map(
    (flag) =>
      `        ${quotePowershell(`--${flag.name}`)} = @{ Help = ${quotePowershell(flag.help)}; Value = ${powershellValue(flag)} }`,
  );
  return `    ${quotePowershell(name)} = @{
      Help = ${quotePowershell(summary)}
      Words = ${powershellWords(argument.words)}
      Flags = [ordered]@{
${entries.join("\n")}
      }
    }`;
}

export function powershellCompletion(commands: readonly CompletableCommand[]): string {
  return `# PowerShell completion for mailkeep, made by 'mailkeep completions powershell'
Register-ArgumentCompleter -Native -CommandName mailkeep -ScriptBlock {
  param($word, $ast, $position)
  $commands = [ordered]@{
${commands.map(powershellCommand).join("\n")}
  }
  $given = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $name = 'serve'
  if ($given.Count -gt 1 -and -not $given[1].StartsWith('-')) { $name = $given[1] }
  if (-not $commands.Contains($name) -or $given -contains '--') { return }
  $command = $commands[$name]
  function Offer($text, $help) {
    if ($text -like "$word*") {
      [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
    }
  }
  $previous = $given[-1]
  if ($given.Count -gt 1 -and $command.Flags.Contains($previous)) {
    $value = $command.Flags[$previous].Value
    if ($value -is [string]) { return }
    if ($null -ne $value) {
      $value | ForEach-Object { Offer $_ $_ }
      return
    }
  }
  if ($given.Count -le 1 -and -not $word.StartsWith('-')) {
    $commands.GetEnumerator() | ForEach-Object { Offer $_.Key $_.Value.Help }
    return
  }
  $command.Words | ForEach-Object { Offer $_ $_ }
  $command.Flags.GetEnumerator() | ForEach-Object { Offer $_.Key $_.Value.Help }
}
`;
}

// The command

const SHELLS: Readonly<Record<string, (commands: readonly CompletableCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
};
const NAMES = Object.keys(SHELLS);

/** `commands` is a function, because its list contains this command itself. */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return {
    name: "completions",
    summary: "Print a completion script for your shell",
    usage: NAMES.join("|"),
    details: `  mailkeep completions zsh > "\${fpath[1]}/_mailkeep"

Other shells read it from:
  bash        ~/.local/share/bash-completion/completions/mailkeep
  fish        ~/.config/fish/completions/mailkeep.fish
  powershell  the file that $PROFILE names; append to it with >>`,
    settings: {},
    async run(context) {
      const [shell, ...rest] = parseFlags({}, context.args).positionals;
      if (shell === undefined || rest.length > 0)
        throw new UsageError(`completions takes one shell: ${NAMES.join(", ")}`);
      const print = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (!print) throw new UsageError(`unknown shell ${shown(shell)}; known: ${NAMES.join(", ")}`);
      context.out(print(vocabulary(commands())));
      return 0;
    },
  };
}
