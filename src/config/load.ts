// Reads the settings. Precedence: flags, variables, Mailpit's variables, the TOML file.
// Webhooks, faults and inboxes of all sources are combined.
import { type Kind, path, toggle, withoutLineEnd } from "./kinds.ts";
import { fromMailpit } from "./mailpit-env.ts";
import { ENVIRONMENT_PREFIX, flagName, type Settings, type Values, variableName } from "./setting.ts";
import { shown, suggest, UsageError } from "./usage-error.ts";

type Texts = readonly string[];

export interface Sources {
  /** Setting name → texts, from the command line. */
  readonly flags: ReadonlyMap<string, Texts>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further variables with our prefix that are allowed, such as those of other commands. */
  readonly otherVariables: readonly string[];
  /** Reads the file that `config` names; throws a UsageError when it cannot. */
  readonly readToml: (path: string) => Record<string, unknown>;
}

function parseTexts(kind: Kind<unknown>, texts: Texts, origin: string): unknown {
  const values = texts.map((given) => {
    const value = kind.parse(given, origin);
    if (value === undefined) {
      const isSplit = origin.startsWith(ENVIRONMENT_PREFIX) && texts.length > 1;
      const hint = isSplit ? "; commas in a variable separate several values" : "";
      const named = kind.secret ? "the value" : shown(given);
      throw new UsageError(`${origin}: ${named} is not valid; accepted: ${kind.accepts}${hint}`);
    }
    return value;
  });
  return kind.list ? values.flat() : values.at(-1);
}

const configurable = (table: Settings) => Object.keys(table).filter((name) => !table[name]?.flagOnly);

/** Kubernetes and Docker links set variables with our prefix for a service called mailkeep. */
const MADE_UP_NAME = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$|_ENV_\w+$/;

