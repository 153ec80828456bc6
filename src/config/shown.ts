// What was given, as a message may repeat it: what stands before an @, or where a URL has its port, may be a
// password, and what a file with Windows' line ends leaves behind a value is not seen.
import { escapeControl } from "../lib/control-characters.ts";

const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
const NO_PORT = /(:\/\/[^/:]*:)(?!\d*(?:\/|$)).*/s;

export const shown = (given: string): string =>
  `'${escapeControl(given.replace(USER_INFO, "$1…@").replace(NO_PORT, "$1…"))}'`;
