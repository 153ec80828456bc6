// Kinds of settings that say where something is: hosts, networks, URLs, mail addresses.
import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { unbracketed } from "../lib/hosts.ts";
import { near, percentDecoded } from "../lib/text.ts";
import { jsonObject, type Kind, oneOf, text, textIf, toggle } from "./kinds.ts";
import { UsageError } from "./usage-error.ts";

/** Labels between dots. Quotes are refused, because Docker's --env-file does not remove them. */
const HOST_NAME = /^(?:[^\s/@*:,.[\]"']+\.)*[^\s/@*:,.[\]"']+\.?$/;

export const host = textIf(
  "host",
  "an IP address or a host name",
  (value) => isIP(value) !== 0 || HOST_NAME.test(value),
);

const isHostPattern = (value: string) =>
  HOST_NAME.test(value.replace(/^\*\./, "")) || isIPv6(unbracketed(value));

const asciiLabel = (label: string) => domainToASCII(label) || label;

/** Without a port, because ports are not compared. */
export const hostPattern: Kind<string> = {
  ...text,
  placeholder: "host",
  accepts: "a host name without a port, such as mail.example.com, or *.example.com",
  // Browsers send ä.example as xn--4ca.example.
  parse: (value) => (isHostPattern(value) ? value.replace(/[^*.[\]:]+/g, asciiLabel) : undefined),
};

/** The host without its port. If the port is not valid, the result is not a valid host. */
function hostIn(value: string): string {
  const [, name = value, port = "1"] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(value) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535 ? name : "";
}

/** Servers that Mailkeep may connect to. `*` means any host; `*:587` allows only that port. */
export const targetPattern = textIf(
  "host",
  "host, host:port, *.example.com or *",
  (value) => hostIn(value) === "*" || isHostPattern(hostIn(value)),
);

export const hostAndPort = textIf(
  "host:port",
  "host:port, such as 127.0.0.1:783",
  (value) => isHostPattern(hostIn(value)) && !value.startsWith("*"),
);

export const issuer = textIf(
  "issuer",
  "the address of an OpenID Connect provider, such as https://id.example.com/realms/team",
  (value) => /^https?:\/\/[^\s@?#]+$/.test(value) && URL.canParse(value),
);

/** Accepts capitals and a default port; `parse` below returns the form that browsers send. */
const ORIGIN = /^https?:\/\/[^/\\?#@*\s]+\/?$/i;

export const origin: Kind<string> = {
  ...text,
  placeholder: "origin",
  accepts: "an http or https origin such as https://app.example.com, without *",
  parse: (value) => (ORIGIN.test(value) ? URL.parse(value)?.origin : undefined),
};

/** A path that begins like one of Mailkeep's own paths would be ambiguous. */
const OWN_PATHS = /^\/(?:api|assets|auth|compat|docs|mcp|messages|metrics)(?:\/|$)/;

/** Its placeholder is not `path`, because completions would then offer files. The value has no final slash. */
export const sitePath: Kind<string> = {
  ...text,
  placeholder: "url-path",
  accepts:
    "a path such as /mail or /tools/mail, of letters, digits and - . _ ~, not below /api, /assets, /auth, /compat, /docs, /mcp, /messages or /metrics",
  parse: (value) => {
    const path = value.replace(/^(?!\/)/, "/").replace(/\/$/, "");
    const isPlain = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(path);
    return value !== "" && isPlain && !OWN_PATHS.test(path) ? path : undefined;
  },
};

/** Credentials, path and query may all hold secrets, so no message shows the URL. */
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

/** Parses a table in JSON and checks its keys. Errors never show values, which may be secrets. */
function tableOf(text: string, origin: string, known: readonly string[]): Record<string, unknown> {
  const table: Record<string, unknown> = { ...jsonObject(text) };
  for (const key of Object.keys(table)) {
    if (known.includes(key)) continue;
    const meant = near(key, known);
    const hint = meant === null ? `the keys are ${known.join(", ")}` : `did you mean '${meant}'?`;
    throw new UsageError(`${origin}: unknown key '${key}'; ${hint}`);
  }
  return table;
}

/** 24 to 64 bytes in base64, as the Standard Webhooks specification demands. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

export const webhookSecret: Kind<string> = {
  ...textIf(
    "whsec_…",
    "whsec_ and 24 to 64 random bytes in base64; to make one: echo whsec_$(openssl rand -base64 32)",
    (value) => SECRET.test(value),
  ),
  secret: true,
};

const WEBHOOK_KEYS = ["url", "filter", "secret", "format"];

export const webhook = {
  placeholder: webUrl.placeholder,
  accepts: webUrl.accepts,
  secret: true,
  parse: (value, origin = "--webhook") => {
    const table = value.startsWith("{") ? tableOf(value, origin, WEBHOOK_KEYS) : { url: value };
    const url = webUrl.parse(String(table.url));
    if (url === undefined) return undefined;
    const secret = optional(webhookSecret, table.secret, `${origin}: 'secret'`);
    const format = optional(oneOf("event", "slack"), table.format, `${origin}: 'format'`) ?? "event";
    return { url, secret, format, filter: filterText(table.filter) };
  },
  structured: true,
  // A comma may be part of a URL, so only a comma before the next URL separates.
  separator: /,\s*(?=https?:\/\/)/i,
} satisfies Kind<unknown>;

function optional<Value>(kind: Kind<Value>, given: unknown, what: string): Value | undefined {
  if (given === undefined) return undefined;
  const value = typeof given === "string" ? kind.parse(given) : undefined;
  if (value === undefined) throw new UsageError(`${what} is not valid; accepted: ${kind.accepts}`);
  return value;
}

/**
 * A filter may be a table, or a text like the query of the message list: `to=ann@example.com&tag=order`.
 * `parseFilter` checks it later.
 */
function filterText(given: unknown): string {
  if (typeof given !== "object" || given === null) return String(given ?? "");
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

/** `smtp://user:password@host:port`, or smtps for TLS from the first byte. Null if invalid. */
export function parseSmtpUrl(text: string) {
  const url = URL.parse(text);
  if (!url || !["smtp:", "smtps:"].includes(url.protocol)) return null;
  if (url.hostname === "" || !["", "/"].includes(url.pathname) || url.hash !== "") return null;
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  if (user === null || password === null) return null;
  return {
    host: unbracketed(url.hostname),
    port: url.port === "" ? undefined : Number(url.port),
    isTls: url.protocol === "smtps:",
    credentials: user ? { user, password } : null,
    query: url.searchParams,
  };
}

const TLS_MODES = ["none", "starttls", "implicit"] as const;
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/** The value has the fields of a release request. */
export const smtpUrl = {
  placeholder: "smtp-url",
  accepts:
    "smtp://user:password@host:587 or smtps://…; options follow a ?: tls=none, tls=starttls or tls=implicit, and tls_verify=true",
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
  secret: true,
} satisfies Kind<unknown>;

/** The URL stays unchanged, because Bun knows more parameters of PostgreSQL than we could list. */
const urlOf = (placeholder: string, protocols: readonly string[], accepts: string): Kind<string> => ({
  ...textIf(placeholder, accepts, (value) => {
    const url = URL.parse(value);
    return url !== null && protocols.includes(url.protocol) && url.hostname !== "";
  }),
  secret: true,
});

export const postgresUrl = urlOf(
  "postgres-url",
  ["postgres:", "postgresql:"],
  "postgres://user:password@host:5432/database, perhaps with ?sslmode=verify-full",
);

export const s3Url = urlOf("s3-url", ["s3:"], "s3://bucket or s3://bucket/prefix");

/** `*` is any text, so `*@example.com` is every address of that domain. */
export const addressPattern = textIf("address", "ann@example.com, *@example.com or *", (value) =>
  /^(?:\*|[^\s<>,@]+@[^\s<>,@]+)$/.test(value),
);

export const network = textIf("network", "an IP address or a network such as 10.0.0.0/8", (value) => {
  const [address = "", bits = "0", ...more] = value.split("/");
  const most = isIPv6(address) ? 128 : 32;
  return isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most && more.length === 0;
});
