// `mailkeep completions <shell>` prints a script for the shell. For each completion the script runs
// `mailkeep completions --word=<typed> -- <words before>`, which prints a line for each offer.
import { flagName, parseFlags, type Setting, shown, UsageError } from "../../config/index.ts";
import type { Command } from "../command/command.ts";

// What can be completed

/** Asks the shell to complete a path. */
const PATH = [":path"];

const offer = (word: string, help: string): string => `${word}\t${help}`;

function valuesOf({ kind }: Setting): readonly string[] {
  return kind.placeholder === "path" ? PATH : (kind.choices ?? []);
}

/** `bash|zsh` in a usage line are words to choose from, `FILE…` is a path. */
function argumentsOf({ name, usage = "" }: Command, commands: readonly Command[]): readonly string[] {
  if (name === "help") return commands.map((command) => offer(command.name, command.summary));
  const choices = /(?:^|\s)([a-z]+(?:\|[a-z]+)+)/.exec(usage)?.[1];
  return choices?.split("|") ?? (/FILE|FOLDER|PATH/.test(usage) ? PATH : []);
}

/** `words` stand before `typed`. The offer `:path` lets the shell complete a path. */
export const offersFor = (commands: readonly Command[], words: readonly string[], typed: string): string[] =>
  possible(commands, words, typed.startsWith("-")).filter(
    (line) => line.startsWith(":") || line.startsWith(typed),
  );

function possible(commands: readonly Command[], before: readonly string[], isFlag: boolean) {
  const [first = "-"] = before;
  const name = first.startsWith("-") ? "serve" : first;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return [];
  if (before.includes("--")) return PATH;
  const settings = Object.entries(command.settings);
  const given = settings.find(([setting]) => `--${flagName(setting)}` === before.at(-1))?.[1];
  if (given && given.kind.placeholder !== "") return valuesOf(given);
  if (before.length === 0 && !isFlag) return commands.map(({ name, summary }) => offer(name, summary));
  const words = argumentsOf(command, commands);
  if (words === PATH && !isFlag) return PATH;
  const flags = settings.map(([setting, { help }]) => offer(`--${flagName(setting)}`, help));
  return [...words.filter((word) => !word.startsWith(":")), ...flags];
}

// The scripts. Each runs the program as the user typed it: `mailkeep` may not be on the PATH.

// bash 3.2 of macOS has no compopt and no mapfile. If COMPREPLY is empty, readline completes paths.
const BASH = `# bash completion for mailkeep, made by 'mailkeep completions bash'
_mailkeep() {
  # As it was typed: a tilde is not expanded yet, and an alias cannot be run.
  local offers program="\${COMP_WORDS[0]/#\\~/$HOME}"
  type -P "$program" >/dev/null || program=mailkeep
  offers=$("$program" completions --word="\${COMP_WORDS[COMP_CWORD]}" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null | cut -f 1)
  COMPREPLY=()
  if [[ $offers != :path ]]; then
    compopt +o default 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY=($offers)
  fi
}

complete -o default -F _mailkeep mailkeep
`;

const ZSH = `#compdef mailkeep
# zsh completion for mailkeep, made by 'mailkeep completions zsh'
_mailkeep() {
  local -a offers
  offers=("\${(@f)$($words[1] completions --word="$words[CURRENT]" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  case $offers[1] in
    :path)
      _files
      ;;
    *)
      offers=("\${(@)offers//:/\\\\:}")
      offers=("\${(@)offers/$'\\t'/:}")
      _describe 'mailkeep' offers
      ;;
  esac
}

if [[ $funcstack[1] == _mailkeep ]]; then
  _mailkeep "$@"
else
  compdef _mailkeep mailkeep
fi
`;

const FISH = `# fish completion for mailkeep, made by 'mailkeep completions fish'
function __mailkeep_offers
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l offers ($words[1] completions --word="$typed" -- $words[2..] 2>/dev/null)
    switch "$offers[1]"
        case ':path'
            __fish_complete_path "$typed"
        case '*'
            printf '%s\\n' $offers
    end
end

complete -c mailkeep -f -a '(__mailkeep_offers)'
`;

// For PowerShell 5.1 and later. 5.1 drops an empty argument, but not `--word=` without a value.
const POWERSHELL = `# PowerShell completion for mailkeep, made by 'mailkeep completions powershell'
Register-ArgumentCompleter -Native -CommandName mailkeep -ScriptBlock {
  param($word, $ast, $position)
  $given = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $program = $given[0].Trim("'", '"')
  $words = @($given | Select-Object -Skip 1)
  & $program completions "--word=$word" -- @words | Where-Object { -not $_.StartsWith(':') } | ForEach-Object {
    $text, $help = $_ -split "\`t", 2
    if (-not $help) { $help = $text }
    [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
  }
}
`;

const SCRIPTS = new Map([
  ["bash", BASH],
  ["zsh", ZSH],
  ["fish", FISH],
  ["powershell", POWERSHELL],
]);
const SHELLS = [...SCRIPTS.keys()];

export const completionsCommand: Command = {
  name: "completions",
  summary: "Print a completion script for your shell",
  usage: SHELLS.join("|"),
  details: `  mailkeep completions zsh > "\${fpath[1]}/_mailkeep"

Other shells read it from:
  bash        ~/.local/share/bash-completion/completions/mailkeep
  fish        ~/.config/fish/completions/mailkeep.fish
  powershell  the file that $PROFILE names; append to it with >>`,
  settings: {},
  async run({ args, commands, out }) {
    const [typed = "", , ...words] = args;
    if (typed.startsWith("--word=")) {
      const offers = offersFor(commands, words, typed.slice("--word=".length));
      out(offers.map((line) => `${line}\n`).join(""));
      return 0;
    }
    const [shell, ...rest] = parseFlags({}, args).positionals;
    if (shell === undefined || rest.length > 0)
      throw new UsageError(`completions takes one shell: ${SHELLS.join(", ")}`);
    const script = SCRIPTS.get(shell);
    if (!script) throw new UsageError(`unknown shell ${shown(shell)}; known: ${SHELLS.join(", ")}`);
    out(script);
    return 0;
  },
};
