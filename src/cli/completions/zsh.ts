// Completion for zsh: _arguments does the work, one call a command.
import type { CompletableCommand, CompletableFlag, Completion } from "./vocabulary.ts";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** Brackets end a description and colons divide a specification, so they are escaped. */
const plain = (text: string) => text.replace(/[[\]:\\]/g, "\\$&");

function action(value: Completion): string {
  if (value.kind === "words") return `(${value.words.join(" ")})`;
  return value.kind === "path" ? "_files" : " ";
}

function flagSpec({ name, help, placeholder, isRepeatable, value }: CompletableFlag): string {
  const takesValue = value.kind !== "nothing";
  const flag = `${isRepeatable ? "*" : ""}--${name}${takesValue ? "=" : ""}[${plain(help)}]`;
  return quote(takesValue ? `${flag}:${plain(placeholder)}:${action(value)}` : flag);
}

function restSpec(argument: Completion): string[] {
  if (argument.kind === "nothing" || argument.kind === "command") return [];
  return [quote(`*:argument:${action(argument)}`)];
}

/** Words after two dashes belong to another command. */
const INNER = `if (( words[(i)--] < CURRENT )); then
        (( CURRENT -= words[(i)--] ))
        shift $words[(i)--] words
        _normal
        return
      fi
      `;

function commandCase({ name, flags, argument }: CompletableCommand): string {
  const specs = [...flags.map(flagSpec), ...restSpec(argument)];
  const call = specs.length === 0 ? "_message 'no arguments'" : `_arguments -S \\\n${list(specs)}`;
  return `    ${name})\n      ${argument.kind === "command" ? INNER : ""}${call}\n      ;;`;
}

const list = (specs: readonly string[]) => specs.map((spec) => `        ${spec}`).join(" \\\n");

export function zshCompletion(commands: readonly CompletableCommand[]): string {
  const named = commands.map(({ name, summary }) => `    ${quote(`${name}:${plain(summary)}`)}`);
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
${commands.map(commandCase).join("\n")}
  esac
}

if [[ $funcstack[1] == _mailkeep ]]; then
  _mailkeep "$@"
else
  compdef _mailkeep mailkeep
fi
`;
}
