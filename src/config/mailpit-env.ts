// Mailpit's variables as settings (`--mailpit-env`), for people who swap only the container image.
import { hostAndPort, unbracketed } from "../lib/hosts.ts";
import { flagName } from "./setting.ts";
import { shown, UsageError } from "./usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "MP_";
const ON = /^(?:1|true|yes)$/i;
const OFF = /^(?:0|false|no)$/i;

/**
 * Variables without a rule, because Mailkeep always does what they ask or does not need them.
 * `fromMailpit` reads MP_TAGS_DISABLE itself.
 */
const AS_IT_IS =
  /^MP_(?:SMTP_AUTH_ACCEPT_ANY|SMTP_AUTH_ALLOW_INSECURE|SMTP_DISABLE_RDNS|ENABLE_CHAOS|DISABLE_VERSION_CHECK|DISABLE_WAL|COMPRESSION|TAGS_DISABLE)$/;
const RELAY = /^MP_SMTP_RELAY_(?:HOST|PORT|USERNAME|PASSWORD|TLS|STARTTLS)$/;

/** Parts of values that have no equivalent in Mailkeep. The rest of the value is still used. */
const NO_EQUAL: Readonly<Record<string, RegExp>> = {
  MP_API_CORS: /(?<=^|[\s,])\*(?=[\s,]|$)/g,
  // `postmark` is a service on the internet, and `true` names no host.
  MP_ENABLE_SPAMASSASSIN: /^(?:postmark|true)$/i,
};

type Rule = (value: string, variable: string) => Record<string, string[]>;

const same =
  (name: string): Rule =>
  (value) => ({ [name]: [value] });

/** If Mailpit's switch is on, our setting `name` gets this text. */
const whenOn =
  (name: string, text: string): Rule =>
  (value, variable) => {
    if (!ON.test(value) && !OFF.test(value)) throw malformed(variable, value, "true or false");
    return ON.test(value) ? { [name]: [text] } : {};
  };

const RULES: Readonly<Record<string, Rule>> = {
  MP_MAX_AGE: same("retention"),
  MP_WEBROOT: same("basePath"),
  MP_UI_AUTH_FILE: same("httpAuthFile"),
  MP_UI_TLS_KEY: same("httpTlsKey"),
  MP_SMTP_TLS_KEY: same("smtpTlsKey"),
  MP_SMTP_MAX_RECIPIENTS: same("maxRecipients"),
  MP_ENABLE_SPAMASSASSIN: same("spamassassin"),
  MP_WEBHOOK_URL: same("webhook"),
  MP_QUIET: whenOn("logLevel", "error"),
  MP_VERBOSE: whenOn("logLevel", "debug"),
  MP_SMTP_REQUIRE_STARTTLS: whenOn("smtpTlsRequired", "true"),
  MP_SMTP_RELAY_ALL: whenOn("relayAllow", "*"),
  // Mailkeep's folder goes next to Mailpit's database file.
  MP_DATABASE: (file) => ({ dataDir: [`${file.replace(/[^/\\]*$/, "") || "./"}mailkeep`] }),
  MP_MAX_MESSAGES: (count) => (count === "0" ? {} : { maxMessages: [count] }),
  MP_MAX_MESSAGE_SIZE: (size, variable) => {
    if (!/^\d+$/.test(size)) throw malformed(variable, size, "a number of megabytes such as 50");
    return { maxMessageSize: [`${size}MiB`] };
  },
  MP_UI_AUTH: (users, variable) => ({ httpAuth: pairsOf(users, variable, "--http-auth-file") }),
  // With users, Mailpit accepts no mail without a login.
  MP_SMTP_AUTH_FILE: (file) => ({ smtpAuthFile: [file], smtpAuthRequired: ["true"] }),
  MP_SMTP_AUTH: (users, variable) => ({
    smtpAuth: pairsOf(users, variable, "--smtp-auth-file"),
    smtpAuthRequired: ["true"],
  }),
  MP_API_CORS: (origins) => ({ corsOrigin: origins.split(/[\s,]+/).filter((origin) => origin !== "") }),
  MP_SMTP_TLS_CERT: (file) => certificateOf(file, "smtp"),
  MP_UI_TLS_CERT: (file) => certificateOf(file, "http"),
  MP_SMTP_BIND_ADDR: (address, variable) => listening(address, variable, "smtpPort"),
  MP_UI_BIND_ADDR: (address, variable) => listening(address, variable, "mailpitPort"),
};

