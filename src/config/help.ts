// The settings as people read them: help text and Markdown table, both from the table of settings.
import { flagName, type Setting, type Settings, showDefault, variableName } from "./setting.ts";

/** `--smtp-port <port>` */
export function flagUsage(name: string, { kind }: Setting): string {
  return `--${flagName(name)}${kind.placeholder && ` <${kind.placeholder}>`}`;
}

function byGroup(table: Settings): Map<string, [string, Setting][]> {
  const groups = new Map<string, [string, Setting][]>();
  for (const [name, setting] of Object.entries(table)) {
    groups.set(setting.group, [...(groups.get(setting.group) ?? []), [name, setting]]);
  }
  return groups;
}

function describe(setting: Setting): string {
  const shown = showDefault(setting);
  return `${setting.help}${setting.kind.list ? " (repeatable)" : ""}${shown && ` [${shown}]`}`;
}

const USAGE_COLUMN = 34;
/** The default width of terminals. */
const WIDTH = 80;

/** Lines that fit beside the flags; a word longer than that has a line to itself. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= WIDTH - USAGE_COLUMN) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function explain(name: string, setting: Setting): string {
  const usage = `  ${flagUsage(name, setting)}`;
  const text = wrap(describe(setting));
  const beside = usage.length < USAGE_COLUMN ? [usage.padEnd(USAGE_COLUMN) + text.shift()] : [usage];
  return [...beside, ...text.map((line) => " ".repeat(USAGE_COLUMN) + line)].join("\n");
}

export function settingsHelp(table: Settings): string {
  const sections = [...byGroup(table)].map(([group, settings]) => {
    const lines = settings.map(([name, setting]) => explain(name, setting));
    return `${group}:\n${lines.join("\n")}`;
  });
  return sections.join("\n\n");
}

/** The tables of docs/settings.md, one for each group. */
export function settingsMarkdown(table: Settings): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  const row = ([name, setting]: [string, Setting]) => {
    const help = `${setting.help}${setting.kind.list ? " (repeatable)" : ""}`;
    return `| \`${cell(flagUsage(name, setting))}\` | \`${variableName(name)}\` | ${showDefault(setting) || "–"} | ${cell(help)} |`;
  };
  const sections = [...byGroup(table)].map(([group, settings]) =>
    [
      `## ${group}\n`,
      "| flag | variable | default | what it does |",
      "|---|---|---|---|",
      ...settings.map(row),
    ]
      .map((line) => `${line}\n`)
      .join(""),
  );
  return sections.join("\n");
}
