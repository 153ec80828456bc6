// Completion for fish: one 'complete' line a flag, each valid only after its command.
import type { CompletableCommand, CompletableFlag, Completion } from "./vocabulary.ts";

const quote = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;

function wants(value: Completion): string {
  if (value.kind === "words") return ` -x -a ${quote(value.words.join(" "))}`;
  if (value.kind === "path") return " -r -F";
  return value.kind === "free" ? " -x" : "";
}

const after = (command: string) => `complete -c mailkeep -n '__mailkeep_is ${command}'`;

const flagLine = (command: string, { name, help, value }: CompletableFlag) =>
  `${after(command)} -l ${name} -d ${quote(help)}${wants(value)}`;

function argumentLine({ name, argument }: CompletableCommand): string[] {
  if (argument.kind === "words") return [`${after(name)} -a ${quote(argument.words.join(" "))}`];
  if (argument.kind === "command") return [`${after(name)} -a '(__mailkeep_inner)'`];
  return argument.kind === "path" ? [`${after(name)} -F`] : [];
}

export function fishCompletion(commands: readonly CompletableCommand[]): string {
  const names = commands.map(
    ({ name, summary }) => `complete -c mailkeep -n __fish_is_first_token -a ${name} -d ${quote(summary)}`,
  );
  const rest = commands.flatMap((command) => [
    ...command.flags.map((flag) => flagLine(command.name, flag)),
    ...argumentLine(command),
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

# What follows two dashes is another command's line.
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