const malformed = (variable: string, value: string, accepted: string) =>
  new UsageError(`${variable}: ${shown(value)} is not valid; accepted: ${accepted}`);

/** A hash is not a password: using it as one would lock everybody out. */
function pairsOf(users: string, variable: string, flag: string): string[] {
  if (/:(?:\$|\{)/.test(users)) throw new UsageError(`${variable}: hashed passwords go into a file, ${flag}`);
  return users.split(/\s+/).filter((pair) => pair !== "");
}

/** With `sans:localhost` Mailpit makes a certificate at its start. */
const certificateOf = (file: string, protocol: "smtp" | "http"): Record<string, string[]> =>
  file.startsWith("sans:") ? { [`${protocol}Tls`]: ["self-signed"] } : { [`${protocol}TlsCert`]: [file] };

function listening(address: string, variable: string, port: string): Record<string, string[]> {
  const colon = address.lastIndexOf(":");
  if (!/:\d+$/.test(address))
    throw malformed(variable, address, "an address and a port such as 0.0.0.0:1025");
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return { bind: [host || "0.0.0.0"], [port]: [address.slice(colon + 1)] };
}

function relayOf(environment: Environment): string | undefined {
  const given = (name: string) => environment[`MP_SMTP_RELAY_${name}`] ?? "";
  if (given("HOST") === "") return undefined;
  if (!/^\d*$/.test(given("PORT"))) throw malformed("MP_SMTP_RELAY_PORT", given("PORT"), "a port");
  const login =
    given("USERNAME") && `${encodeURIComponent(given("USERNAME"))}:${encodeURIComponent(given("PASSWORD"))}@`;
  const tls = ON.test(given("STARTTLS")) ? "?tls=starttls" : "";
  const server = hostAndPort(unbracketed(given("HOST")), Number(given("PORT") || 25));
  return `${ON.test(given("TLS")) ? "smtps" : "smtp"}://${login}${server}${tls}`;
}

/** Throws a UsageError for a malformed value, and for two variables that contradict each other. */
export function fromMailpit(environment: Environment) {
  /** Our setting's name → its texts, and the variable of Mailpit that they come from. */
  const settings = new Map<string, { texts: readonly string[]; variable: string }>();
  /** The variables, or values of them, without an equivalent in Mailkeep. */
  const without: string[] = [];
  const set = (name: string, texts: readonly string[], variable: string) => {
    const other = settings.get(name);
    if (other && String(other.texts) !== String(texts))
      throw new UsageError(
        `${other.variable} and ${variable} conflict: Mailkeep has one setting for both, ` +
          `--${flagName(name)}, which cannot be ${other.texts} and ${texts}`,
      );
    settings.set(name, { texts, variable });
  };
  // By default Mailpit takes tags from the X-Tags header and from plus-addresses.
  const untagged = environment.MP_TAGS_DISABLE ?? "";
  if (!/x-tags/.test(untagged)) set("tagHeader", ["X-Tags"], "MP_TAGS_DISABLE");
  if (!/plus-addresses/.test(untagged)) set("tagPlusAddresses", ["true"], "MP_TAGS_DISABLE");
  const relay = relayOf(environment);
  if (relay !== undefined) set("relay", [relay], "MP_SMTP_RELAY_HOST");
  for (const [variable, given = ""] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || AS_IT_IS.test(variable) || RELAY.test(variable)) continue;
    const unequal = NO_EQUAL[variable] ?? /(?!)/;
    const value = given.replace(unequal, "");
    if (value !== given) without.push(`${variable}=${given.match(unequal)?.[0]}`);
    if (value === "") continue;
    const rule = RULES[variable];
    if (rule === undefined) without.push(variable);
    else for (const [name, texts] of Object.entries(rule(value, variable))) set(name, texts, variable);
  }
  return { settings, without };
}
