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

export function settingsHelp(table: Settings): string {
  const sections = [...byGroup(table)].map(([group, settings]) => {
    const lines = settings.map(([name, setting]) => {
      const usage = `  ${flagUsage(name, setting)}`;
      const fits = usage.length < USAGE_COLUMN;
      return fits
        ? usage.padEnd(USAGE_COLUMN) + describe(setting)
        : `${usage}\n${" ".repeat(USAGE_COLUMN)}${describe(setting)}`;
    });
    return `${group}:\n${lines.join("\n")}`;
  });
  return sections.join("\n\n");
}

/** The README's table; a test keeps the README equal to this. */
export function settingsMarkdown(table: Settings): string {
  const rows = Object.entries(table).map(([name, setting]) => {
    const usage = flagUsage(name, setting).replaceAll("|", "\\|");
    return `| \`${usage}\` | \`${variableName(name)}\` | ${showDefault(setting) || "–"} | ${setting.help.replaceAll("|", "\\|")}${setting.kind.list ? " (repeatable)" : ""} |`;
  });
  return ["| flag | variable | default | what it does |", "|---|---|---|---|", ...rows].join("\n");
}
