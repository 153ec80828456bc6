// The kinds of values a setting can have: how text becomes a value, and what to say when it does not.
import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { parseDuration } from "../lib/duration.ts";
import { hostAndPort as hostAndPortOf, unbracketed } from "../lib/host-and-port.ts";
import { percentDecoded } from "../lib/percent-decoding.ts";
import { formatSize, parseSize } from "../lib/size.ts";
import { homeFolder } from "./folders.ts";
import { parseSmtpUrl } from "./smtp-url.ts";
import { suggest, UsageError } from "./usage-error.ts";

export interface Kind<Value> {
  /** Stands for the value in help texts: `--smtp-port <port>`. Empty for switches. */
  readonly placeholder: string;
  /** Completes the sentence "accepted: …". */
  readonly accepts: string;
  /** Undefined when the text is not acceptable. */
  parse(text: string): Value | undefined;
  /** How a default is shown. */
  show(value: Value): string;
  /** Holds a password: never repeated in a message. */
  readonly secret?: true;
  /** Repeatable settings collect every value given. */
  readonly list?: true;
  /** Separates several values in a variable; by default a comma. */
  readonly separator?: RegExp;
  /** A table in TOML, JSON elsewhere, so commas are part of the text. Lists of these are combined from all sources. */
  readonly structured?: true;
  /** The literal values, where there are few: for completions. */
  readonly choices?: readonly string[];
}

export const text: Kind<string> = {
  placeholder: "text",
  accepts: "any text that is not empty",
  parse: (value) => (value === "" ? undefined : value),
  show: (value) => value,
};

/** For settings where an empty text has a meaning, such as the null sender. */
export const anyText: Kind<string> = { ...text, accepts: "any text", parse: (value) => value };

export const path: Kind<string> = {
  ...text,
  placeholder: "path",
  accepts: "a path",
  // Shells do not expand ~ in variables and files, and most not in --flag=~/path.
  parse: (value) => text.parse(value)?.replace(/^~(?=$|[/\\])/, () => homeFolder("write the path without ~")),
};

