// The settings of `mailkeep run`: its own, and those of its private server that tests may want to change.
import {
  kinds,
  loadSettings,
  SERVE_SETTINGS,
  type ServeSettings,
  type Setting,
  under,
  type Values,
} from "../config/index.ts";

function asFlag<One extends Setting>(setting: One): One {
  return { ...setting, flagOnly: true };
}

const flags = under("Run", { flagOnly: true });
const OWN_SETTINGS = {
  quiet: flags.toggle("Do not print what was captured"),
  keep: flags.optional(kinds.path, "Save the captured mails as .eml files in this folder"),
  expect: flags.optional(kinds.integer(0), "Fail unless exactly this many mails were captured"),
};

/** What tests may want of their server, by flag only: the variables are those of the person's own one. */
const SERVER_SETTINGS = {
  maxMessageSize: asFlag(SERVE_SETTINGS.maxMessageSize),
  maxRecipients: asFlag(SERVE_SETTINGS.maxRecipients),
  tagPlusAddresses: asFlag(SERVE_SETTINGS.tagPlusAddresses),
  tagHeader: asFlag(SERVE_SETTINGS.tagHeader),
  smtpTls: asFlag(SERVE_SETTINGS.smtpTls),
  smtpTlsRequired: asFlag(SERVE_SETTINGS.smtpTlsRequired),
  smtpAuth: asFlag(SERVE_SETTINGS.smtpAuth),
  smtpAuthRequired: asFlag(SERVE_SETTINGS.smtpAuthRequired),
};
export type RunOptions = Values<typeof OWN_SETTINGS>;

export const RUN_SETTINGS = { ...OWN_SETTINGS, ...SERVER_SETTINGS };

/** Nothing of the person's own server is used: not its ports, not its folder, not its limits. */
export function privateSettings({
  quiet,
  keep,
  expect,
  ...given
}: Values<typeof RUN_SETTINGS>): ServeSettings {
  const sources = { flags: new Map(), environment: {}, otherVariables: [], readToml: () => ({}) };
  const defaults = loadSettings(SERVE_SETTINGS, sources);
  return { ...defaults, ...given, smtpPort: 0, httpPort: 0, ephemeral: true };
}
