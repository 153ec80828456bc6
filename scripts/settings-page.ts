// `bun scripts/settings-page.ts`: writes the tables of docs/settings.md. A test fails when they are out of date.
import { join } from "node:path";
import { SERVE_SETTINGS, settingsMarkdown } from "../src/config/index.ts";

const SECTION = /(<!-- settings: [^>]*-->\n)[\s\S]*?(<!-- \/settings -->)/;

export const withSettings = (page: string): string =>
  page.replace(SECTION, (_all, open, close) => `${open}${settingsMarkdown(SERVE_SETTINGS)}\n${close}`);

if (import.meta.main) {
  const path = join(import.meta.dir, "..", "docs", "settings.md");
  await Bun.write(path, withSettings(await Bun.file(path).text()));
}