/** Labels with dots in between, perhaps one at the end. Docker's --env-file leaves quotes where they are. */
const HOST_NAME = /^(?:[^\s/@*:,.[\]"']+\.)*[^\s/@*:,.[\]"']+\.?$/;

export const host: Kind<string> = {
  ...text,
  placeholder: "host",
  accepts: "an IP address or a host name",
  parse: (value) => (isIP(value) !== 0 || HOST_NAME.test(value) ? value : undefined),
};
const isHostPattern = (value: string) =>
  HOST_NAME.test(value.replace(/^\*\./, "")) || isIPv6(unbracketed(value));

const asciiLabel = (label: string) => domainToASCII(label) || label;

/** The port does not matter: browsers send it, but it says nothing about the client. */
export const hostPattern: Kind<string> = {
  ...text,
  placeholder: "host",
  accepts: "a host name without a port, such as mail.example.com, or *.example.com",
  // As browsers send it: ä.example is xn--4ca.example.
  parse: (value) => (isHostPattern(value) ? value.replace(/[^*.[\]:]+/g, asciiLabel) : undefined),
};

/** Where mail may be sent on to; `*` with a port is any host. */
export const targetPattern: Kind<string> = {
  ...text,
  placeholder: "host",
  accepts: "host, host:port, *.example.com or *",
  parse: (value) => {
    const [, name = value, port = "1"] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(value) ?? [];
    const isPort = Number(port) >= 1 && Number(port) <= 65_535;
    return isPort && (name === "*" || isHostPattern(name)) ? value : undefined;
  },
};

export const hostAndPort: Kind<string> = {
  ...text,
  placeholder: "host:port",
  accepts: "host:port, such as 127.0.0.1:783",
  parse: (value) => {
    const [, name = value, port = "1"] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(value) ?? [];
    const isPort = Number(port) >= 1 && Number(port) <= 65_535;
    return isPort && isHostPattern(name) && !name.startsWith("*") ? value : undefined;
  },
};

/** RFC 5322, 3.6.8, without quotes: quotes around a name are not part of it. */
export const headerName: Kind<string> = {
  ...text,
  placeholder: "header",
  accepts: "the name of a header, such as X-Tags, without a colon",
  parse: (value) => (/^[!#-&(-9;-~]+$/.test(value) ? value : undefined),
};

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER, placeholder = "n"): Kind<number> {
  const upTo = maximum === Number.MAX_SAFE_INTEGER ? "up" : `to ${maximum}`;
  return {
    placeholder,
    accepts: `a whole number from ${minimum} ${upTo}`,
    parse: (value) => {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= minimum && number <= maximum ? number : undefined;
    },
    show: String,
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

const TIME_UNITS: readonly [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];

export const duration: Kind<number> = {
  placeholder: "time",
  accepts: "a span of time such as 500ms, 10s, 5m, 12h or 7d",
  parse: (value) => parseDuration(value.trim()) ?? undefined,
  show: (value) => {
    const [unit, factor] = TIME_UNITS.find(([, factor]) => value > 0 && value % factor === 0) ?? ["ms", 1];
    return `${value / factor}${unit}`;
  },
};

export const durationUpTo = (maximum: number): Kind<number> => ({
  ...duration,
  accepts: `a span of time such as 500ms, 10s or 2m, at most ${duration.show(maximum)}`,
  parse: (value) => {
    const span = duration.parse(value);
    return span === undefined || span > maximum ? undefined : span;
  },
});

/** For spans that must not be zero. */
export const someTime: Kind<number> = {
  ...duration,
  accepts: "a time span above 0, such as 500ms, 10s, 5m, 12h or 7d",
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
  show: (value) => (value ? "on" : "off"),
};

export function oneOf<const Choice extends string>(...choices: Choice[]): Kind<Choice> {
  return {
    placeholder: choices.join("|"),
    accepts: choices.join(", "),
    parse: (value) => choices.find((choice) => choice === value),
    show: (value) => value,
    choices,
  };
}

export function listOf<Value>(item: Kind<Value>): Kind<Value[]> {
  return {
    placeholder: item.placeholder,
    accepts: item.accepts,
    parse: (value) => {
      const parsed = item.parse(value);
      return parsed === undefined ? undefined : [parsed];
    },
    show: (values) => values.map((value) => item.show(value)).join(", "),
    list: true,
    ...(item.secret && { secret: true }),
    ...(item.structured && { structured: true }),
    ...(item.separator && { separator: item.separator }),
  };
}

/** Its fields are checked where it is used. A variable may hold an array of several. */
export const json: Kind<object> = {
  placeholder: "json",
  accepts: "a JSON object, or a table in a TOML file",
  parse: (value) => {
    try {
      const parsed: unknown = JSON.parse(value);
      return typeof parsed === "object" && parsed !== null ? parsed : undefined;
    } catch {
      return undefined;
    }
  },
  show: (value) => JSON.stringify(value),
  structured: true,
};

/** A name alone, or a table. */
export const inbox: Kind<object> = {
  ...json,
  placeholder: "name",
  accepts: "the name of an inbox, or a JSON object or table with its name, port, limits and match",
  parse: (value) => (/^[[{]/.test(value.trim()) ? json.parse(value) : { name: value }),
};

/** Shells and Docker's --env-file strip only the LF of a Windows line end. */
export const withoutLineEnd = (given: string): string => given.replace(/(?:\r?\n|\r)$/, "");

/** `user:password`; the first colon divides them. No browser can send a control character (RFC 7617, 2). */
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
  ...credentials,
  accepts:
    "user:password, neither of them empty, perhaps with read=, write= or admin= in front; no other = in the user",
  parse: (value) => {
    const [, role = "admin", rest = ""] = /^(?:(read|write|admin)=)?(.*)$/s.exec(value) ?? [];
    const pair = credentials.parse(rest);
    // Otherwise a misspelt role would make an admin.
    return pair === undefined || /^[^:]*=/.test(pair) ? undefined : { role: role as HttpUser["role"], pair };
  },
  show: ({ pair }) => pair,
  // A comma may be part of a password.
  separator: /,\s*(?=[^:,]+:)/,
};

export interface ClaimRule {
  readonly claim: string;
  readonly value: string;
  readonly role: "read" | "write" | "admin";
  readonly inbox: string | null;
}

/** The name of a claim may be a URL. Administration is for all mail. */
const CLAIM_RULE = /^([^=\s]+)=(.+?):(read|write|admin)(?:(?<!admin):([^:\s]+))?$/;

export const claimRule: Kind<ClaimRule> = {
  placeholder: "claim=value:role",
  accepts:
    "claim=value:role, or with read or write also claim=value:role:inbox, such as groups=qa:write or email=*@example.com:read",
  parse: (value) => {
    const [all, claim = "", wanted = "", role = "read", inbox = null] = CLAIM_RULE.exec(value) ?? [];
    return all === undefined ? undefined : { claim, value: wanted, role: role as ClaimRule["role"], inbox };
  },
  show: ({ claim, value, role }) => `${claim}=${value}:${role}`,
};

export const issuer: Kind<string> = {
  ...text,
  placeholder: "issuer",
  accepts: "the address of an OpenID Connect provider, such as https://id.example.com/realms/team",
  parse: (value) => (/^https?:\/\/[^\s@?#]+$/.test(value) && URL.canParse(value) ? value : undefined),
};

export const secretText: Kind<string> = { ...text, secret: true };

/** Browsers name it in small letters and without a usual port, which `URL` sees to. */
const ORIGIN = /^https?:\/\/[^/\\?#@*\s]+\/?$/i;

export const origin: Kind<string> = {
  ...text,
  placeholder: "origin",
  accepts: "an http or https origin such as https://app.example.com, without *",
  parse: (value) => (ORIGIN.test(value) ? URL.parse(value)?.origin : undefined),
};

/** A path that begins like one of Mailkeep's own paths would be ambiguous. */
const OWN_PATHS = /^\/(?:api|assets|auth|compat|docs|messages|metrics)(?:\/|$)/;

/** A URL path, so completions must not offer files. No trailing slash; empty for the root. */
export const sitePath: Kind<string> = {
  ...text,
  placeholder: "url-path",
  accepts:
    "a path such as /mail or /tools/mail, of letters, digits and - . _ ~, not below /api, /assets, /auth, /compat, /docs, /messages or /metrics",
  parse: (value) => {
    const path = value.replace(/^(?!\/)/, "/").replace(/\/$/, "");
    const isPlain = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(path);
    return value !== "" && isPlain && !OWN_PATHS.test(path) ? path : undefined;
  },
};

/** Credentials, path and query may all be secrets. */
export const webUrl: Kind<string> = {
  ...text,
  placeholder: "url",
  accepts: "an http or https URL such as https://user:password@example.com/hook",
  parse: (value) => {
    const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
    const isSound = url && percentDecoded(url.username) !== null && percentDecoded(url.password) !== null;
    return isSound ? url.href : undefined;
  },
  secret: true,
};

/** A table of the settings file, with its keys checked. Values are never shown: they may be secrets. */
function tableOf(text: string, what: string, known: readonly string[]): Record<string, unknown> {
  const table = parsedTable(text);
  for (const key of Object.keys(table)) {
    if (known.includes(key)) continue;
    const hint = suggest(key, known, (name) => `'${name}'`, known.join(", "));
    throw new UsageError(`${what}: unknown key '${key}'; ${hint}`);
  }
  return table;
}

function parsedTable(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export interface WebhookSetting {
  readonly url: string;
  /** In the words of the list's query: `to=ann@example.com&tag=order`. */
  readonly filter: string;
  readonly secret: string | undefined;
  readonly format: "event" | "slack";
}

/** As the Standard Webhooks specification writes it: 24 to 64 bytes in base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

export const webhookSecret: Kind<string> = {
  ...text,
  placeholder: "whsec_…",
  accepts: "whsec_ and 24 to 64 random bytes in base64, as from: echo whsec_$(openssl rand -base64 32)",
  parse: (value) => (SECRET.test(value) ? value : undefined),
  secret: true,
};

const WEBHOOK_KEYS = ["url", "filter", "secret", "format"];

export const webhook: Kind<WebhookSetting> = {
  ...webUrl,
  show: ({ url }) => url,
  parse: (value) => {
    const table = value.startsWith("{") ? tableOf(value, "webhook", WEBHOOK_KEYS) : { url: value };
    const url = webUrl.parse(String(table.url));
    if (url === undefined) return undefined;
    const secret = optional(webhookSecret, table.secret, "webhook: 'secret'");
    const format = optional(oneOf("event", "slack"), table.format, "webhook: 'format'") ?? "event";
    return { url, secret, format, filter: filterText(table.filter) };
  },
  structured: true,
  // A comma may be part of a URL.
  separator: /,\s*(?=https?:\/\/)/i,
};

function optional<Value>(kind: Kind<Value>, given: unknown, what: string): Value | undefined {
  if (given === undefined) return undefined;
  const value = typeof given === "string" ? kind.parse(given) : undefined;
  if (value === undefined) throw new UsageError(`${what} is not valid; accepted: ${kind.accepts}`);
  return value;
}

/** A filter may be a text or a table. Its names are checked elsewhere. */
function filterText(given: unknown): string {
  if (typeof given !== "object" || given === null) return String(given ?? "");
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

/** As a release request names it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: TlsMode;
  readonly tls_verify?: boolean;
}

type TlsMode = "none" | "starttls" | "implicit";
const TLS_MODES: readonly TlsMode[] = ["none", "starttls", "implicit"];
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

export const smtpUrl: Kind<MailServer> = {
  placeholder: "smtp-url",
  accepts:
    "smtp://user:password@host:587 or smtps://…, perhaps with ?tls=none, starttls or implicit, and tls_verify=true",
  parse: (value) => {
    const url = parseSmtpUrl(value);
    if (url === null) return undefined;
    const { host, isTls, credentials, query, port = isTls ? SUBMISSIONS_PORT : SUBMISSION_PORT } = url;
    const { tls, tls_verify, ...unknown } = Object.fromEntries(query);
    const mode = TLS_MODES.find((one) => one === (tls ?? (isTls ? "implicit" : undefined)));
    const verify = tls_verify === undefined ? false : toggle.parse(tls_verify);
    if (Object.keys(unknown).length > 0 || (tls && !mode) || verify === undefined) return undefined;
    return {
      host,
      port,
      tls_verify: verify,
      ...(credentials && { username: credentials.user, password: credentials.password }),
      ...(mode && { tls: mode }),
    };
  },
  show: ({ host, port }) => hostAndPortOf(host, port),
  secret: true,
};

/** The URL is given to Bun unchanged: Bun knows more parameters than we could list. */
const urlOf = (placeholder: string, protocols: readonly string[], accepts: string): Kind<string> => ({
  ...text,
  placeholder,
  accepts,
  parse: (value) => {
    const url = URL.parse(value);
    return url !== null && protocols.includes(url.protocol) && url.hostname !== "" ? value : undefined;
  },
  show: (value) => new URL(value).host,
  secret: true,
});

export const postgresUrl = urlOf(
  "postgres-url",
  ["postgres:", "postgresql:"],
  "postgres://user:password@host:5432/database, perhaps with ?sslmode=verify-full",
);

export const s3Url = urlOf("s3-url", ["s3:"], "s3://bucket or s3://bucket/prefix");

/** `*` is any text, so that `*@example.com` is everybody there. */
export const addressPattern: Kind<string> = {
  ...text,
  placeholder: "address",
  accepts: "ann@example.com, *@example.com or *",
  parse: (value) => (/^(?:\*|[^\s<>,@]+@[^\s<>,@]+)$/.test(value) ? value : undefined),
};

export const network: Kind<string> = {
  ...text,
  placeholder: "network",
  accepts: "an IP address or a network such as 10.0.0.0/8",
  parse: (value) => {
    const [address = "", bits = "0", ...more] = value.split("/");
    const most = isIPv6(address) ? 128 : 32;
    const isSound = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
    return isSound && more.length === 0 ? value : undefined;
  },
};
