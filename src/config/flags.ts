// Parses a command line: `--name value`, `--name=value`, `--switch`, `--no-switch`.
import { flagName, type Settings } from "./setting.ts";
import { suggest, UsageError } from "./usage-error.ts";

export interface ParsedFlags {
  /** Setting name → the texts given for it, in order. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** The setting of each flag. `switchValue` is the value of a switch; null for other flags. */
function knownFlags(table: Settings) {
  const flags = new Map<string, { name: string; switchValue: "true" | "false" | null }>();
  for (const [name, { kind }] of Object.entries(table)) {
    const flag = flagName(name);
    const isSwitch = kind.placeholder === "";
    flags.set(flag, { name, switchValue: isSwitch ? "true" : null });
    const canBeOff = isSwitch && kind.parse("false") === false;
    if (canBeOff && !flag.startsWith("no-")) flags.set(`no-${flag}`, { name, switchValue: "false" });
  }
  return flags;
}

const EVERYWHERE = ["help", "version"];
const SHORT_EVERYWHERE = ["-h", "-V"];

/** Does not quote what may be a password: a value, or `hunter2` in --http-authhunter2. */
function unknownFlag(arg: string, table: Settings, known: Iterable<string>): UsageError {
  const [, dashes = "", word = ""] = /^(-+)([^=:\s]*)/.exec(arg) ?? [];
  const secrets = Object.keys(table).filter((name) => table[name]?.kind.secret);
  const glued = secrets.map(flagName).find((flag) => word.toLowerCase().startsWith(flag));
  const named = dashes + (glued === undefined ? word : `${glued}…`);
  const hint = suggest(glued ?? word, [...known, ...EVERYWHERE], (name) => `--${name}`, "--help");
  return new UsageError(`unknown flag ${named}; ${hint}`);
}

export function parseFlags(table: Settings, args: readonly string[]): ParsedFlags {
  const flags = knownFlags(table);
  /** A known flag is not the value of the flag before it, unless attached, as in `--a=--b`. */
  const isFlag = (arg: string) => {
    const [, word = ""] = /^--([^=]+)/.exec(arg) ?? [];
    return ["--", ...SHORT_EVERYWHERE].includes(arg) || flags.has(word) || EVERYWHERE.includes(word);
  };
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return { given, positionals: [...positionals, ...args.slice(at + 1)] };
    if (!arg.startsWith("-") || arg === "-") {
      positionals.push(arg);
      continue;
    }
    const [, word = "", inline] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const flag = arg.startsWith("--") ? flags.get(word) : undefined;
    if (arg.startsWith("--") && EVERYWHERE.includes(word)) throw new UsageError(`--${word} takes no value`);
    if (!flag) throw unknownFlag(arg, table, flags.keys());
    if (flag.switchValue === "false" && inline !== undefined) {
      throw new UsageError(`--${word} takes no value; use --${word.slice("no-".length)}=${inline}`);
    }
    const value = inline ?? flag.switchValue ?? args[++at];
    if (value === undefined || (inline === undefined && isFlag(value))) {
      throw new UsageError(`--${word} needs a value; accepted: ${table[flag.name]?.kind.accepts}`);
    }
    const setting = table[flag.name];
    const before = given.get(flag.name) ?? [];
    if (before.length > 0 && !setting?.kind.list) {
      throw new UsageError(`--${flagName(flag.name)} can be given only once`);
    }
    given.set(flag.name, [...before, value]);
  }
  return { given, positionals };
}
