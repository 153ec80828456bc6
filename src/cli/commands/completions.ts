// `mailkeep completions <shell>`: prints the shell's completion script, made from the commands and settings.
import { parseFlags, shown, UsageError } from "../../config/index.ts";
import type { Command } from "../command/command.ts";
import { bashCompletion } from "../completions/bash.ts";
import { fishCompletion } from "../completions/fish.ts";
import { powershellCompletion } from "../completions/powershell.ts";
import { type CompletableCommand, vocabulary } from "../completions/vocabulary.ts";
import { zshCompletion } from "../completions/zsh.ts";

const SHELLS: Readonly<Record<string, (commands: readonly CompletableCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
};
const NAMES = Object.keys(SHELLS);

/** A function, because the list contains this command. */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return {
    name: "completions",
    summary: "Print a completion script for your shell",
    usage: NAMES.join("|"),
    details: `  mailkeep completions zsh > "\${fpath[1]}/_mailkeep"

The files in which other shells look for it:
  bash        ~/.local/share/bash-completion/completions/mailkeep
  fish        ~/.config/fish/completions/mailkeep.fish
  powershell  the one that $PROFILE names, at its end (>>)`,
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
