// An input that cannot be understood: one line that may quote the input, and exit code 2.
import { escapeControl, near } from "../lib/text.ts";

/** Ends the sentence about an unknown word: with the most similar word, or else with the place that lists all. */
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

/** The text before an @, or at the place of a URL's port, may be a password. */
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
const NO_PORT = /(:\/\/[^/:]*:)(?!\d*(?:\/|$)).*/s;

/** The given text as a message may repeat it, without passwords. */
export const shown = (given: string): string =>
  `'${escapeControl(given.replace(USER_INFO, "$1…@").replace(NO_PORT, "$1…"))}'`;
