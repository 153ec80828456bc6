// What a command is, and what it is given. Commands touch the world only through this context.
import type { Settings } from "../../config/index.ts";

export interface CommandContext {
  /** What follows the command's name, flags included. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables with our prefix that some command understands. */
  readonly knownVariables: readonly string[];
  /** Reads standard input to its end. */
  readonly input: () => Promise<Uint8Array>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows `mailkeep <name>`, for example `[flags] FILE…`; by default `[flags]`. */
  readonly usage?: string;
  /** Further paragraphs of `mailkeep help <name>`. */
  readonly details?: string;
  readonly settings: Settings;
  /** -h and -V are flags of this command; only --help and --version are general. */
  readonly ownsShortFlags?: true;
  /** Returns the exit code. A UsageError is printed as one line, with exit code 2. */
  run(context: CommandContext): Promise<number>;
}

/** A failure that needs no stack: one line on stderr, exit code 1. */
export class StartError extends Error {
  override readonly name = "StartError";
}
