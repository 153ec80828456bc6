// Completion for bash, 3.2 (macOS) included: no associative arrays, no mapfile.
// A case that gives no reply leaves the word to readline, which completes paths, spaces and all.
import type { CompletableCommand, CompletableFlag, Completion } from "./vocabulary.ts";

const REPLY = "_mailkeep_reply";

function afterFlag(command: string, { name, value }: CompletableFlag): string[] {
  const pattern = `    "${command} --${name}")`;
  const answers: Record<Completion["kind"], string[]> = {
    words: [`${pattern} ${REPLY} "${value.words.join(" ")}"; return ;;`],
    path: [`${pattern} return ;;`],
    free: [`${pattern} ${REPLY} ""; return ;;`],
    command: [],
    nothing: [],
  };
  return answers[value.kind];
}

function afterCommand({ name, flags, argument }: CompletableCommand): string {
  const words = [...flags.map((flag) => `--${flag.name}`), ...argument.words].join(" ");
  const onlyFlags = argument.kind === "path" ? "[[ $current != -* ]] || " : "";
  return `    ${name}) ${onlyFlags}${REPLY} "${words}" ;;`;
}

export function bashCompletion(commands: readonly CompletableCommand[]): string {
  const outer = commands.filter(({ argument }) => argument.kind === "command").map(({ name }) => name);
  return `# bash completion for mailkeep, made by 'mailkeep completions bash'
_mailkeep_reply() {
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# What follows two dashes is another command's, which bash-completion knows.
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
${commands.flatMap(({ name, flags }) => flags.flatMap((flag) => afterFlag(name, flag))).join("\n")}
  esac
  if [[ COMP_CWORD -eq 1 && $current != -* ]]; then
    _mailkeep_reply "${commands.map(({ name }) => name).join(" ")}"
    return
  fi
  case "$command" in
${commands.map(afterCommand).join("\n")}
  esac
}

complete -o default -F _mailkeep mailkeep
`;
}
