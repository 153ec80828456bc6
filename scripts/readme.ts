// `bun scripts/readme.ts`: writes the settings table into the README. A test fails when it is out of date.
import { join } from "node:path";
import { SERVE_SETTINGS, settingsMarkdown } from "../src/config/index.ts";

const SECTION = /(<!-- settings: [^>]*-->\n)[\s\S]*?(<!-- \/settings -->)/;

export function withSettingsTable(readme: string): string {
  return readme.replace(
    SECTION,
    (_all, open, close) => `${open}${settingsMarkdown(SERVE_SETTINGS)}\n${close}`,
  );
}

if (import.meta.main) {
  const path = join(import.meta.dir, "..", "README.md");
  await Bun.write(path, withSettingsTable(await Bun.file(path).text()));
}
