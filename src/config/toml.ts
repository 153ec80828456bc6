// A settings file as TOML. An error names the line and the kind of mistake: the parser's own sentences repeat
// parts of the file, and those may be parts of a password.
import { UsageError } from "./usage-error.ts";

/** Finding the line takes quadratic time. A settings file is never longer. */
const MAX_SEARCHED_LINES = 1000;

export function parseToml(text: string, path: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    const kind = withoutContent((error as Error).message);
    const lines = text.split("\n");
    const place = lines.length <= MAX_SEARCHED_LINES ? `line ${faultyLine(lines)}: ` : "";
    throw new UsageError(`${path} is not valid TOML: ${place}${kind}`);
  }
}

/** "Expected '=' after a key but found 'x'" quotes its grammar first, then the file. */
const withoutContent = (message: string): string =>
  message.replace(/^TOML Parse error: /, "").replace(/(?: but found |: | ['"`](?![=,\]}]+')).*$/s, "");

/** The line of the entry that cannot be read: Bun does not tell, so ever fewer lines are tried. */
function faultyLine(lines: readonly string[]): number {
  let sound = lines.length - 1;
  while (sound > 0 && !isToml(lines.slice(0, sound).join("\n"))) sound--;
  const blank = lines.slice(sound).findIndex((line) => !/^\s*(?:#.*)?$/.test(line));
  return sound + Math.max(blank, 0) + 1;
}

function isToml(text: string): boolean {
  try {
    Bun.TOML.parse(text);
    return true;
  } catch {
    return false;
  }
}
