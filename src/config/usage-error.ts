// Errors about wrong usage: the hint with a similar word, and the input quoted without passwords.
import { escapeControl, near } from "../lib/text.ts";

/** The hint for an unknown word: the most similar word, or else `all`, which lists all words. */
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

/** The text before an @ may contain a password. */
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
/** Text in the place of a URL's port that is not a number may be a password. */
const NO_PORT = /(:\/\/[^/:]*:)(?!\d*(?:\/|$)).*/s;

/** The given text in quotes and without passwords, so that a message may repeat it. */
export const shown = (given: string): string =>
  `'${escapeControl(given.replace(USER_INFO, "$1…@").replace(NO_PORT, "$1…"))}'`;
