// What a person typed cannot be understood: one line that may repeat it, exit code 2.
import { escapeControl } from "../lib/control-characters.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What stands before an @, or where a URL has its port, may be a password. */
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
const NO_PORT = /(:\/\/[^/:]*:)(?!\d*(?:\/|$)).*/s;

/** What was given, as a message may repeat it. */
export const shown = (given: string): string =>
  `'${escapeControl(given.replace(USER_INFO, "$1…@").replace(NO_PORT, "$1…"))}'`;
