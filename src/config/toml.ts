// A settings file as TOML. What is wrong with it is told by line and kind: the parser's own sentences repeat
// parts of the file, and those may be parts of a password.
import { UsageError } from "./usage-error.ts";

export function parseToml(text: string, path: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    const kind = withoutContent((error as Error).message);
    throw new UsageError(`${path} is not valid TOML: line ${faultyLine(text)}: ${kind}`);
  }
}

/** "Expected '=' after a key but found 'x'" quotes its grammar first, then the file. */
const withoutContent = (message: string): string =>
  message.replace(/^TOML Parse error: /, "").replace(/(?: but found |: | ['"`](?![=,\]}]+')).*$/s, "");

/** Where the entry begins that cannot be read: behind the most lines that can. Bun tells no place. */
function faultyLine(text: string): number {
  const lines = text.split("\n");
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
