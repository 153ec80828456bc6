export { checkTogether } from "./check-together.ts";
export { defaultDataDir } from "./data-dir.ts";
export { under } from "./declare.ts";
export { type ParsedFlags, parseFlags } from "./flags.ts";
export { flagUsage, settingsHelp, settingsMarkdown } from "./help.ts";
export { homeFolder } from "./home-folder.ts";
export type { Kind } from "./kinds.ts";
export * as kinds from "./kinds.ts";
export { loadSettings, type Sources } from "./load.ts";
export {
  flagName,
  type Setting,
  type Settings,
  showDefault,
  type Values,
  variableName,
  variablesOf,
} from "./setting.ts";
export { SERVE_SETTINGS, type ServeSettings } from "./settings.ts";
export { shown } from "./shown.ts";
export { parseToml } from "./toml.ts";
export { UsageError } from "./usage-error.ts";
