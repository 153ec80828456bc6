export { parseSmtpUrl, webUrl } from "./addresses.ts";
export { type ParsedFlags, parseFlags } from "./flags.ts";
export { defaultDataDir, homeFolder } from "./folders.ts";
export { flagUsage, settingsHelp, settingsMarkdown } from "./help.ts";
export type { HttpUser, Kind } from "./kinds.ts";
export * as kinds from "./kinds.ts";
export { loadSettings, type Sources } from "./load.ts";
export { fromMailpit } from "./mailpit-env.ts";
export {
  flagName,
  type Setting,
  type Settings,
  showDefault,
  under,
  type Values,
  variableName,
  variablesOf,
} from "./setting.ts";
export { checkTogether, SERVE_SETTINGS, type ServeSettings } from "./settings.ts";
export { parseToml } from "./toml.ts";
export { shown, suggest, UsageError } from "./usage-error.ts";