/** A link's variable may have the name of a setting: `MAILKEEP_SMTP_PORT=tcp://10.0.0.1:1025`. */
const MADE_UP_VALUES: readonly (readonly [ending: string, value: RegExp])[] = [
  ["_PORT", /^(?:tcp|udp|sctp):\/\//],
  ["_NAME", /^\//],
];

const isServiceLink = (variable: string, value: string): boolean =>
  MADE_UP_NAME.test(variable) ||
  MADE_UP_VALUES.some(([ending, shape]) => variable.endsWith(ending) && shape.test(value));

/** A shell removes quotes, but Docker's --env-file does not. */
const IN_QUOTES = /^(["']).*\1\s*$/s;

const ALL_SETTINGS = "'mailkeep help serve'";

function fromEnvironment(table: Settings, { environment, otherVariables }: Sources): Map<string, Texts> {
  const names = new Map(configurable(table).map((name) => [variableName(name), name]));
  const found = new Map<string, Texts>();
  for (const [variable, text = ""] of Object.entries(environment)) {
    const given = withoutLineEnd(text);
    if (!variable.startsWith(ENVIRONMENT_PREFIX) || isServiceLink(variable, given)) continue;
    const name = names.get(variable);
    if (name === undefined && otherVariables.includes(variable)) continue;
    if (name === undefined) {
      const hint = suggest(variable, [...names.keys(), ...otherVariables], String, ALL_SETTINGS);
      throw new UsageError(`unknown variable ${variable}; ${hint}`);
    }
    if (given === "") continue;
    if (IN_QUOTES.test(given))
      throw new UsageError(`${variable}: remove the quotes: they would become part of the value`);
    const { list, structured, separator = structured ? undefined : "," } = table[name]?.kind ?? {};
    found.set(name, list && separator ? given.split(separator).map((item) => item.trim()) : [given]);
  }
  return found;
}

function fromToml(table: Settings, toml: Record<string, unknown>, path: string): Map<string, Texts> {
  const keys = configurable(table).filter((name) => name !== "config");
  const names = new Map(keys.map((name) => [flagName(name), name]));
  const found = new Map<string, Texts>();
  for (const [key, value] of Object.entries(toml)) {
    const name = names.get(key);
    if (name === undefined) {
      const hint = suggest(key, [...names.keys()], (found) => `'${found}'`, ALL_SETTINGS);
      throw new UsageError(`${path}: unknown key '${key}'; ${hint}`);
    }
    const kind = table[name]?.kind;
    const items = Array.isArray(value) && kind?.list ? value : [value];
    const isSwitch = kind?.placeholder === "";
    const { structured = false } = kind ?? {};
    const isWrong = (item: unknown) =>
      (typeof item === "object" && !structured) || (typeof item === "boolean" && !isSwitch);
    if (items.some(isWrong)) {
      throw new UsageError(`${path}: '${key}' is not valid; accepted: ${kind?.accepts}`);
    }
    found.set(
      name,
      items.map((item) => (typeof item === "object" ? JSON.stringify(item) : String(item))),
    );
  }
  return found;
}

export function loadSettings<const Table extends Settings>(table: Table, sources: Sources): Values<Table> {
  const environment = fromEnvironment(table, sources);
  const config = sources.flags.get("config") ?? environment.get("config");
  const configPath = config && String(parseTexts(path, config, "--config"));
  const toml =
    configPath === undefined
      ? new Map<string, Texts>()
      : fromToml(table, sources.readToml(configPath), configPath);

  const asksForMailpit = [sources.flags, environment, toml].find((texts) => texts.has("mailpitEnv"));
  const isMailpit = toggle.parse(asksForMailpit?.get("mailpitEnv")?.at(-1) ?? "false");
  const mailpit = isMailpit ? fromMailpit(sources.environment).settings : null;
  const layersOf = (name: string) => [
    { texts: sources.flags.get(name), origin: `--${flagName(name)}` },
    { texts: environment.get(name), origin: variableName(name) },
    { texts: mailpit?.get(name)?.texts, origin: mailpit?.get(name)?.variable ?? "" },
    { texts: toml.get(name), origin: `${configPath}: ${flagName(name)}` },
  ];
  const found = new Map<string, Found>();
  for (const [name, { kind }] of Object.entries(table)) {
    // Checks overridden values, too, so that no mistake stays hidden behind a stronger source.
    const given = layersOf(name).flatMap(({ texts, origin }, layer): Found[] =>
      texts === undefined ? [] : [{ value: parseTexts(kind, texts, origin), layer, origin }],
    );
    const [strongest] = given;
    if (strongest === undefined) continue;
    const addsUp = kind.list && kind.structured;
    found.set(name, addsUp ? { ...strongest, value: given.flatMap(({ value }) => value) } : strongest);
  }
  settleRivals(table, found);
  const values = Object.entries(table).map(([name, setting]) => [
    name,
    found.get(name)?.value ?? setting.default,
  ]);
  return Object.fromEntries(values) as Values<Table>;
}

interface Found {
  readonly value: unknown;
  /** The number of the source, from 0 for flags. The lower number wins. */
  readonly layer: number;
  /** How a message names the source: flag, variable or key. */
  readonly origin: string;
}

/** The stronger source wins. Two rivals in one source are an error, unless one is `false`. */
function settleRivals(table: Settings, found: Map<string, Found>): void {
  for (const [name, { rival }] of Object.entries(table)) {
    const [one, other] = [found.get(name), found.get(rival?.name ?? "")];
    if (!rival || !one?.value || !other?.value) continue;
    if (one.layer === other.layer) {
      throw new UsageError(`${one.origin} and ${other.origin} cannot be combined: ${rival.why}`);
    }
    found.delete(one.layer < other.layer ? rival.name : name);
  }
}

// The settings file

/** Finding the faulty line takes quadratic time. Real settings files are shorter than this. */
const MAX_SEARCHED_LINES = 1000;

/** Errors name line and kind of a mistake. They quote nothing: the file may contain passwords. */
export function parseToml(text: string, path: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    const kind = withoutContent((error as Error).message);
    const lines = text.split("\n");
    const place = lines.length <= MAX_SEARCHED_LINES ? `line ${faultyLine(lines)}: ` : "";
    throw new UsageError(`${path} is not valid TOML: ${place}${kind}`);
  }
}

/** Cuts off text quoted from the file, as in "but found 'x'". Keeps the '=' in "Expected '='". */
const withoutContent = (message: string): string =>
  message.replace(/^TOML Parse error: /, "").replace(/(?: but found |: | ['"`](?![=,\]}]+')).*$/s, "");

/** The line of the mistake. Bun does not report it, so we parse the text with ever fewer lines. */
function faultyLine(lines: readonly string[]): number {
  let sound = lines.length - 1;
  while (sound > 0 && !isToml(lines.slice(0, sound).join("\n"))) sound--;
  const blank = lines.slice(sound).findIndex((line) => !/^\s*(?:#.*)?$/.test(line));
  return sound + Math.max(blank, 0) + 1;
}

function isToml(text: string): boolean {
  try {
    Bun.TOML.parse(text);
    return true;
  } catch {
    return false;
  }
}
