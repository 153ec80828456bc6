export { parseSmtpUrl, webUrl } from "./addresses.ts";
export { type ParsedFlags, parseFlags } from "./flags.ts";
export * as kinds from "./kinds.ts";
export { type HttpUser, homeFolder, type Kind } from "./kinds.ts";
export { loadSettings, parseToml, type Sources } from "./load.ts";
export { fromMailpit } from "./mailpit-env.ts";
export {
  byGroup,
  describeSetting,
  flagName,
  flagUsage,
  type Setting,
  type Settings,
  settingsHelp,
  showDefault,
  under,
  type Values,
  variableName,
  variablesOf,
} from "./setting.ts";
export { checkTogether, SERVE_SETTINGS, type ServeSettings } from "./settings.ts";
export { shown, suggest, UsageError } from "./usage-error.ts";
