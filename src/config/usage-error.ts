// An input that cannot be understood: one line that may quote it, and exit code 2.
import { escapeControl, near } from "../lib/text.ts";

/** Ends the sentence about an unknown word: what it most likely meant, or else where all are shown. */
export function suggest(
  word: string,
  known: readonly string[],
  show: (name: string) => string,
  all: string,
): string {
  const found = near(word, known);
  return found === null ? `${all} shows all` : `did you mean ${show(found)}?`;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What stands before an @, or where a URL has its port, may be a password. */
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
const NO_PORT = /(:\/\/[^/:]*:)(?!\d*(?:\/|$)).*/s;

/** What was given, as a message may repeat it. */
export const shown = (given: string): string =>
  `'${escapeControl(given.replace(USER_INFO, "$1…@").replace(NO_PORT, "$1…"))}'`;
