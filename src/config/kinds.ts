// The kinds of values of settings: how text becomes a value, and how an error describes valid text.
import { homedir } from "node:os";
import { formatSize, parseSize } from "../lib/numbers.ts";
import { parseDuration, UNITS_MS } from "../lib/time.ts";
import { UsageError } from "./usage-error.ts";

export interface Kind<Value> {
  /** Stands for the value in help texts: `--smtp-port <port>`. Empty for switches. */
  readonly placeholder: string;
  /** Completes the sentence "accepted: …". */
  readonly accepts: string;
  /** Undefined if the text is not valid. `origin` is the flag, variable or key that errors name. */
  parse(text: string, origin?: string): Value | undefined;
  /** How a default is shown, if not simply as text. */
  show?(value: Value): string;
  /** The value may hold a password, so messages never repeat it. */
  readonly secret?: true;
  /** The setting is repeatable and collects every value. */
  readonly list?: true;
  /** Separates the values in an environment variable. By default a comma; `structured` values are not split. */
  readonly separator?: RegExp;
  /**
   * The value may be a table in TOML, or JSON in a flag or variable. A list collects the values of
   * all sources.
   */
  readonly structured?: true;
  /** The possible values, if there are few. Used by shell completions. */
  readonly choices?: readonly string[];
}

export const text: Kind<string> = {
  placeholder: "text",
  accepts: "any text that is not empty",
  parse: (value) => (value === "" ? undefined : value),
};

export const secretText: Kind<string> = { ...text, secret: true };

/** Text that is taken unchanged if it is valid. */
export const textIf = (
  placeholder: string,
  accepts: string,
  isValid: (value: string) => boolean,
): Kind<string> => ({
  ...text,
  placeholder,
  accepts,
  parse: (value) => (isValid(value) ? value : undefined),
});

/** A container's user may have no home folder. The error then gives the advice in `instead`. */
export function homeFolder(instead: string): string {
  try {
    return homedir();
  } catch {
    throw new UsageError(`HOME is not set, and this user has no home folder: ${instead}`);
  }
}

export const path: Kind<string> = {
  ...text,
  placeholder: "path",
  accepts: "a path",
  // Nothing else expands ~ in a settings file, and most shells do not in --flag=~/path.
  parse: (value) => text.parse(value)?.replace(/^~(?=$|[/\\])/, () => homeFolder("write the path without ~")),
};

/** RFC 5322, 3.6.8, but without quotes: somebody may have put them around the name by mistake. */
export const headerName = textIf("header", "the name of a header, such as X-Tags, without a colon", (value) =>
  /^[!#-&(-9;-~]+$/.test(value),
);

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER, placeholder = "n"): Kind<number> {
  const upTo = maximum === Number.MAX_SAFE_INTEGER ? "upwards" : `to ${maximum}`;
  return {
    placeholder,
    accepts: `a whole number from ${minimum} ${upTo}`,
    parse: (value) => {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= minimum && number <= maximum ? number : undefined;
    },
  };
}

export const port = integer(0, 65_535, "port");

export const size: Kind<number> = {
  placeholder: "size",
  accepts: "a size above 0, such as 50MiB, 2GB or 1048576",
  parse: (value) => {
    const bytes = parseSize(value);
    return bytes === null || bytes < 1 ? undefined : bytes;
  },
  show: formatSize,
};

export const duration: Kind<number> = {
  placeholder: "time",
  accepts: "a span of time such as 500ms, 10s, 5m, 12h or 7d",
  parse: (value) => parseDuration(value.trim()) ?? undefined,
  show: (value) => {
    const [unit, factor] = Object.entries(UNITS_MS).findLast(([, ms]) => value % ms === 0) ?? ["ms", 1];
    return `${value / factor}${unit}`;
  },
};

export const someTime: Kind<number> = {
  ...duration,
  accepts: "a span of time above 0, such as 500ms, 10s, 5m, 12h or 7d",
  parse: (value) => duration.parse(value) || undefined,
};

const TRUE = ["true", "yes", "on", "1"];
const FALSE = ["false", "no", "off", "0"];

