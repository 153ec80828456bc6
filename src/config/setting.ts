// A setting is declared once for its flag, environment variable, TOML key and line of help.
import { type Kind, listOf, onlyOn, toggle as toggleKind } from "./kinds.ts";

export interface Setting<Value = unknown, Default = Value | undefined> {
  readonly kind: Kind<Value>;
  /** The value if no flag, variable or key gives one; undefined for "not set". */
  readonly default: Default;
  /** What help texts show instead of `default`. */
  readonly shownDefault?: string;
  /** One sentence without a full stop. */
  readonly help: string;
  /** The heading in the help text. */
  readonly group: string;
  /** For a choice about one run of a command: it has no variable and no TOML key. */
  readonly flagOnly?: true;
  /** A setting that excludes this one. `why` completes the sentence "… cannot be combined: …". */
  readonly rival?: { readonly name: string; readonly why: string };
}

export type Settings = Readonly<Record<string, Setting>>;

/** The loaded values of a table of settings. Settings with a default always have a value. */
export type Values<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value, infer Default>
    ? undefined extends Default
      ? Value | undefined
      : Value
    : never;
};

export const ENVIRONMENT_PREFIX = "MAILKEEP_";

/** `maxMessageSize` → `max-message-size`, the name of the flag and of the TOML key. */
export const flagName = (name: string): string => name.replace(/[A-Z]/g, (char) => `-${char.toLowerCase()}`);

/** `maxMessageSize` → `MAILKEEP_MAX_MESSAGE_SIZE`. */
export const variableName = (name: string): string =>
  ENVIRONMENT_PREFIX + flagName(name).replaceAll("-", "_").toUpperCase();

export const variablesOf = (table: Settings): string[] =>
  Object.entries(table)
    .filter(([, { flagOnly }]) => !flagOnly)
    .map(([name]) => variableName(name));

export const describeSetting = ({ help, kind }: Setting): string =>
  `${help}${kind.list ? " (repeatable)" : ""}`;

/** The default as help texts and tables show it; empty when there is none. */
export function showDefault(setting: Setting): string {
  if (setting.shownDefault !== undefined) return setting.shownDefault;
  if (setting.default === undefined || setting.default === false) return "";
  return setting.kind.show?.(setting.default) ?? String(setting.default);
}

type Extra = Pick<Setting, "shownDefault" | "flagOnly" | "rival">;

/** Declares settings under one heading of the help text. */
export function under(group: string, common: Extra = {}) {
  const declare = <Value, Default>(
    kind: Kind<Value>,
    value: Default,
    help: string,
    extra: Extra = {},
  ): Setting<Value, Default> => ({ kind, default: value, help, group, ...common, ...extra });
  return {
    withDefault: <Value>(kind: Kind<Value>, value: Value, help: string) => declare(kind, value, help),
    optional: <Value>(kind: Kind<Value>, help: string, extra?: Extra) =>
      declare(kind, undefined, help, extra),
    toggle: (help: string, extra?: Extra) =>
      declare(common.flagOnly ? onlyOn : toggleKind, false as boolean, help, extra),
    list: <Value>(kind: Kind<Value>, help: string) => declare(listOf(kind), [] as Value[], help),
  };
}

// Help texts

export const byGroup = (table: Settings) => Map.groupBy(Object.entries(table), ([, { group }]) => group);

/** `--smtp-port <port>` */
export function flagUsage(name: string, { kind }: Setting): string {
  return `--${flagName(name)}${kind.placeholder && ` <${kind.placeholder}>`}`;
}

const USAGE_COLUMN = 34;
const WIDTH = 80;

function explain(name: string, setting: Setting): string {
  const usage = `  ${flagUsage(name, setting)}`;
  const shown = showDefault(setting);
  const help = `${describeSetting(setting)}${shown && ` [${shown}]`}`;
  const text = Bun.wrapAnsi(help, WIDTH - USAGE_COLUMN).split("\n");
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
