// What the other end of an output can show.
import type { CommandContext } from "./command.ts";

type Environment = CommandContext["environment"];

/** Takes escape sequences: a person looks at it, through a terminal that knows them. */
export const isTerminal = (output: { readonly isTTY?: boolean }, { TERM }: Environment): boolean =>
  output.isTTY === true && TERM !== "dumb";

/** NO_COLOR asks for plain text (no-color.org). */
export const takesStyle = (output: { readonly isTTY?: boolean }, environment: Environment): boolean =>
  isTerminal(output, environment) && !environment.NO_COLOR;
