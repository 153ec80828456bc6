// `bun scripts/settings-page.ts`: writes the tables of docs/settings.md. A test fails when they are out of date.
import { join } from "node:path";
import {
  byGroup,
  describeSetting,
  flagUsage,
  SERVE_SETTINGS,
  type Setting,
  showDefault,
  variableName,
} from "../src/config/index.ts";

const SECTION = /(<!-- settings: [^>]*-->\n)[\s\S]*?(<!-- \/settings -->)/;

const cell = (text: string) => text.replaceAll("|", "\\|");

function row([name, setting]: [string, Setting]): string {
  const shown = showDefault(setting) || "–";
  return `| \`${cell(flagUsage(name, setting))}\` | \`${variableName(name)}\` | ${shown} | ${cell(describeSetting(setting))} |\n`;
}

function table([group, settings]: [string, [string, Setting][]]): string {
  const head = "| flag | variable | default | what it does |\n|---|---|---|---|\n";
  return `## ${group}\n\n${head}${settings.map(row).join("")}\n`;
}

export const withSettings = (page: string): string =>
  page.replace(SECTION, (_, open, close) => open + [...byGroup(SERVE_SETTINGS)].map(table).join("") + close);

if (import.meta.main) {
  const path = join(import.meta.dir, "..", "docs", "settings.md");
  await Bun.write(path, withSettings(await Bun.file(path).text()));
}