export const toggle: Kind<boolean> = {
  placeholder: "",
  accepts: "true or false",
  parse: (value) => {
    const word = value.toLowerCase();
    if (TRUE.includes(word)) return true;
    return FALSE.includes(word) ? false : undefined;
  },
};

/** For a flag of a single run, which is off by default: `false` is refused. */
export const onlyOn: Kind<boolean> = {
  ...toggle,
  accepts: "true, or leave the flag out",
  parse: (value) => toggle.parse(value) || undefined,
};

export function oneOf<const Choice extends string>(...choices: Choice[]): Kind<Choice> {
  return {
    placeholder: choices.join("|"),
    accepts: choices.join(", "),
    parse: (value) => choices.find((choice) => choice === value),
    choices,
  };
}

export const listOf = <Value>({ show: _, ...item }: Kind<Value>): Kind<Value[]> => ({
  ...item,
  parse: (value, origin) => {
    const parsed = item.parse(value, origin);
    return parsed === undefined ? undefined : [parsed];
  },
  list: true,
});

/** An object or an array; undefined for any other text. */
export function jsonObject(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export interface Declaration {
  /** Not checked yet: the code that uses the declaration does that. */
  readonly value: unknown;
  readonly origin: string;
}

export const declarations: Kind<Declaration[]> = {
  placeholder: "json",
  accepts: "a JSON object, or a table in a TOML file",
  parse: (text, origin = "") => {
    const parsed = jsonObject(text);
    return parsed && [parsed].flat().map((value) => ({ value, origin }));
  },
  list: true,
  structured: true,
};

export const inboxes: Kind<Declaration[]> = {
  ...declarations,
  placeholder: "name",
  accepts: "the name of an inbox, or a JSON object or table with its name, port, limits and match",
  parse: (text, origin = "") =>
    /^[[{]/.test(text.trim()) ? declarations.parse(text, origin) : [{ value: { name: text }, origin }],
  // Splits at commas before a name, not within an object, where a "}" follows.
  separator: /,(?![^{]*\})(?=\s*[\w.-]+\s*(?:,|$))/,
};

/** A shell that reads a file with Windows line ends keeps the CR in a value. */
export const withoutLineEnd = (given: string): string => given.replace(/(?:\r?\n|\r)$/, "");

/** `user:password`, divided at the first colon. RFC 7617 section 2 forbids control characters. */
export const credentials: Kind<string> = {
  ...text,
  placeholder: "user:password",
  accepts: "user:password, neither of them empty",
  parse: (value) => /^[^:\p{Cc}]+:\P{Cc}+$/u.exec(withoutLineEnd(value))?.[0],
  secret: true,
};

export interface HttpUser {
  readonly role: "read" | "write" | "admin";
  /** `user:password` */
  readonly pair: string;
}

export const httpUser: Kind<HttpUser> = {
  placeholder: credentials.placeholder,
  secret: true,
  accepts:
    "user:password, or with a role read=user:password, write=… or admin=…; user and password must not be empty, and the user must not contain =",
  parse: (value) => {
    const [, role = "admin", rest = ""] = /^(?:(read|write|admin)=)?(.*)$/s.exec(value) ?? [];
    const pair = credentials.parse(rest);
    // Without this check, a misspelt role such as raed=ann:secret would make an admin.
    return pair === undefined || /^[^:]*=/.test(pair) ? undefined : { role: role as HttpUser["role"], pair };
  },
  // A comma may be part of a password.
  separator: /,\s*(?=[^:,]+:)/,
};

/** A claim's name may be a URL. An admin sees all mail: only read and write can name an inbox. */
const CLAIM_RULE = /^([^=\s]+)=(.+?):(read|write|admin)(?:(?<!admin):([^:\s]+))?$/;

export const claimRule = {
  placeholder: "claim=value:role",
  accepts:
    "claim=value:role, such as groups=qa:write or email=*@example.com:read; for one inbox claim=value:read:inbox or claim=value:write:inbox",
  parse: (value) => {
    const [all, claim = "", wanted = "", role = "read", inbox = null] = CLAIM_RULE.exec(value) ?? [];
    return all === undefined ? undefined : { claim, value: wanted, role: role as HttpUser["role"], inbox };
  },
} satisfies Kind<unknown>;
